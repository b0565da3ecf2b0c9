import { describe, expect, it } from '@jest/globals';
import type { SiteService } from '../../publishing/domain/configuration.js';
import {
  type ClassifiableItem,
  type ClassificationSources,
  classifyItem,
  type CookieDecision,
} from './classify-item.js';
import { type KnownCookie, type KnownEntity, KnownServices } from './known-services.js';

const row = (name: string, given: Partial<KnownCookie> = {}): KnownCookie => ({
  name,
  isPrefix: false,
  domains: [],
  category: 'Analytics',
  platform: 'Platform',
  controller: 'Controller',
  purpose: 'Counts.',
  duration: '2 years',
  policyUrl: 'https://policy.example/',
  ...given,
});
const entity = (name: string, category: string, domains: string[], company = name): KnownEntity => ({
  name,
  company,
  category,
  domains,
});
const item = (name: string, given: Partial<ClassifiableItem> = {}): ClassifiableItem => ({
  kind: 'cookie',
  name,
  host: 'shop.example',
  thirdParty: false,
  initiators: [],
  ...given,
});
const service = (cookie: string, given: Partial<SiteService> = {}): SiteService => ({
  name: 'Statistics',
  provider: 'Shop',
  category: 'analytics',
  policyUrl: null,
  translations: [],
  cookies: [{ name: cookie, duration: '1 day', purpose: 'Own words.', translations: [] }],
  ...given,
});
const decision = (given: Partial<CookieDecision> = {}): CookieDecision => ({
  kind: 'cookie',
  name: 'uid',
  host: 'shop.example',
  category: 'necessary',
  purpose: 'Cart.',
  provider: null,
  duration: null,
  ...given,
});

/** Every source has `uid`, each with another category. */
const ADS = ['cdn.ads.example/tag.js'];
const EVERYTHING: ClassificationSources = {
  decisions: [decision()],
  services: [service('uid', { category: 'preferences' })],
  known: new KnownServices(
    [row('uid', { domains: ['shop.example'], category: 'Marketing' }), row('uid', { category: 'Analytics' })],
    [entity('Ads', 'analytics', ['*.ads.example'])],
  ),
};
const sources = (given: Partial<ClassificationSources>): ClassificationSources => ({
  decisions: [],
  services: [],
  known: new KnownServices([], []),
  ...given,
});

describe('the order of the sources', () => {
  const uid = item('uid', { initiators: ADS });
  const without = (...names: ('decisions' | 'services')[]): ClassificationSources =>
    names.reduce((left, name) => ({ ...left, [name]: [] }), EVERYTHING);

  it('is decision, configuration, cookie of the domain, entity, name of the cookie, unknown', () => {
    const bare = [row('uid', { category: 'Marketing' })];
    const ads = [entity('Ads', 'analytics', ['*.ads.example'])];
    const steps: [ClassificationSources, string, string | null][] = [
      [EVERYTHING, 'decision', 'necessary'],
      [without('decisions'), 'configuration', 'preferences'],
      [without('decisions', 'services'), 'cookie_database', 'marketing'],
      [sources({ known: new KnownServices(bare, ads) }), 'third_party_web', 'analytics'],
      [sources({ known: new KnownServices(bare, []) }), 'cookie_database', 'marketing'],
      [sources({}), 'none', null],
    ];
    for (const [known, source, category] of steps)
      expect(classifyItem(uid, known)).toMatchObject({ source, category });
  });

  it('knows what a domain or an entity confirms, and guesses what only has the name', () => {
    expect(classifyItem(uid, without('decisions', 'services')).certainty).toBe('known');
    expect(classifyItem(uid, sources({ known: new KnownServices([row('uid')], []) })).certainty).toBe(
      'guess',
    );
    expect(classifyItem(uid, sources({})).certainty).toBe('none');
  });
});

describe('a decision', () => {
  it('counts for its kind, its host and its pattern alone', () => {
    const decided = (given: Partial<CookieDecision>, seen = item('uid')): string =>
      classifyItem(seen, sources({ decisions: [decision(given)] })).source;
    expect(decided({})).toBe('decision');
    expect(decided({ name: 'u*' })).toBe('decision');
    expect(decided({ name: 'v*' })).toBe('none');
    expect(decided({ kind: 'local_storage' })).toBe('none');
    expect(decided({ host: 'other.example' })).toBe('none');
  });
});

describe('the configuration', () => {
  it('classifies by the patterns of its cookies', () => {
    const services = [service('_ga'), service('_ga_*', { category: 'marketing', name: 'Second' })];
    expect(classifyItem(item('_ga_X1'), sources({ services }))).toMatchObject({
      source: 'configuration',
      category: 'marketing',
      service: 'Second',
      purpose: 'Own words.',
    });
    expect(classifyItem(item('_gat'), sources({ services })).source).toBe('none');
  });

  it('classifies requests to a service of the same name', () => {
    const known = new KnownServices([], [entity('Hotjar', 'analytics', ['*.hotjar.com'])]);
    const request = item('', { kind: 'request', host: 'script.hotjar.com', thirdParty: true });
    const services = [service('x', { name: 'hotjar', category: 'preferences' })];
    expect(classifyItem(request, sources({ known, services }))).toMatchObject({
      source: 'configuration',
      category: 'preferences',
    });
    expect(classifyItem(request, sources({ known, services: [service('x')] })).source).toBe(
      'third_party_web',
    );
  });
});

