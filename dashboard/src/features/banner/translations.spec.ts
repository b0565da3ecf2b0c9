import { describe, expect, it } from '@jest/globals';
import { withDefaultLanguage, withTranslation } from './translations.js';

describe('withTranslation', () => {
  const german = { language: 'de', duration: '1 Tag', purpose: 'Zählt.' };

  it('adds, changes and removes the words of a language', () => {
    expect(withTranslation<typeof german>(undefined, 'de', { purpose: 'Zählt.' })).toEqual([
      { language: 'de', purpose: 'Zählt.' },
    ]);
    expect(withTranslation([german], 'de', { purpose: 'Misst.' })).toEqual([
      { ...german, purpose: 'Misst.' },
    ]);
    expect(withTranslation([german], 'de', { purpose: '' })).toEqual([{ language: 'de', duration: '1 Tag' }]);
    expect(withTranslation([{ language: 'de', purpose: 'Zählt.' }], 'de', { purpose: '' })).toEqual([]);
  });

  it('leaves other languages alone', () => {
    const french = { language: 'fr', duration: '1 jour', purpose: 'Compte.' };
    expect(withTranslation([german, french], 'de', { purpose: '', duration: '' })).toEqual([french]);
    expect(withTranslation([french], 'de', { purpose: '' })).toEqual([french]);
  });
});

describe('withDefaultLanguage', () => {
  const service = {
    name: 'Counter',
    provider: 'Example',
    category: 'analytics' as const,
    policyUrl: null,
    cookies: [
      {
        name: '_c',
        duration: '1 day',
        purpose: 'Counts.',
        translations: [{ language: 'de', purpose: 'Zählt.' }],
      },
      { name: '_d', duration: '1 day', purpose: 'Counts.' },
    ],
    translations: [{ language: 'de', name: 'Zähler' }],
  };

  it('makes the translation the original, and the original a translation', () => {
    const form = { defaultLanguage: 'en', services: [service] };
    const german = withDefaultLanguage(form, 'de');
    expect(german).toEqual({
      defaultLanguage: 'de',
      services: [
        {
          ...service,
          name: 'Zähler',
          cookies: [
            {
              name: '_c',
              duration: '1 day',
              purpose: 'Zählt.',
              translations: [{ language: 'en', purpose: 'Counts.' }],
            },
            { name: '_d', duration: '1 day', purpose: 'Counts.' },
          ],
          translations: [{ language: 'en', name: 'Counter' }],
        },
      ],
    });
    expect(withDefaultLanguage(german, 'en')).toEqual(form);
  });
});
