import { describe, expect, it } from '@jest/globals';
import {
  type BlockingRule,
  DEFAULT_CONFIGURATION,
  type ServiceCookie,
  type SiteConfiguration,
} from '../../publishing/domain/configuration.js';
import { allModes, type CategoryModes } from '../../publishing/domain/consent-modes.js';
import type { Classification } from './classify-item.js';
import {
  type Finding,
  FINDINGS_PER_SCAN_MAX,
  type PageAddress,
  type ScanEvidence,
  type TestedState,
} from './finding.js';
import { findFindings, isLonger, isTestedBy, parseDuration } from './findings.js';
import { itemId } from './item-key.js';
import { SCAN_STATES, type ScanState, STATE_STATUSES } from './scan-state.js';
import type { ClassifiedItem, PageUse } from './seen-item.js';

const DAY = 86_400;
const UNKNOWN: Classification = {
  category: null,
  proposed: [],
  source: 'none',
  certainty: 'none',
  service: null,
  provider: null,
  purpose: null,
  duration: null,
  policyUrl: null,
};
const known = (
  category: Classification['category'],
  given: Partial<Classification> = {},
): Classification => ({
  ...UNKNOWN,
  category,
  source: 'cookie_database',
  certainty: 'known',
  ...given,
});
const MARKETING = known('marketing');

type Given = Partial<Omit<ClassifiedItem, 'sightings'>> & { states?: ScanState[] };
function item({ states = ['before'], ...given }: Given = {}): ClassifiedItem {
  const key = { kind: 'cookie', name: '_fbp', host: 'shop.example' } as const;
  return {
    ...key,
    id: itemId(key),
    thirdParty: false,
    initiators: [],
    types: [],
    lifetimeSeconds: 90 * DAY,
    classification: MARKETING,
    ...given,
    sightings: states.map((state) => ({
      state,
      pages: [
        { page: 2, setBy: 'script', sent: true, initiator: 'connect.facebook.net/fbevents.js' },
        { page: 3, setBy: null, sent: true, initiator: null },
      ],
    })),
  };
}

const tested = (...states: ScanState[]): TestedState[] =>
  SCAN_STATES.map((state) => ({
    state,
    reason: null,
    pages: [2],
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
    items: [],
    states: tested(...SCAN_STATES),
    published: configuration(),
    pages: [{ number: 2, host: 'shop.example', loaderFound: true }],
    addresses: [],
    ...given,
  });
}
const certainties = (given: Partial<ScanEvidence>): Record<string, string> =>
  Object.fromEntries(findings(given).map(({ kind, certainty }) => [kind, certainty]));
/** The findings for one item with a declared cookie. */
const of = (given: Given, states?: TestedState[]): Record<string, string> =>
  certainties({
    items: [item(given)],
    published: configuration({}, [cookie('*', 'unlimited')]),
    ...(states && { states }),
  });

