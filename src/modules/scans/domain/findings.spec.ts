import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_CONFIGURATION,
  type ServiceCookie,
  type SiteConfiguration,
} from '../../publishing/domain/configuration.js';
import { allModes } from '../../publishing/domain/consent-modes.js';
import type { Classification } from './classify-item.js';
import { type Finding, FINDINGS_PER_SCAN_MAX, type ScanEvidence, type TestedState } from './finding.js';
import { findFindings, isTestedBy } from './findings.js';
import { itemId } from './item-key.js';
import { SCAN_STATES, type ScanState, STATE_STATUSES } from './scan-state.js';
import type { ClassifiedItem } from './seen-item.js';

const DAY = 86_400;
const UNKNOWN: Classification = {
  ...{ category: null, proposed: [], source: 'none', certainty: 'none', service: null, provider: null },
  ...{ purpose: null, duration: null, policyUrl: null },
};
const known = (
  category: Classification['category'],
  given: Partial<Classification> = {},
): Classification => ({
  ...{ ...UNKNOWN, category, source: 'cookie_database', certainty: 'known' },
  ...given,
});
const MARKETING = known('marketing');

type Given = Partial<Omit<ClassifiedItem, 'sightings'>> & { states?: ScanState[] };
function item({ states = ['before'], ...given }: Given = {}): ClassifiedItem {
  const key = { kind: 'cookie', name: '_fbp', host: 'shop.example' } as const;
  return {
    ...{ ...key, id: itemId(key), thirdParty: false, initiators: [], types: [], lifetimeSeconds: 90 * DAY },
    classification: MARKETING,
    ...given,
    sightings: states.map((state) => ({
      state,
      pages: [2, 3],
      initiator: 'connect.facebook.net/fbevents.js',
    })),
  };
}

const tested = (...states: ScanState[]): TestedState[] =>
  SCAN_STATES.map((state) => ({
    ...{ state, reason: null, pages: [2] },
    status: states.includes(state) ? 'tested' : 'not_tested',
  }));
const cookie = (name: string, duration = '90 days'): ServiceCookie => ({
  name,
  duration,
  purpose: '',
  translations: [],
});
const configuration = (
  given: Partial<SiteConfiguration> = {},
  cookies = [cookie('_fbp')],
): SiteConfiguration => ({
  ...DEFAULT_CONFIGURATION,
  banner: { ...DEFAULT_CONFIGURATION.banner, enabled: true },
  services: [
    { name: 'Meta', provider: 'Meta', category: 'marketing', policyUrl: null, translations: [], cookies },
  ],
  ...given,
});

function findings(given: Partial<ScanEvidence>): Finding[] {
  return findFindings({
    ...{ items: [], states: tested(...SCAN_STATES), published: configuration() },
    pages: [{ number: 2, host: 'shop.example', loaderFound: true }],
    ...given,
  });
}
const certainties = (given: Partial<ScanEvidence>): Record<string, string> =>
  Object.fromEntries(findings(given).map(({ kind, certainty }) => [kind, certainty]));
/** What is found of one item whose cookie is declared. */
const of = (given: Given, states?: TestedState[]): Record<string, string> =>
  certainties({
    items: [item(given)],
    published: configuration({}, [cookie('*', 'unlimited')]),
    ...(states && { states }),
  });

