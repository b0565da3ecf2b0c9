import { describe, expect, it } from '@jest/globals';
import type { BannerText } from './configuration.js';
import { buttonContrast, countMissing, fillMissing } from './text-checks.js';

const FRENCH: BannerText = {
  language: 'fr',
  title: 'Titre',
  description: 'Texte',
  acceptAll: 'Accepter',
  rejectAll: 'Refuser',
  choose: 'Choisir',
  save: 'Enregistrer',
  categories: [
    { key: 'analytics', title: 'Mesure', description: 'Combien' },
    { key: 'marketing', title: 'Marketing', description: 'Pub' },
  ],
  labels: {},
};

describe('countMissing', () => {
  it('counts empty texts, and texts of offered categories', () => {
    expect(countMissing(FRENCH, ['analytics', 'marketing'], [FRENCH])).toBe(0);
    expect(countMissing({ ...FRENCH, title: ' ' }, ['analytics'], [FRENCH])).toBe(1);
    expect(countMissing({ ...FRENCH, categories: [] }, ['analytics'], [FRENCH])).toBe(2);
    expect(countMissing({ ...FRENCH, categories: [] }, [], [FRENCH])).toBe(0);
  });

  it('counts the labels of a language that we have no texts in, but not of its variants', () => {
    expect(countMissing({ ...FRENCH, language: 'fr-CA' }, [], [FRENCH])).toBe(0);
    const catalan = { ...FRENCH, language: 'ca' };
    const all = countMissing(catalan, [], [FRENCH]);
    expect(all).toBeGreaterThan(10);
    expect(countMissing({ ...catalan, labels: { close: 'Tanca' } }, [], [FRENCH])).toBe(all - 1);
  });
});

describe('fillMissing', () => {
  it('keeps what the owner has written', () => {
    const own: BannerText = {
      ...FRENCH,
      title: 'Le mien',
      save: '',
      categories: [{ key: 'analytics', title: 'La mienne', description: '' }],
    };
    expect(fillMissing(own, ['analytics', 'marketing'], FRENCH)).toMatchObject({
      title: 'Le mien',
      save: 'Enregistrer',
      categories: [
        { key: 'analytics', title: 'La mienne', description: 'Combien' },
        { key: 'marketing', title: 'Marketing', description: 'Pub' },
      ],
    });
  });

  it('leaves nothing missing', () => {
    const empty: BannerText = { ...FRENCH, title: '', description: '', categories: [] };
    const categories = ['analytics', 'marketing'] as const;
    expect(countMissing(fillMissing(empty, [...categories], FRENCH), [...categories], [FRENCH])).toBe(0);
  });
});

describe('buttonContrast', () => {
  const colors = { accent: '#000000', accentDark: '#1b2027' };

  it('is the lowest of the themes that visitors see', () => {
    expect(buttonContrast({ theme: 'light', ...colors })).toBe(21);
    expect(buttonContrast({ theme: 'dark', ...colors })).toBe(1);
    expect(buttonContrast({ theme: 'auto', ...colors })).toBe(1);
  });

  it('is unknown while a color is being typed', () => {
    expect(buttonContrast({ theme: 'light', accent: '#00', accentDark: '' })).toBeNull();
  });
});
