import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION, type SiteService } from '../../publishing/domain/configuration.js';
import type { Classification } from './classify-item.js';
import { type DeclarableItem, draftOf, isDeclarableKind } from './scan-draft.js';

const MARKETING: Classification = {
  category: 'marketing',
  proposed: [],
  source: 'cookie_database',
  certainty: 'known',
  service: 'Ads',
  provider: 'Ads Ltd',
  purpose: 'Ads.',
  duration: null,
  policyUrl: 'https://ads.example/',
};
const item = (name: string, given: Partial<DeclarableItem> = {}): DeclarableItem => ({
  kind: 'cookie',
  name,
  host: 'shop.example',
  lifetimeSeconds: 86_400 * 30,
  classification: MARKETING,
  ...given,
});
const configured = (...services: SiteService[]) => ({ ...DEFAULT_CONFIGURATION, services });

describe('a draft from a scan', () => {
  it('adds a service with its cookies, as observed where nothing else is known', () => {
    const { configuration, ...counts } = draftOf(DEFAULT_CONFIGURATION, [item('_fbp'), item('_ads*x')]);
    expect(configuration.services).toEqual([
      {
        name: 'Ads',
        provider: 'Ads Ltd',
        category: 'marketing',
        policyUrl: 'https://ads.example/',
        translations: [],
        cookies: [
          { name: '_fbp', duration: '30 days', purpose: 'Ads.', translations: [] },
          { name: '_ads*', duration: '30 days', purpose: 'Ads.', translations: [] },
        ],
      },
    ]);
    expect(counts).toEqual({ addedServices: 1, addedCookies: 2, unclassified: 0, leftOut: 0 });
  });

  it('declares the observed lifetime of a cookie, unless a member decided otherwise', () => {
    const durations = (given: Partial<DeclarableItem>): unknown[] =>
      draftOf(DEFAULT_CONFIGURATION, [item('FPID', given)]).configuration.services.flatMap(({ cookies }) =>
        cookies.map(({ duration }) => duration),
      );
    const database = { ...MARKETING, duration: 'session' };
    const days = 400 * 86_400;
    expect(durations({ lifetimeSeconds: days, classification: database })).toEqual(['400 days']);
    expect(durations({ lifetimeSeconds: 1_799, classification: database })).toEqual(['30 minutes']);
    expect(durations({ lifetimeSeconds: 7_200, classification: database })).toEqual(['2 hours']);
    expect(durations({ lifetimeSeconds: 30, classification: database })).toEqual(['1 minute']);
    expect(
      durations({ lifetimeSeconds: null, classification: { ...MARKETING, duration: '2 years' } }),
    ).toEqual(['Session']);
    const decided = { ...database, source: 'decision', duration: '13 months' } as const;
    expect(durations({ lifetimeSeconds: days, classification: decided })).toEqual(['13 months']);
    // How long an entry stays is not observed.
    expect(durations({ kind: 'local_storage', lifetimeSeconds: null, classification: database })).toEqual([
      'session',
    ]);
  });

  it('adds to a service that is there, and leaves what is declared as it is', () => {
    const ads: SiteService = {
      name: 'ads',
      provider: 'Own words',
      category: 'marketing',
      policyUrl: null,
      translations: [],
      cookies: [{ name: '_fbp', duration: '1 day', purpose: 'Own words.', translations: [] }],
    };
    const { configuration, addedServices, addedCookies } = draftOf(configured(ads), [
      item('_fbp'),
      item('uid'),
    ]);
    expect(configuration.services).toEqual([
      { ...ads, cookies: [...ads.cookies, expect.objectContaining({ name: 'uid' })] },
    ]);
    expect([addedServices, addedCookies]).toEqual([0, 1]);
    expect(ads.cookies).toHaveLength(1);
  });

  it('counts what has no category, what cannot be named, and skips what is declared or ours', () => {
    const { configuration, unclassified, leftOut } = draftOf(DEFAULT_CONFIGURATION, [
      item('a', { classification: { ...MARKETING, category: null } }),
      item('b', { classification: { ...MARKETING, source: 'configuration' } }),
      item('c', { classification: { ...MARKETING, source: 'own', category: 'necessary' } }),
      item('with space'),
      item('*'),
    ]);
    expect(configuration.services).toEqual([]);
    expect([unclassified, leftOut]).toEqual([1, 2]);
  });

  it('adds 30 cookies to a service, 100 services, and no more', () => {
    const cookies = Array.from({ length: 31 }, (_, index) => item(`c${index}`));
    expect(draftOf(DEFAULT_CONFIGURATION, cookies)).toMatchObject({ addedCookies: 30, leftOut: 1 });
    const services = Array.from({ length: 101 }, (_, index) =>
      item('', { kind: 'request', classification: { ...MARKETING, service: `Service ${index}` } }),
    );
    expect(draftOf(DEFAULT_CONFIGURATION, services)).toMatchObject({ addedServices: 100, leftOut: 1 });
  });

  it.each([
    ['cookie', null, 'Session'],
    ['cookie', 10, '1 minute'],
    ['cookie', 86_400 * 400, '400 days'],
    ['session_storage', null, 'Session'],
    ['local_storage', null, '–'],
  ] as const)('says how long %s for %s s is kept: %s', (kind, lifetimeSeconds, expected) => {
    const { configuration } = draftOf(DEFAULT_CONFIGURATION, [item('x', { kind, lifetimeSeconds })]);
    expect(configuration.services[0]?.cookies[0]?.duration).toBe(expected);
  });
});

it('declares storage, and requests to known services', () => {
  expect(isDeclarableKind(item('x'))).toBe(true);
  expect(isDeclarableKind(item('x', { kind: 'fingerprint' }))).toBe(false);
  expect(isDeclarableKind(item('', { kind: 'request' }))).toBe(true);
  const unknown = { ...MARKETING, service: null };
  expect(isDeclarableKind(item('', { kind: 'request', classification: unknown }))).toBe(false);
});