describe('what needs consent', () => {
  it('is found in each state without consent, and not after acceptance', () => {
    expect(of({ states: [...SCAN_STATES] })).toEqual({
      before_consent: 'settled',
      after_refusal: 'settled',
      after_withdrawal: 'settled',
      ignores_gpc: 'settled',
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
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: 'before_consent',
        itemKind: 'cookie',
        name: '_fbp',
        host: 'shop.example',
        certainty: 'settled',
        state: 'before',
        seenIn: ['before'],
        pages: [2, 3],
        initiator: 'connect.facebook.net/fbevents.js',
        category: 'marketing',
        service: null,
        uses: [
          { page: 2, setBy: 'script', sent: true, initiator: 'connect.facebook.net/fbevents.js' },
          { page: 3, setBy: null, sent: true, initiator: null },
        ],
        lifetimeSeconds: null,
        declared: null,
      },
    ]);
  });

  it('keeps the pages that set it, then those that sent it, where there are too many', () => {
    const use = (page: number, given: Partial<PageUse> = {}): PageUse => ({
      page,
      setBy: null,
      sent: false,
      initiator: null,
      ...given,
    });
    const pages = [
      ...Array.from({ length: 60 }, (_, at) => use(at + 1)),
      use(61, { sent: true }),
      use(62, { setBy: 'script' }),
      use(63, { setBy: 'response', initiator: 'ads.example/c' }),
    ];
    const [found] = findings({ items: [{ ...item(), sightings: [{ state: 'before', pages }] }] });
    expect(found).toMatchObject({ initiator: 'ads.example/c' });
    expect(found?.uses).toHaveLength(50);
    expect(found?.pages).toEqual(found?.uses.map(({ page }) => page));
    expect(found?.pages.slice(-4)).toEqual([47, 61, 62, 63]);
  });

  it('names no cause of what is only sent or present', () => {
    const sent = { page: 2, setBy: null, sent: true, initiator: null };
    const [found] = findings({ items: [{ ...item(), sightings: [{ state: 'before', pages: [sent] }] }] });
    expect(found).toMatchObject({ initiator: null, uses: [sent] });
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
    const optOut = configuration({ defaultMode: 'opt_out', defaultModes: allModes('opt_out') });
    expect(certainties({ items: [item({ states: ['before', 'reject'] })], published: optOut })).toEqual({
      before_consent: 'arguable',
      after_refusal: 'settled',
    });
    const regions = configuration({
      defaultMode: 'opt_out',
      defaultModes: allModes('opt_out'),
      regionRules: [{ regions: ['EU'], mode: 'opt_in', modes: allModes('opt_in') }],
    });
    expect(certainties({ items: [item()], published: regions })).toEqual({ before_consent: 'settled' });
  });

  it('follows the mode of its own category', () => {
    const states: ScanState[] = ['before', 'reject', 'withdraw'];
    const analytics = item({ name: '_ga', states, classification: known('analytics') });
    const found = (modes: Partial<CategoryModes>): Record<string, string> =>
      certainties({
        items: [analytics],
        published: configuration(
          { defaultMode: 'opt_in', defaultModes: { ...allModes('opt_in'), ...modes } },
          [cookie('_ga')],
        ),
      });
    const refused = { after_refusal: 'settled', after_withdrawal: 'settled' };
    expect(found({})).toEqual({ before_consent: 'settled', ...refused });
    expect(found({ analytics: 'opt_out' })).toEqual({ before_consent: 'arguable', ...refused });
    expect(found({ analytics: 'notice' })).toEqual({ before_consent: 'arguable', ...refused });
    // Visitors cannot refuse it.
    expect(found({ analytics: 'none' })).toEqual({
      before_consent: 'arguable',
      after_refusal: 'arguable',
      after_withdrawal: 'arguable',
    });
    expect(found({ marketing: 'opt_out' })).toEqual({ before_consent: 'settled', ...refused });
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
    expect(
      certainties({ states: missing, published: { ...published, defaultModes: allModes('notice') } }),
    ).toEqual({});
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

describe('hosts of blocking rules', () => {
  const rules: BlockingRule[] = [
    { host: 'ads.example', path: '/captcha', category: 'necessary' },
    { host: 'ads.example', path: null, category: 'marketing' },
  ];
  const published = configuration({ services: [], blocking: { enabled: true, rules } });
  const seen = (page: number, address: string, sent = false): PageAddress => ({
    page,
    address,
    sent,
    setBy: null,
    initiator: sent ? 'shop.example/' : null,
  });
  const only = (addresses: PageAddress[], given: SiteConfiguration = published): Finding[] =>
    findings({ addresses, published: given });

  it('that pages request or name in their HTML are not blocked by the site', () => {
    const found = only([
      seen(3, 'cdn.ads.example:8443/tag.js', true),
      seen(2, 'ads.example/tag.js'),
      seen(3, 'ads.example/tag.js'),
    ]);
    expect(found).toEqual([
      expect.objectContaining({
        kind: 'not_blocked_by_site',
        itemKind: 'request',
        name: '',
        host: 'ads.example',
        certainty: 'settled',
        state: 'before',
        pages: [2, 3],
        category: 'marketing',
        uses: [
          { page: 2, setBy: null, sent: false, initiator: null },
          { page: 3, setBy: null, sent: true, initiator: 'shop.example/' },
        ],
      }),
    ]);
  });

  it('are arguable where no request was seen, or none of the regions asks first', () => {
    expect(only([seen(2, 'ads.example/')])).toMatchObject([{ certainty: 'arguable' }]);
    const notice = { ...published, defaultModes: allModes('notice') };
    expect(only([seen(2, 'ads.example/', true)], notice)).toMatchObject([{ certainty: 'arguable' }]);
  });

  it('without a rule, with a necessary one, or with blocking off are no finding', () => {
    expect(only([seen(2, 'other.example/', true), seen(2, 'ads.example/captcha.js', true)])).toEqual([]);
    const off = { ...published, blocking: { enabled: false, rules } };
    expect(only([seen(2, 'ads.example/', true)], off)).toEqual([]);
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

it.each([
  ['session', 0],
  ['Session', 0],
  ['Sitzung', 0],
  ['30 minutes', 1800],
  ['1 day', DAY],
  ['2 Tage', 2 * DAY],
  ['a week', 7 * DAY],
  ['13 months', 13 * 30.44 * DAY],
  ['1 Jahr', 365.25 * DAY],
  ['1.5 years', 1.5 * 365.25 * DAY],
  ['1,5 Jahre', 1.5 * 365.25 * DAY],
  ['until deleted', null],
  ['30 minutes after last activity', null],
  ['60 days till 3650 days', null],
  ['', null],
])('reads %s as %s s', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

describe('a lifetime', () => {
  it('is longer than declared beyond 5 percent and an hour', () => {
    expect(isLonger(10 * DAY * 1.05 + 3600, 10 * DAY)).toBe(false);
    expect(isLonger(10 * DAY * 1.05 + 3601, 10 * DAY)).toBe(true);
  });
  it('of a session is never longer, and of a day is longer than a session', () => {
    expect(isLonger(null, 0)).toBe(false);
    expect(isLonger(3600, 0)).toBe(false);
    expect(isLonger(3601, 0)).toBe(true);
  });
});
