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
  it('counts empty texts, and those that the service names, once each', () => {
    expect(countMissing(FRENCH, [])).toBe(0);
    expect(countMissing({ ...FRENCH, title: ' ' }, [{ language: 'de', fields: ['title'] }])).toBe(1);
    const fields = ['title', 'categories.analytics.title', 'labels.close'];
    expect(countMissing({ ...FRENCH, title: '', save: '' }, [{ language: 'fr', fields }])).toBe(4);
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
