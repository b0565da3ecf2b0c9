import { describe, expect, it } from '@jest/globals';
import type { BannerText } from './banner-text.js';
import { DEFAULT_CONFIGURATION, type SiteConfiguration, type SiteService } from './configuration.js';
import { defaultText } from './default-texts.js';
import { renderDocument, type SiteDocument } from './document.js';
import { publishedFile } from './published-files.js';
import { LANGUAGE_FILE, VISITOR_BYTES_MAX, visitorBytes, visitorFiles } from './visitor-files.js';

const SERVICE: SiteService = {
  name: 'Counter',
  provider: 'Example Ltd',
  category: 'analytics',
  policyUrl: null,
  cookies: [
    {
      name: '_count',
      duration: '1 year',
      purpose: 'Counts visits.',
      translations: [
        { language: 'de', purpose: 'Zählt Besuche.' },
        { language: 'fr', purpose: 'Compte les visites.' },
      ],
    },
  ],
  translations: [{ language: 'de', name: 'Zähler' }],
};

function render(languages: string[], changes: Partial<SiteConfiguration> = {}): SiteDocument {
  const configuration: SiteConfiguration = {
    ...DEFAULT_CONFIGURATION,
    texts: languages.map((language) => ({ ...defaultText(language), labels: {} })),
    banner: { ...DEFAULT_CONFIGURATION.banner, enabled: true },
    services: [SERVICE],
    ...changes,
  };
  return renderDocument({
    projectId: '01a1fec8-570f-715b-b2b3-e89dce8cae7b',
    domains: [],
    controller: { name: null, contact: null },
    tier: 'business',
    configuration,
    publicBaseUrl: 'https://api.example.com',
    scripts: {
      banner: 'banner-0123456789abcdef.js',
      bannerWithSignals: 'b',
      bannerByService: 'c',
      bannerByServiceWithSignals: 'd',
      signals: 's',
      services: 'p',
    },
    countsVisits: true,
    at: new Date('2026-11-26'),
  }).document;
}

/** The content of a language file: of either kind. */
type Content = Pick<BannerText, 'categories' | 'labels'> & { services: SiteService[] };

const contentOf = (document: SiteDocument, name: string): Content =>
  JSON.parse(visitorFiles(document).files.find((file) => file.name === name)?.body ?? 'null') as Content;

describe('a document of at most 2,500 bytes, gzipped', () => {
  it('is published whole', () => {
    const document = render(['en']);
    expect(visitorFiles(document)).toEqual({ configuration: document, files: [] });
  });
});

describe('a larger document', () => {
  const document = render(['en', 'de', 'fr']);
  const { configuration, files } = visitorFiles(document);
  const file = (kind: string, language: string): string => `${kind}-${document.configHash}-${language}.json`;

  it('keeps the first layer in the default language, and what counts and deletes', () => {
    expect(configuration.languages).toEqual(['en', 'de', 'fr']);
    expect(configuration.configHash).toBe(document.configHash);
    expect(configuration.texts).toHaveLength(1);
    const [text] = configuration.texts;
    expect(text).toMatchObject({ language: 'en', title: 'We value your privacy', acceptAll: 'Accept all' });
    expect(text?.labels).toMatchObject({ policyLink: 'Privacy policy', close: 'Close' });
    expect(text?.labels).not.toHaveProperty('consentId');
    expect(text?.categories[0]).toEqual({ key: 'analytics', title: 'Analytics' });
    expect(configuration.services).toEqual([{ category: 'analytics', cookies: [{ name: '_count' }] }]);
  });

  it('has a file for the first layer in each other language, and one for the second layer in each', () => {
    expect(files.map(({ name }) => name)).toEqual([
      file('text', 'de'),
      file('text', 'fr'),
      file('details', 'en'),
      file('details', 'de'),
      file('details', 'fr'),
    ]);
    for (const { name } of files) {
      expect(name).toMatch(LANGUAGE_FILE);
      expect(publishedFile(name).cacheControl).toMatch(/immutable/);
    }
  });

  it('loses no text: the files of a language have all of it', () => {
    for (const text of document.texts) {
      const first = contentOf(document, file('text', text.language)) ?? configuration.texts[0];
      const details = contentOf(document, file('details', text.language));
      expect({
        ...first,
        categories: details.categories,
        labels: { ...first.labels, ...details.labels },
      }).toEqual(text);
    }
  });

  it('lists services with the translations of one language', () => {
    expect(contentOf(document, file('details', 'de')).services).toEqual([
      {
        name: 'Counter',
        provider: 'Example Ltd',
        category: 'analytics',
        policyUrl: null,
        cookies: [
          {
            name: '_count',
            duration: '1 year',
            purpose: 'Counts visits.',
            translations: [{ language: 'de', purpose: 'Zählt Besuche.' }],
          },
        ],
        translations: [{ language: 'de', name: 'Zähler' }],
      },
    ]);
    expect(contentOf(document, file('details', 'en')).services[0]).not.toHaveProperty('translations');
  });

  it('describes a category that a language lacks in the default language', () => {
    const [en, de, fr] = ['en', 'de', 'fr'].map((language) => ({ ...defaultText(language), labels: {} }));
    const catalan = { ...de!, language: 'ca', categories: de!.categories.slice(1) };
    const partial = render(['en'], { texts: [en!, catalan, fr!] });
    expect(contentOf(partial, `details-${partial.configHash}-ca.json`).categories).toContainEqual(
      en!.categories[0],
    );
  });

  it('costs a visitor less than the limit, in each of ten languages', () => {
    const ten = render(['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'da']);
    const all = visitorBytes(visitorFiles(ten));
    expect(all.map(({ language }) => language)).toHaveLength(10);
    for (const { bytes } of all) expect(bytes).toBeLessThanOrEqual(VISITOR_BYTES_MAX);
    expect(all[1]!.bytes).toBeGreaterThan(all[0]!.bytes);
  });

  it('stays whole for a site with its own banner, which reads the texts itself', () => {
    const own = render(['en', 'de', 'fr'], { banner: DEFAULT_CONFIGURATION.banner });
    const many = {
      ...own,
      services: Array.from({ length: 100 }, (_, n) => ({ ...SERVICE, name: `${n}-${n ** 5}` })),
    };
    expect(visitorFiles(many)).toEqual({ configuration: many, files: [] });
  });
});
