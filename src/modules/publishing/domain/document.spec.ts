import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { previewHostPattern } from '../../licensing/domain/preview-host.js';
import { CATALOGUE } from '../../licensing/domain/catalogue.js';
import { type BannerText, CATEGORIES, COUNT_LABELS, LABELS } from './banner-text.js';
import { DEFAULT_CONFIGURATION, type SiteConfiguration, storedConfiguration } from './configuration.js';
import { allModes } from './consent-modes.js';
import { defaultText } from './default-texts.js';
import { type DocumentSource, renderDocument } from './document.js';
import { DEFAULT_LANGUAGES } from './text-language.js';

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
        cookies: [{ name: '_c_*', duration: '13 months', purpose: 'Counts visits.', translations: [] }],
        translations: [],
      },
    ],
    policyUrl: 'https://example.com/policy',
    regionRules: [{ regions: ['US'], mode: 'opt_out', modes: allModes('opt_out') }],
  },
  publicBaseUrl: 'https://api.example.com',
  scripts: {
    banner: 'banner-0123456789abcdef.js',
    bannerWithSignals: 'banner-fedcba9876543210.js',
    signals: 'signals-0123456789abcdef.js',
    bannerByService: 'banner-1111111111111111.js',
    bannerByServiceWithSignals: 'banner-2222222222222222.js',
    services: 'banner-3333333333333333.js',
  },
  countsVisits: true,
  at: new Date('2026-11-26'),
};

