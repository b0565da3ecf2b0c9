import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { previewHostPattern } from '../../licensing/domain/preview-host.js';
import { CATALOGUE } from '../../licensing/domain/catalogue.js';
import { type BannerText, CATEGORIES, LABELS } from './banner-text.js';
import { DEFAULT_CONFIGURATION, type SiteConfiguration, storedConfiguration } from './configuration.js';
import { DEFAULT_TEXTS, defaultText } from './default-texts.js';
import { type DocumentSource, renderDocument } from './document.js';

const SOURCE: DocumentSource = {
  projectId: '01a1fec8-570f-715b-b2b3-e89dce8cae7b',
  domains: ['example.com', 'shop.myshopify.com', 'site.webflow.io'],
  controller: { name: 'Example Ltd', contact: null },
  tier: 'business',
  configuration: {
    ...DEFAULT_CONFIGURATION,
    services: [
      {
        name: 'Counter',
        provider: 'Example Ltd',
        category: 'analytics',
        policyUrl: null,
        cookies: [{ name: '_c_*', duration: '13 months', purpose: 'Counts visits.' }],
      },
    ],
    policyUrl: 'https://example.com/policy',
    regionRules: [{ regions: ['US'], mode: 'opt_out' }],
  },
  publicBaseUrl: 'https://api.example.com',
  bannerScript: 'banner-0123456789abcdef.js',
  countsVisits: true,
};

describe('renderDocument (design §6.6)', () => {
  it('has the configuration, the tier and what it brings, and what holds on a preview host', () => {
    const { document } = renderDocument(SOURCE);
    const { configHash: _, ...content } = document;
    expect(content).toEqual({
      ...SOURCE.configuration,
      schemaVersion: 1,
      projectId: SOURCE.projectId,
      tier: 'business',
      features: CATALOGUE.business.features,
      preview: { tier: 'lite', features: CATALOGUE.lite.features },
      controller: { name: 'Example Ltd', contact: null },
      // A free subdomain; staging hosts stay previews whatever their owner.
      ownPreviewHosts: ['shop.myshopify.com'],
      previewHosts: previewHostPattern(['shop.myshopify.com']),
      euRegions: expect.arrayContaining(['DE', 'NO', 'RE']),
      bannerScript: null,
      consentUrl: `https://api.example.com/v1/projects/${SOURCE.projectId}/consents`,
      visitsUrl: `https://api.example.com/v1/projects/${SOURCE.projectId}/visits`,
      region: 'XX',
      isEu: true,
    });
  });

  it('says where visits are counted, unless the project or the service wants none', () => {
    const off = { ...SOURCE.configuration, siteAnalytics: false };
    expect(renderDocument({ ...SOURCE, configuration: off }).document.visitsUrl).toBeNull();
    expect(renderDocument({ ...SOURCE, countsVisits: false }).document.visitsUrl).toBeNull();
  });

  it('is named by the hash of all the rest, and its body is the document', () => {
    const { document, body, hash } = renderDocument(SOURCE);
    const { configHash, ...content } = document;
    expect(configHash).toBe(hash);
    expect(hash).toBe(createHash('sha256').update(JSON.stringify(content)).digest('hex'));
    expect(JSON.parse(body)).toEqual(document);
  });

  it('has one hash, in whatever order the database gives the members back', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, turned(member)]),
      );
    };
    const configuration = turned(SOURCE.configuration) as DocumentSource['configuration'];
    expect(renderDocument({ ...SOURCE, configuration }).body).toBe(renderDocument(SOURCE).body);
  });

  it('leaves region rules out below business, and says so only where there are any (spec §8)', () => {
    const { document, regionRulesLeftOut } = renderDocument({ ...SOURCE, tier: 'pro' });
    expect(document.regionRules).toEqual([]);
    expect(regionRulesLeftOut).toBe(true);
    const without = { ...SOURCE, tier: 'pro', configuration: DEFAULT_CONFIGURATION } as const;
    expect(renderDocument(without).regionRulesLeftOut).toBe(false);
    expect(renderDocument(SOURCE).regionRulesLeftOut).toBe(false);
    expect(renderDocument({ ...SOURCE, tier: 'enterprise' }).document.regionRules).toHaveLength(1);
  });
});

describe('the words of our banner', () => {
  const labelsOf = (configuration: Partial<SiteConfiguration>) =>
    renderDocument({
      ...SOURCE,
      configuration: { ...DEFAULT_CONFIGURATION, ...configuration },
    }).document.texts.map(({ labels }) => labels);
  const banner = { ...DEFAULT_CONFIGURATION.banner, enabled: true };
  const text = (language: string, labels = {}): BannerText => ({ ...defaultText('en'), language, labels });

  it('are the owner’s, then ours in the language, then the default language’s', () => {
    const texts = [text('de', { close: 'Zu' }), text('pt-BR'), text('cs')];
    const [german, brazilian, czech] = labelsOf({ banner, defaultLanguage: 'de', texts });
    expect(german).toEqual({ ...defaultText('de').labels, close: 'Zu' });
    expect(brazilian).toEqual(defaultText('pt').labels);
    expect(czech).toEqual(german);
  });

  it('come with the name of its script', () => {
    const configuration = { ...DEFAULT_CONFIGURATION, banner };
    expect(renderDocument({ ...SOURCE, configuration }).document.bannerScript).toBe(SOURCE.bannerScript);
  });

  it('are left out where the site brings its own banner', () => {
    expect(labelsOf({ texts: [text('de')] })).toEqual([{}]);
  });

  it.each(DEFAULT_TEXTS.map(({ language }) => language))('are whole in %s', (language) => {
    const { labels, categories, ...words } = defaultText(language);
    expect(words.language).toBe(language);
    expect(categories.map(({ key }) => key)).toEqual(CATEGORIES);
    expect(Object.keys(labels)).toEqual(LABELS);
    const english = defaultText('en');
    if (language !== 'en') {
      for (const name of LABELS) expect(labels[name]).not.toBe(english.labels[name]);
    }
  });
});

describe('storedConfiguration', () => {
  it('is the default where nothing was saved, and fills what an older version did not know', () => {
    expect(storedConfiguration(null)).toEqual(DEFAULT_CONFIGURATION);
    expect(storedConfiguration({ defaultMode: 'none' })).toEqual({
      ...DEFAULT_CONFIGURATION,
      defaultMode: 'none',
    });
    const { labels: _, ...older } = defaultText('de');
    expect(storedConfiguration({ texts: [older as BannerText] }).texts).toEqual([{ ...older, labels: {} }]);
    const partly = { enabled: true } as SiteConfiguration['banner'];
    expect(storedConfiguration({ banner: partly }).banner).toEqual({
      ...DEFAULT_CONFIGURATION.banner,
      enabled: true,
    });
  });
});
