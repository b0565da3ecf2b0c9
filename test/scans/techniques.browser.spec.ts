import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../support/people/json.js';
import { type ScanService, startScanService } from '../support/programs/scan-service.js';
import { until } from '../support/until.js';
import { CONSENT_TECHNIQUES, IGNORING, RETURNING } from './techniques/consent-sites.js';
import { type Farm, GROUPS, startFarm } from './techniques/test-sites.js';
import { MAIN } from './techniques/technique.js';
import { BOMB, CALENDAR, LOGIN, SITEMAP, TRAPS } from './techniques/traps.js';

const NO_CHOICES = { skipStates: ['reject', 'accept', 'signal'] };

let farm: Farm;
let service: ScanService;

beforeAll(async () => {
  farm = await startFarm();
  service = await startScanService({
    ...farm.environment,
    SCANNER_STATE_PAGES: '10',
    SCANNER_DWELL_SECONDS: '7',
    // A page of the techniques must not exceed it on a busy machine; four traps do, on purpose.
    SCANNER_PAGE_SECONDS: '20',
    SCANNER_PAGE_MB: '20',
  });
  farm.loaderTag = service.loaderTag;
  await service.call('PATCH', '', { domains: ['farm.example'] });
  await service.call('PUT', '/configuration', { banner: { enabled: true } });
});
afterAll(async () => {
  await service?.stop();
  await farm?.close();
});

const pagesOf = (scan: Json): Json[] => scan['pageList'] as Json[];
const outcomeOf = ({ reason, status }: Json): unknown => (reason as Json | null)?.['code'] ?? status;

describe('techniques', () => {
  let items: Json[];
  let scan: Json;

  beforeAll(async () => {
    scan = await service.scan({
      ...NO_CHOICES,
      urls: GROUPS.map(({ path }) => farm.https(MAIN, path)),
    });
    expect(scan).toMatchObject({ status: 'completed', reason: null });
    items = await service.items(scan);
  });

  const cases = GROUPS.flatMap(({ techniques }, index) =>
    techniques.map((technique) => ({ ...technique, page: index + 1 })),
  );
  it.each(cases)('$name', ({ page, truth, absent = [] }) => {
    const seen = items.filter((item) => item['page'] === page);
    for (const expected of truth(farm)) {
      const same = seen.filter(
        ({ kind, name, host }) => kind === expected.kind && name === expected.name && host === expected.host,
      );
      // On failure, the list of observations explains it.
      expect(
        same.length > 0
          ? []
          : seen.map(({ kind, name, host }) => `${String(kind)} ${String(host)} ${String(name)}`),
      ).toEqual([]);
      const details = expected.kind === 'cookie' ? { blocked: null, ...expected } : expected;
      expect(same).toContainEqual(expect.objectContaining(details));
    }
    for (const name of absent) expect(items.map((item) => item['name'])).not.toContain(name);
  });

  it('all belong to a host', () => {
    expect(items.filter(({ host }) => host === '')).toEqual([]);
  });

  it('send the scanner’s user agent with every request', () => {
    expect(farm.requests).toContain('GET ads.example /from-shared-worker');
    expect(farm.unnamed).toEqual([]);
  });

  it('are said to be set on the pages that set them, and sent or present on the others', async () => {
    const findings = await until('the scan is evaluated', async () => {
      const { items: found } = await service.call<{ items: Json[] }>(
        'GET',
        `/scans/${String(scan['id'])}/findings?limit=200`,
      );
      return found.length > 0 ? found : null;
    });
    const usesOf = (name: string): unknown[] => {
      const uses = findings.find((each) => each['kind'] === 'before_consent' && each['name'] === name)?.[
        'uses'
      ];
      return (uses as Json[]).map(({ url, setBy, sent }) => [
        new URL(String(url)).pathname,
        setBy ?? (sent === true ? 'sent' : 'present'),
      ]);
    };
    const paths = GROUPS.map(({ path }) => path);
    const after = (path: string, act: string): string[][] =>
      paths.slice(paths.indexOf(path) + 1).map((each) => [each, act]);
    expect(usesOf('from_script')).toEqual([['/cookies', 'script'], ...after('/cookies', 'sent')]);
    expect(usesOf('on_leave')).toEqual([['/left', 'script'], ...after('/left', 'sent')]);
    // All pages of a state are open together, so the first page has the entry of a later one, too.
    expect(usesOf('assigned_entry')).toEqual([
      ['/cookies', 'present'],
      ['/storages', 'script'],
      ...after('/storages', 'present'),
    ]);
  });
});

describe('consent', () => {
  let found: string[];
  let items: Json[];

  beforeAll(async () => {
    const scan = await service.scan({ urls: [farm.http(IGNORING)] });
    expect(scan).toMatchObject({ status: 'completed', reason: null });
    items = await service.items(scan);
    const findings = await until('the scan is evaluated', async () => {
      const page = await service.call<{ items: Json[] }>(
        'GET',
        `/scans/${String(scan['id'])}/findings?limit=100`,
      );
      return page.items.length > 0 ? page.items : null;
    });
    found = findings.map(({ kind, name }) => `${String(kind)} ${String(name)}`);
  });

  it.each(CONSENT_TECHNIQUES)('$name', ({ finding }) => {
    expect(found).toContain(finding);
  });

  it('finds what the click on a consent control sets, in that state', () => {
    const states = items.filter(({ name }) => name === '_fbp').map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['accept', 'withdraw']));
  });

  it('says that a banner asks again after it was refused', async () => {
    const scan = await service.scan({ skipStates: ['accept', 'signal'], urls: [farm.http(RETURNING)] });
    const reject = (scan['states'] as Json[]).find(({ state }) => state === 'reject');
    expect(reject).toMatchObject({
      status: 'tested',
      driver: 'heuristic',
      reason: { code: 'asked_again' },
    });
  });
});

describe('traps', () => {
  let scan: Json;

  beforeAll(async () => {
    scan = await service.scan({
      ...NO_CHOICES,
      urls: TRAPS.map(({ start: [host, path] }) => farm.https(host, path)),
    });
  });

  it('end the scan as partial, with a sentence', () => {
    expect(scan).toMatchObject({
      status: 'partial',
      reason: { code: 'pages_failed', message: 'Some pages could not be loaded.' },
    });
  });

  it.each(TRAPS)('$name', ({ start: [host, path], outcomes }) => {
    const page = pagesOf(scan).find(({ url }) => url === farm.https(host, path));
    expect(outcomes).toContain(page && outcomeOf(page));
  });

  const countOn = (host: string, outcome: string): number =>
    pagesOf(scan).filter((page) => String(page['url']).includes(`//${host}:`) && outcomeOf(page) === outcome)
      .length;

  it('take no more pages than their templates have', () => {
    expect(countOn(CALENDAR, 'visited')).toBe(4);
    expect(countOn(SITEMAP, 'visited')).toBe(4);
    expect(countOn(SITEMAP, 'same_template')).toBe(3);
    expect(countOn(BOMB, 'visited')).toBe(1);
  });

  it('get no form and no click', () => {
    expect(farm.requests.filter((request) => request.startsWith(`POST ${LOGIN}`))).toEqual([]);
    expect(scan['refused']).toMatchObject({ downloads: expect.any(Number), popups: expect.any(Number) });
    const { downloads, popups, dialogs } = scan['refused'] as Record<string, number>;
    expect([downloads, popups, dialogs].map((count) => (count ?? 0) > 0)).toEqual([true, true, true]);
  });
});