describe('what needs consent', () => {
  it('is found in each state without consent, and not after acceptance', () => {
    expect(of({ states: [...SCAN_STATES] })).toEqual({
      ...{
        before_consent: 'settled',
        after_refusal: 'settled',
        after_withdrawal: 'settled',
        ignores_gpc: 'settled',
      },
    });
    expect(of({ states: ['accept'] })).toEqual({});
  });

  it('is not found in states that were not tested', () => {
    expect(of({ states: [...SCAN_STATES] }, tested('before', 'accept'))).toEqual({
      before_consent: 'settled',
    });
    expect(of({ states: [...SCAN_STATES] }, tested())).toEqual({});
    for (const status of STATE_STATUSES) {
      const states = tested(...SCAN_STATES).map((state) => ({ ...state, status }));
      const found = Object.keys(of({ states: [...SCAN_STATES] }, states));
      expect(found).toHaveLength(status === 'tested' ? 4 : 0);
    }
  });

  it('is named with its pages and what set it', () => {
    expect(findings({ items: [item()] })).toEqual([
      {
        ...{
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: 'before_consent',
          itemKind: 'cookie',
          name: '_fbp',
        },
        ...{ host: 'shop.example', certainty: 'settled', state: 'before', pages: [2, 3] },
        ...{ initiator: 'connect.facebook.net/fbevents.js', category: 'marketing', service: null },
        ...{ lifetimeSeconds: null, declared: null },
      },
    ]);
  });

  it.each<[string, Given, string | undefined]>([
    ['known marketing', { classification: MARKETING }, 'settled'],
    ['known analytics', { classification: known('analytics') }, 'settled'],
    ['known preferences', { classification: known('preferences') }, 'arguable'],
    ['guessed marketing', { classification: known('marketing', { certainty: 'guess' }) }, 'arguable'],
    ['preferences by decision', { classification: known('preferences', { source: 'decision' }) }, 'settled'],
    ['necessary by decision', { classification: known('necessary', { source: 'decision' }) }, undefined],
    [
      'necessary by configuration',
      { classification: known('necessary', { source: 'configuration' }) },
      undefined,
    ],
    ['proposed as necessary', { classification: { ...UNKNOWN, proposed: ['necessary'] } }, 'open'],
    ['an unknown session cookie', { classification: UNKNOWN, lifetimeSeconds: null }, 'open'],
    ['an unknown cookie of the site', { classification: UNKNOWN }, 'open'],
    ['an unknown cookie of another site', { classification: UNKNOWN, thirdParty: true }, 'arguable'],
    [
      'an unknown session cookie of another site',
      { classification: UNKNOWN, thirdParty: true, lifetimeSeconds: null },
      'open',
    ],
    [
      'a request of an unknown service',
      { kind: 'request', classification: UNKNOWN, thirdParty: true },
      undefined,
    ],
    ['a marketing pixel', { kind: 'request', types: ['script', 'image'] }, 'settled'],
    ['a marketing script', { kind: 'request', types: ['script'] }, 'arguable'],
  ])('%s', (_, given, certainty) => {
    expect(of(given)['before_consent']).toBe(certainty);
  });

  it('is never the storage of our loader', () => {
    const own = [
      item({
        name: 'serviceMeta:*:choice',
        kind: 'local_storage',
        classification: UNKNOWN,
        states: [...SCAN_STATES],
      }),
      item({ name: 'service-consent', classification: UNKNOWN, states: [...SCAN_STATES] }),
    ];
    expect(findings({ items: own, published: configuration({ services: [] }) })).toEqual([]);
  });

  it('is arguable before the choice where the banner does not ask first', () => {
    const optOut = configuration({ defaultMode: 'opt_out' });
    expect(certainties({ items: [item({ states: ['before', 'reject'] })], published: optOut })).toEqual({
      ...{ before_consent: 'arguable', after_refusal: 'settled' },
    });
    const regions = configuration({
      defaultMode: 'opt_out',
      regionRules: [{ regions: ['EU'], mode: 'opt_in', modes: allModes('opt_in') }],
    });
    expect(certainties({ items: [item()], published: regions })).toEqual({ before_consent: 'settled' });
  });
});

describe('Global Privacy Control', () => {
  it.each([
    [MARKETING, 'settled'],
    [known('marketing', { certainty: 'guess' }), 'arguable'],
    [known('analytics'), 'arguable'],
    [known('preferences'), undefined],
    [UNKNOWN, undefined],
  ])('is about sale and sharing: %j', (classification, certainty) => {
    expect(of({ classification, states: ['signal'] })['ignores_gpc']).toBe(certainty);
  });
});

describe('the declaration', () => {
  const only = (given: Given, published = configuration()): Record<string, string> =>
    certainties({ items: [item({ states: ['accept'], ...given })], published });

  it('lacks a cookie that no service lists', () => {
    expect(only({})).toEqual({});
    expect(only({ name: '_fbc' })).toEqual({ undeclared: 'settled', declared_not_seen: 'open' });
    expect(only({ name: 'sid', classification: UNKNOWN })).toMatchObject({ undeclared: 'open' });
    expect(only({ name: 'sid', classification: known('necessary') })).not.toHaveProperty('undeclared');
    expect(only({ name: '/tr', kind: 'request' })).not.toHaveProperty('undeclared');
  });

  it('is open where our banner is off, since another one may declare it', () => {
    const published = configuration({ banner: DEFAULT_CONFIGURATION.banner });
    expect(only({ name: '_fbc' }, published)).toMatchObject({ undeclared: 'open' });
  });

  it('lists a cookie that nothing set, which only an acceptance can show', () => {
    expect(certainties({})).toEqual({ declared_not_seen: 'open' });
    expect(certainties({ states: tested('before', 'reject') })).toEqual({});
    expect(certainties({ items: [item({ states: ['accept'] })] })).toEqual({});
  });

  it('is shorter than what the cookie lasts', () => {
    expect(only({ lifetimeSeconds: 94 * DAY })).toEqual({});
    expect(only({ lifetimeSeconds: 95 * DAY })).toEqual({ longer_than_declared: 'settled' });
    const [found] = findings({ items: [item({ states: ['accept'], lifetimeSeconds: 95 * DAY })] });
    expect(found).toMatchObject({ lifetimeSeconds: 95 * DAY, declared: '90 days' });
    expect(only({ lifetimeSeconds: null })).toEqual({});
    expect(only({}, configuration({}, [cookie('_fbp', 'session')]))).toEqual({
      longer_than_declared: 'settled',
    });
    expect(only({}, configuration({}, [cookie('_fbp', 'as long as needed')]))).toEqual({});
  });
});

