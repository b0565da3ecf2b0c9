import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION, type SiteConfiguration, type SiteService } from './configuration.js';
import { allModes } from './consent-modes.js';
import { changesBetween } from './configuration-changes.js';
import { defaultText } from './default-texts.js';

const cookie = (name: string) => ({ name, duration: '1 day', purpose: 'Counts.', translations: [] });
const counter: SiteService = {
  name: 'Counter',
  provider: 'Example Ltd',
  category: 'analytics',
  policyUrl: null,
  cookies: [cookie('_c')],
  translations: [],
};
const text = (changes: object = {}) => ({ ...defaultText('en'), ...changes });
const between = (before: Partial<SiteConfiguration>, after: Partial<SiteConfiguration>) =>
  changesBetween({ ...DEFAULT_CONFIGURATION, ...before }, { ...DEFAULT_CONFIGURATION, ...after });

describe(changesBetween.name, () => {
  it('is empty for the same', () => expect(between({}, {})).toEqual([]));

  it('names a text by its language, and tells it as it is', () => {
    expect(between({}, { texts: [text({ title: 'Tea?' })] })).toEqual([
      { path: ['texts', 'en', 'title'], kind: 'changed', before: 'We value your privacy', after: 'Tea?' },
    ]);
  });

  it('tells a whole language, service or cookie that came or went', () => {
    const german = { ...text(), language: 'de' };
    expect(between({}, { texts: [text(), german] })).toEqual([
      { path: ['texts', 'de'], kind: 'added', before: null, after: JSON.stringify(german) },
    ]);
    expect(between({ services: [counter] }, { services: [] })).toMatchObject([
      { path: ['services', 'Counter'], kind: 'removed', after: null },
    ]);
    expect(
      between({ services: [counter] }, { services: [{ ...counter, cookies: [cookie('_d')] }] }),
    ).toMatchObject([
      { path: ['services', 'Counter', 'cookies', '_c'], kind: 'removed' },
      { path: ['services', 'Counter', 'cookies', '_d'], kind: 'added' },
    ]);
  });

  it('names a translation by its language', () => {
    const translated = (name: string) => ({ ...counter, translations: [{ language: 'de', name }] });
    expect(between({ services: [translated('Zähler')] }, { services: [translated('Messung')] })).toEqual([
      {
        path: ['services', 'Counter', 'translations', 'de', 'name'],
        kind: 'changed',
        before: 'Zähler',
        after: 'Messung',
      },
    ]);
  });

  it('names modes by category, and leaves out the strictest, which follows from them', () => {
    const defaultModes = { ...allModes('opt_out'), marketing: 'opt_in' } as const;
    expect(between({}, { defaultMode: 'opt_in', defaultModes })).toEqual([
      { path: ['defaultModes', 'analytics'], kind: 'changed', before: 'opt_in', after: 'opt_out' },
      { path: ['defaultModes', 'preferences'], kind: 'changed', before: 'opt_in', after: 'opt_out' },
    ]);
  });

  it('tells what has no text as JSON, and null as nothing', () => {
    const rule = { regions: ['US-CA'], modes: allModes('opt_out') };
    expect(
      between(
        {},
        {
          regionRules: [{ ...rule, mode: 'opt_out' }],
          categories: ['analytics'],
          policyUrl: 'https://example.com/',
        },
      ),
    ).toEqual([
      { path: ['policyUrl'], kind: 'changed', before: null, after: 'https://example.com/' },
      {
        path: ['categories'],
        kind: 'changed',
        before: '["analytics","marketing","preferences"]',
        after: '["analytics"]',
      },
      { path: ['regionRules'], kind: 'changed', before: '[]', after: JSON.stringify([rule]) },
    ]);
  });

  it('tells another order, and services of one name as a whole', () => {
    const german = { ...text(), language: 'de' };
    expect(between({ texts: [text(), german] }, { texts: [german, text()] })).toEqual([
      { path: ['texts'], kind: 'changed', before: '["en","de"]', after: '["de","en"]' },
    ]);
    const twice = [counter, { ...counter, category: 'marketing' as const }];
    expect(between({ services: twice }, { services: [counter, counter] })).toMatchObject([
      { path: ['services'], kind: 'changed' },
    ]);
  });
});