describe('renderDocument (design §6.6)', () => {
  it('has the configuration, the tier and what it brings, and what holds on a preview host', () => {
    const { document } = renderDocument(SOURCE);
    const { configHash: _, ...content } = document;
    const {
      blocking: _off,
      signals: _none,
      presetUpdates: _updates,
      defaultModes: _equal,
      defaultPreset: _byHand,
      serviceChoice: _choice,
      ...configuration
    } = SOURCE.configuration;
    const { radius: _round, secondaryButton: _text, ...banner } = configuration.banner;
    expect(content).toEqual({
      ...configuration,
      banner,
      regionRules: [{ regions: ['US'], mode: 'opt_out' }],
      serviceIds: [expect.stringMatching(/^[0-9a-f]{8}$/)],
      // Lists of translations that are empty are left out.
      services: [
        {
          name: 'Counter',
          provider: 'Example Ltd',
          category: 'analytics',
          policyUrl: null,
          cookies: [{ name: '_c_*', duration: '13 months', purpose: 'Counts visits.' }],
        },
      ],
      schemaVersion: 1,
      projectId: SOURCE.projectId,
      tier: 'business',
      features: CATALOGUE.business.features,
      preview: { tier: 'lite', features: CATALOGUE.lite.features },
      controller: { name: 'Example Ltd', contact: null },
      // A free subdomain; staging hosts stay previews for every owner.
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

  it('has the blocking rules only where blocking is on, since each page loads the document', () => {
    const rules = [{ host: 'tracker.test', path: null, category: 'marketing' as const }];
    const blockingOf = (enabled: boolean): unknown =>
      renderDocument({
        ...SOURCE,
        configuration: { ...SOURCE.configuration, blocking: { enabled, rules } },
      }).document.blocking;
    expect(blockingOf(true)).toEqual({ enabled: true, rules });
    expect(blockingOf(false)).toBeUndefined();
  });

  it('has the look of corners and secondary button only where they were changed', () => {
    const { banner } = DEFAULT_CONFIGURATION;
    const publishedOf = (changes: object) =>
      renderDocument({
        ...SOURCE,
        configuration: { ...DEFAULT_CONFIGURATION, banner: { ...banner, ...changes } },
      }).document.banner;
    expect(publishedOf({})).not.toHaveProperty('radius');
    expect(publishedOf({})).not.toHaveProperty('secondaryButton');
    const changes = { radius: 0, secondaryButton: 'outline' };
    expect(publishedOf(changes)).toMatchObject(changes);
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
    const texts = [text('de', { close: 'Zu' }), text('pt-BR'), text('eo')];
    const [german, brazilian, esperanto] = labelsOf({ banner, defaultLanguage: 'de', texts });
    expect(german).toMatchObject({ close: 'Zu', acknowledge: defaultText('de').labels.acknowledge });
    expect(brazilian).toMatchObject({ close: defaultText('pt').labels.close });
    expect(esperanto).toEqual(german);
  });

  it.each([
    ['opt_in', [], ['optOutTitle', 'noticeTitle', 'signalTitle']],
    ['notice', ['noticeTitle', 'signalTitle'], ['optOutTitle']],
    ['opt_out', ['optOutTitle', 'signalTitle'], ['noticeTitle']],
  ] as const)('are those of the modes that hold somewhere: %s', (mode, named, left) => {
    const regionRules = [{ regions: ['US'], mode, modes: allModes(mode) }];
    const [english] = labelsOf({ banner, regionRules });
    for (const name of named) expect(english).toHaveProperty(name, defaultText('en').labels[name]);
    for (const name of left) expect(english).not.toHaveProperty(name);
    expect(english).toHaveProperty('blockedFrame');
  });

  it('count cookies where there are some', () => {
    expect(labelsOf({ banner })[0]).not.toHaveProperty('cookieCount');
    expect(labelsOf({ banner, services: SOURCE.configuration.services })[0]).toMatchObject({
      cookieOne: '{count} cookie',
      cookieCount: '{count} cookies',
    });
  });

  it('come with the name of its script', () => {
    const configuration = { ...DEFAULT_CONFIGURATION, banner };
    expect(renderDocument({ ...SOURCE, configuration }).document.bannerScript).toBe(SOURCE.scripts.banner);
  });

  it.each([
    [false, false, false, null],
    [false, true, false, SOURCE.scripts.signals],
    [false, true, true, SOURCE.scripts.signals],
    [true, true, false, SOURCE.scripts.bannerWithSignals],
    [true, false, true, SOURCE.scripts.bannerByService],
    [true, true, true, SOURCE.scripts.bannerByServiceWithSignals],
  ])(
    'our banner %s, a signal %s, by service %s: the loader runs %s',
    (enabled, metaPixel, serviceChoice, name) => {
      const signals = { ...DEFAULT_CONFIGURATION.signals, metaPixel };
      const configuration = {
        ...DEFAULT_CONFIGURATION,
        banner: { ...banner, enabled },
        signals,
        serviceChoice,
      };
      expect(renderDocument({ ...SOURCE, configuration }).document.bannerScript).toBe(name);
    },
  );

  it('are left out where the site brings its own banner', () => {
    expect(labelsOf({ texts: [text('de')] })).toEqual([{}]);
  });

  it.each(DEFAULT_LANGUAGES)('are whole in %s', (language) => {
    const { labels, categories, ...words } = defaultText(language);
    expect(words.language).toBe(language);
    expect(categories.map(({ key }) => key)).toEqual(CATEGORIES);
    expect(Object.keys(labels).toSorted()).toEqual(LABELS.toSorted());
    const english = defaultText('en');
    if (language !== 'en') {
      // "Cookie" and "OK" are words of most languages.
      const shared = [...COUNT_LABELS, 'optOutAccept'];
      for (const name of LABELS.filter((each) => !shared.includes(each)))
        expect(labels[name]).not.toBe(english.labels[name]);
    }
  });
});

describe('translations of services', () => {
  const [service] = SOURCE.configuration.services;
  const render = (languages: string[]) =>
    renderDocument({
      ...SOURCE,
      configuration: {
        ...DEFAULT_CONFIGURATION,
        texts: languages.map((language) => ({ ...defaultText('en'), language })),
        services: [
          {
            ...service!,
            cookies: service!.cookies.map((cookie) => ({
              ...cookie,
              translations: [
                { language: 'de', purpose: 'Zählt Besuche.' },
                { language: 'fr', duration: '13 mois' },
              ],
            })),
            translations: [{ language: 'de', name: 'Zähler' }],
          },
        ],
      },
    }).document.services;

  it('are published in the languages of the banner', () => {
    expect(render(['en', 'de'])).toMatchObject([
      {
        cookies: [{ translations: [{ language: 'de', purpose: 'Zählt Besuche.' }] }],
        translations: [{ language: 'de', name: 'Zähler' }],
      },
    ]);
    expect(render(['en'])[0]).not.toHaveProperty('translations');
  });
});

describe('the logo', () => {
  it('is published as a file that the document names', () => {
    const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(50)]);
    const banner = {
      ...DEFAULT_CONFIGURATION.banner,
      logo: `data:image/png;base64,${png.toString('base64')}`,
    };
    const configuration = { ...DEFAULT_CONFIGURATION, banner };
    const { document, logo, body } = renderDocument({ ...SOURCE, configuration });
    expect(logo?.body).toEqual(png);
    expect(document.banner.logo).toBe(logo?.name);
    expect(body).not.toContain('base64');
    expect(renderDocument(SOURCE)).toMatchObject({ logo: null, document: { banner: { logo: null } } });
  });
});

describe('storedConfiguration', () => {
  it('is the default where nothing was saved, and fills what an older version did not know', () => {
    expect(storedConfiguration(null)).toEqual(DEFAULT_CONFIGURATION);
    expect(storedConfiguration({ defaultMode: 'none' })).toEqual({
      ...DEFAULT_CONFIGURATION,
      defaultMode: 'none',
      defaultModes: allModes('none'),
    });
    const { labels: _, ...older } = defaultText('de');
    expect(storedConfiguration({ texts: [older as BannerText] }).texts).toEqual([{ ...older, labels: {} }]);
    const { translations: _none, ...service } = SOURCE.configuration.services[0]!;
    const cookies = service.cookies.map(({ translations: _nor, ...cookie }) => cookie);
    const stored = { services: [{ ...service, cookies }] } as unknown as SiteConfiguration;
    expect(storedConfiguration(stored).services).toEqual([
      { id: 'counter', ...SOURCE.configuration.services[0] },
    ]);
    const malformed = { services: [{ name: 'a' }] } as unknown as SiteConfiguration;
    expect(storedConfiguration(malformed).services).toEqual([{ id: 'a', name: 'a', translations: [] }]);
    const partly = { enabled: true } as SiteConfiguration['banner'];
    expect(storedConfiguration({ banner: partly }).banner).toEqual({
      ...DEFAULT_CONFIGURATION.banner,
      enabled: true,
    });
  });
});

it('names ids, the part of the banner and vendors only where visitors choose by service', () => {
  const services = [
    { id: 'ga', name: 'Google Analytics', category: 'analytics' as const },
    { id: 'shop', name: 'Shop', category: 'necessary' as const },
  ].map((each) => ({ provider: 'P', policyUrl: null, cookies: [], translations: [], ...each }));
  const configuration = storedConfiguration({
    services,
    banner: { ...SOURCE.configuration.banner, enabled: true },
  });
  const off = renderDocument({ ...SOURCE, configuration });
  expect(off.document.serviceIds).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
  expect(off.body).not.toMatch(/"id"|serviceChoice|serviceScript|vendors/);
  const on = renderDocument({ ...SOURCE, configuration: { ...configuration, serviceChoice: true } });
  expect(on.document).toMatchObject({
    serviceChoice: true,
    serviceIds: ['ga'],
    serviceScript: SOURCE.scripts.services,
    services: [{ id: 'ga' }, { id: 'shop' }],
    vendors: { google: ['ga'] },
  });
});