describe('the banner', () => {
  const missing = tested('before').map((state) => ({ ...state, reason: 'no_banner' as const }));
  const published = configuration({ services: [] });

  it('is missing where ours is on and none was found', () => {
    expect(certainties({ states: missing, published })).toEqual({ banner_missing: 'settled' });
    expect(certainties({ states: tested('before'), published })).toEqual({});
    expect(certainties({ states: missing, published: { ...published, defaultMode: 'notice' } })).toEqual({});
  });

  it('is arguably missing where none is there and something needs one', () => {
    const off = { ...published, banner: DEFAULT_CONFIGURATION.banner };
    expect(certainties({ states: missing, published: off })).toEqual({});
    expect(certainties({ states: missing, published: off, items: [item()] })).toMatchObject({
      banner_missing: 'arguable',
    });
    expect(
      certainties({ states: missing, published: off, items: [item({ classification: UNKNOWN })] }),
    ).not.toHaveProperty('banner_missing');
  });
});

describe('the loader', () => {
  const page = (number: number, loaderFound: boolean, host = 'shop.example') => ({
    number,
    host,
    loaderFound,
  });
  const published = configuration({ services: [] });

  it('is missing on pages of each host, if others have it', () => {
    const pages = [page(1, true), page(2, false), page(3, false), page(4, false, 'blog.shop.example')];
    const found = findings({ pages, published });
    expect(
      found.map(({ kind, certainty, host, pages: numbers }) => [kind, certainty, host, numbers]),
    ).toEqual([
      ['loader_missing', 'settled', 'shop.example', [2, 3]],
      ['loader_missing', 'settled', 'blog.shop.example', [4]],
    ]);
    expect(findings({ pages: [page(1, true)], published })).toEqual([]);
  });

  it('may be loaded in another way where no page has it', () => {
    expect(certainties({ pages: [page(1, false)], published })).toEqual({ loader_missing: 'open' });
  });
});

describe('fingerprinting', () => {
  const canvas = (given: Given, states = tested(...SCAN_STATES)): Record<string, string> =>
    certainties({
      items: [item({ kind: 'fingerprint', name: 'canvas', ...given })],
      published: configuration({ services: [] }),
      states,
    });

  it('is arguable by a known tracker and open by others, in any state without consent', () => {
    expect(canvas({ states: ['accept', 'reject'] })).toEqual({ fingerprinting: 'arguable' });
    expect(canvas({ classification: UNKNOWN })).toEqual({ fingerprinting: 'open' });
    expect(canvas({ classification: known('necessary') })).toEqual({});
    expect(canvas({ states: ['accept'] })).toEqual({});
    expect(canvas({ states: ['reject'] }, tested('before'))).toEqual({});
  });
});

it('keeps the most certain findings, and the same id in each scan', () => {
  const many = Array.from({ length: FINDINGS_PER_SCAN_MAX }, (_, n) =>
    item({ name: `n${n}`, classification: UNKNOWN }),
  );
  const found = findings({ items: [...many, item()], published: configuration({ services: [] }) });
  expect(found).toHaveLength(FINDINGS_PER_SCAN_MAX);
  expect(found[0]).toMatchObject({ name: '_fbp', certainty: 'settled' });
  const ids = found.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(findings({ items: [item({ states: ['before'] })] })[0]?.id).toBe(
    findings({ items: [item({ initiators: ['x/y'], lifetimeSeconds: null })] })[0]?.id,
  );
});

describe('an earlier finding', () => {
  const visited = new Map<ScanState, Set<string>>([
    ['before', new Set(['https://shop.example/', 'https://shop.example/cart'])],
    ['accept', new Set(['https://shop.example/'])],
  ]);
  it.each<[Parameters<typeof isTestedBy>[0], boolean]>([
    [{ kind: 'before_consent', state: 'before', pageUrls: ['https://shop.example/cart'] }, true],
    [{ kind: 'before_consent', state: 'before', pageUrls: ['https://shop.example/gone'] }, false],
    [{ kind: 'undeclared', state: 'accept', pageUrls: ['https://shop.example/cart'] }, false],
    [{ kind: 'after_refusal', state: 'reject', pageUrls: ['https://shop.example/'] }, false],
    [{ kind: 'declared_not_seen', state: 'accept', pageUrls: [] }, true],
    [{ kind: 'banner_missing', state: 'before', pageUrls: ['https://shop.example/gone'] }, true],
  ])('%j is tested by a scan of its state and page: %s', (finding, expected) => {
    expect(isTestedBy(finding, visited)).toBe(expected);
  });
  it('of a missing banner is not tested without a choice', () => {
    const before = new Map([...visited].filter(([state]) => state === 'before'));
    expect(isTestedBy({ kind: 'banner_missing', state: 'before', pageUrls: [] }, before)).toBe(false);
  });
});