describe('the known cookies', () => {
  const known = new KnownServices(
    [
      row('_ga_', { isPrefix: true }),
      row('_ga_long', { isPrefix: true, category: 'Marketing' }),
      row('id', { domains: ['doubleclick.net'], category: 'Marketing' }),
      row('P_', { isPrefix: true }),
      row('P_', { isPrefix: true, domains: ['p.example'] }),
      row('lang', { category: 'Functional' }),
      row('csrf', { category: 'Security' }),
      row('theme', { category: 'Personalization' }),
      row('same', { category: 'Analytics' }),
      row('same', { category: 'Marketing' }),
      row('_tag', { controller: 'Google' }),
    ],
    [entity('Google Tag Manager', 'tag-manager', ['*.googletagmanager.com'], 'Google')],
  );
  const classify = (seen: ClassifiableItem) => classifyItem(seen, sources({ known }));

  it('match whole names and beginnings, the longest first', () => {
    expect(classify(item('_ga_X')).category).toBe('analytics');
    expect(classify(item('_ga_longer')).category).toBe('marketing');
    expect(classify(item('_g')).source).toBe('none');
  });

  it('match hosts below their domain, and no other', () => {
    expect(classify(item('id', { host: '.doubleclick.net' })).category).toBe('marketing');
    expect(classify(item('id', { host: 'ad.doubleclick.net' })).category).toBe('marketing');
    expect(classify(item('id', { host: 'notdoubleclick.net' })).source).toBe('none');
    expect(classify(item('id')).source).toBe('none');
  });

  it('match a beginning of two characters with their domain alone', () => {
    expect(classify(item('P_1', { host: 'p.example' })).certainty).toBe('known');
    expect(classify(item('P_1')).source).toBe('none');
  });

  it('propose necessary and conclude it never', () => {
    expect(classify(item('lang'))).toMatchObject({ category: null, proposed: ['preferences', 'necessary'] });
    expect(classify(item('csrf'))).toMatchObject({
      category: null,
      proposed: ['necessary'],
      certainty: 'none',
    });
    expect(classify(item('theme'))).toMatchObject({ category: 'preferences', proposed: [] });
  });

  it('guess nothing where rows of one name disagree', () => {
    expect(classify(item('same'))).toMatchObject({ category: null, source: 'none' });
  });

  it('are known where the provider also runs the script that set the cookie', () => {
    const initiators = ['www.googletagmanager.com/gtag/js'];
    expect(classify(item('_tag', { initiators })).certainty).toBe('known');
    expect(classify(item('_tag', { initiators: ['cdn.example/x.js'] })).certainty).toBe('guess');
  });

  it('say nothing about requests', () => {
    expect(classify(item('', { kind: 'request', host: 'doubleclick.net' })).source).toBe('none');
  });
});

describe('the known entities', () => {
  const known = new KnownServices(
    [],
    [
      entity('Social', 'social', ['*.social.example', 'exact.example']),
      entity('Files', 'cdn', ['*.files.example'], 'Files Inc.'),
    ],
  );
  const classify = (given: Partial<ClassifiableItem>) => classifyItem(item('x', given), sources({ known }));

  it('classify by the script, and by the host of another site', () => {
    expect(classify({ initiators: ['a.social.example/x.js'] }).category).toBe('marketing');
    expect(classify({ host: 'social.example', thirdParty: true }).category).toBe('marketing');
    expect(classify({ host: 'social.example', thirdParty: false }).source).toBe('none');
    expect(classify({ host: 'exact.example:443', thirdParty: true }).category).toBe('marketing');
    expect(classify({ host: 'a.exact.example', thirdParty: true }).source).toBe('none');
  });

  it('name the provider where they say nothing about the purpose', () => {
    expect(classify({ initiators: ['a.files.example/x.js'] })).toMatchObject({
      category: null,
      source: 'none',
      service: 'Files',
      provider: 'Files Inc.',
    });
  });
});

it('knows what the loader stores', () => {
  const own = (kind: ClassifiableItem['kind'], name: string) =>
    classifyItem(item(name, { kind }), sources({})).source;
  expect(own('local_storage', 'serviceMeta:*:choice')).toBe('own');
  expect(own('cookie', 'service-consent')).toBe('own');
  expect(own('cookie', '__Host-service-consent')).toBe('own');
  expect(own('cookie', 'service-consents')).toBe('none');
  expect(own('cookie', 'serviceMeta:*:choice')).toBe('none');
});
