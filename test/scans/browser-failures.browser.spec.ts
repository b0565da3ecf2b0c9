import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Json } from '../support/people/json.js';
import { childPids, childrenOf, isRunning, killPostgres } from '../support/programs/processes.js';
import { type ScanService, startScanService } from '../support/programs/scan-service.js';
import { until } from '../support/until.js';

const SKIP = { skipStates: ['reject', 'accept', 'signal'] };
/** `SCAN_KILL_ROUNDS=50` for the figure in docs/scans.md. */
const ROUNDS = Number(process.env['SCAN_KILL_ROUNDS'] ?? 3);
const SEED = Number(process.env['SCAN_KILL_SEED'] ?? 7);
/** Stops during a scan, spread over its time. */
const STOPS = 6;
/** A scan of three pages and one state takes about this long. */
const SCAN_MS = 9_000;
/** A project may request 20 scans a day. */
const SCANS_PER_SERVICE = 15;
const VICTIMS = ['scanner', 'chromium', 'postgres'] as const;

let site: Server;
let service: ScanService;
let visits: Map<string, number>;

beforeAll(async () => {
  site = createServer((request, response) => {
    const path = request.url ?? '';
    visits.set(path, (visits.get(path) ?? 0) + 1);
    response.statusCode = path === '/robots.txt' || path === '/sitemap.xml' ? 404 : 200;
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html>${service.loaderTag}${path === '/greedy' ? GREEDY : ''}`);
  });
  await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
  await startService();
});
afterAll(async () => {
  await service?.stop();
  site?.closeAllConnections();
  site?.close();
});
beforeEach(() => {
  visits = new Map();
});

async function startService(): Promise<void> {
  service = await startScanService({
    // The whole browser.
    SCANNER_CHROMIUM: '',
    SCANNER_ALLOWED_PRIVATE_TARGETS: new URL(at('/')).host,
    SCANNER_HOST_SCANS_PER_DAY: '1000',
    SCANNER_MEMORY_MB: '700',
    SCANNER_STATE_PAGES: '1',
    SCANNER_DWELL_SECONDS: '3',
  });
}

/** Two gigabytes that are written to, before the page has loaded. */
const GREEDY =
  '<script>const kept = []; for (let n = 1; n <= 40; n++) kept.push(new Uint8Array(5e7).fill(n));</script>';

const at = (path: string): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`;

const pagesOf = (scan: Json): unknown[] =>
  (scan['pageList'] as Json[]).map(({ status, reason }) => (reason as Json | null)?.['code'] ?? status);

/** The scanner's Chromium; null: none is open. */
function chromiumPid(): number | null {
  const scanner = findScanner();
  const children = scanner === null ? [] : childPids(scanner);
  return (
    children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--user-data-dir')) ?? null
  );
}

/** E.g. `/autogroup-123 nice 10`. */
const autogroupOf = (pid: number): string => readFileSync(`/proc/${pid}/autogroup`, 'utf8').trim();

/** null: none is running; the service starts it for a scan. */
const findScanner = (): number | null => childrenOf(service.pid).get('scanner-program.js') ?? null;

function scannerPid(): number {
  const pid = findScanner();
  // A signal to process 0 would reach this test.
  if (pid === null) throw new Error('no scanner is running');
  return pid;
}

/** Returns the killed process; between two pages, there may be no Chromium. */
async function kill(victim: (typeof VICTIMS)[number]): Promise<string> {
  if (victim === 'postgres') {
    await killPostgres(service.dataDir);
    return victim;
  }
  const chromium = victim === 'chromium' ? chromiumPid() : null;
  process.kill(chromium ?? scannerPid(), 'SIGKILL');
  return chromium === null ? 'scanner' : 'chromium';
}

/** Numbers from 0 to 1 that depend only on the seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

it('replaces a browser that uses too much memory, and continues', async () => {
  const scan = await service.scan({ ...SKIP, urls: ['/one', '/greedy', '/three'].map(at) });
  expect(scan).toMatchObject({ status: 'partial', reason: { code: 'pages_failed' } });
  expect(pagesOf(scan)).toEqual(['visited', 'memory_limit', 'visited']);
  expect(visits.get('/greedy')).toBe(1);
});

it('starts the browser without the features that Playwright disables, and without multicast', async () => {
  const id = await service.request({ ...SKIP, urls: [at('/one')] });
  const features = await until('the browser runs', () => {
    const pid = chromiumPid();
    if (pid === null) return null;
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      .split('\0')
      .filter((argument) => argument.startsWith('--disable-features='))
      .map((argument) => argument.slice(argument.indexOf('=') + 1).split(','));
  });
  const [playwrights = [], ours = []] = features;
  expect(features).toHaveLength(2);
  expect(ours).toEqual(expect.arrayContaining([...playwrights, 'WebRtcHideLocalIpsWithMdns']));
  expect(await service.ended(id)).toMatchObject({ status: 'completed' });
});

const autogroups = existsSync('/proc/self/autogroup');
const inAutogroups = autogroups ? it : it.skip;

inAutogroups(
  `lowers the priority of the browser's session${autogroups ? '' : ' (skipped: this kernel has no autogroups)'}`,
  async () => {
    const scanners = autogroupOf(scannerPid());
    const id = await service.request({ ...SKIP, urls: [at('/one')] });
    await until('the browser yields', () => {
      const pid = chromiumPid();
      return pid !== null && autogroupOf(pid).endsWith(' nice 5');
    });
    // The scanner's session, which the service shares, keeps its priority.
    expect(autogroupOf(scannerPid())).toBe(scanners);
    expect(await service.ended(id)).toMatchObject({ status: 'completed' });
  },
);

it(
  'loses nothing and visits no page more than twice when scanner, Chromium or PostgreSQL is killed',
  async () => {
    const random = seeded(SEED);
    const log: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      visits = new Map();
      if (round % SCANS_PER_SERVICE === SCANS_PER_SERVICE - 1) {
        await service.stop();
        await startService();
      }
      const victim = VICTIMS[round % VICTIMS.length] ?? 'scanner';
      const delayMs = Math.round(random() * SCAN_MS);
      const id = await service.request({ ...SKIP, urls: ['/1', '/2', '/3'].map(at) });
      await sleep(delayMs);
      const killed = await kill(victim);
      const scan = await service.ended(id);
      const counts = ['/1', '/2', '/3'].map((path) => visits.get(path) ?? 0);
      log.push(`round ${round}: ${killed} after ${delayMs} ms, visits ${counts.join(' ')}`);
      const note = log.at(-1);
      expect({ note, status: scan['status'], pages: pagesOf(scan) }).toEqual({
        note,
        status: 'completed',
        pages: ['visited', 'visited', 'visited'],
      });
      // The state before a choice visits the first page again, at most twice.
      expect({ note, most: counts.map((count, page) => count <= (page === 0 ? 4 : 2)) }).toEqual({
        note,
        most: [true, true, true],
      });
      const state = (scan['states'] as Json[]).find((each) => each['state'] === 'before');
      expect({ note, state: state?.['status'] }).toEqual({ note, state: 'tested' });
    }
    if (ROUNDS > VICTIMS.length) process.stdout.write(`${log.join('\n')}\n`);
  },
  120_000 * Math.max(1, ROUNDS),
);

it('stops at any moment of a scan, with its browser', async () => {
  const random = seeded(SEED);
  for (let round = 0; round < STOPS; round++) {
    const delayMs = Math.round((round + random()) * (SCAN_MS / STOPS));
    await service.request({ ...SKIP, urls: ['/1', '/2', '/3'].map(at) });
    await sleep(delayMs);
    const pids = [findScanner(), chromiumPid()].filter((pid) => pid !== null);
    const exit = await service.stop();
    const note = `${delayMs} ms after the request`;
    expect({ note, exit, running: pids.filter((pid) => isRunning(pid)) }).toEqual({
      note,
      exit: { code: 0, signal: null },
      running: [],
    });
    await startService();
  }
});
