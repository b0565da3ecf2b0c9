import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScanRetention } from '../../src/modules/scans/application/scan-retention.js';
import { SitePace } from '../../src/scanner/run/site-rules.js';
import { NO_ROBOTS } from '../../src/scanner/site/robots.js';
import {
  admitToHost,
  pauseAfterPage,
  readHostScans,
  takePage,
} from '../../src/modules/scans/infrastructure/host.rows.js';
import { newId } from '../../src/platform/identity/ids.js';
import { startTestService, type TestService } from '../support/programs/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const em = () => service.database.orm.em.fork();

/** The pace of a scan that knows no robots.txt. */
function onePageAMinute(signal = new AbortController().signal): SitePace {
  return new SitePace(
    service.database.orm.em,
    { knownRobots: () => NO_ROBOTS },
    { pagesPerMinute: 1, ignoreRobots: false, signal },
  );
}

const admit = (host: string, scanId: string, scansMax = 3) => admitToHost(em(), { host, scanId, scansMax });

it('admits as many scans of a host in 24 hours as it may have, each once', async () => {
  const ids = Array.from({ length: 4 }, () => newId());
  const admitted: boolean[] = [];
  for (const id of ids) admitted.push(await admit('a.example', id));
  expect(admitted).toEqual([true, true, true, false]);
  // A scan that another scanner resumes counts once.
  expect(await admit('a.example', ids[0] ?? '')).toBe(true);
  expect(await admit('b.example', ids[3] ?? '')).toBe(true);
  await service.database.query(
    "update scan_host_scan set at = at - interval '24 hours' where host = 'a.example' and scan_id = $1",
    [ids[0]],
  );
  expect(await admit('a.example', ids[3] ?? '')).toBe(true);
  expect((await readHostScans(em(), ['a.example']))[0]?.times).toHaveLength(3);
});

it('admits no more of many that ask at once', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => admit('many.example', newId())));
  expect(answers.filter(Boolean)).toHaveLength(3);
});

describe('pages of a host', () => {
  const PAUSE_MS = 60_000;
  const take = () => takePage(em(), 'pace.example', PAUSE_MS);
  /** Seconds until the next page of the host. */
  async function secondsLeft(host: string): Promise<number> {
    const [row] = await service.database.query<{ seconds: number }>(
      'select extract(epoch from next_page_at - clock_timestamp())::float8 as seconds from scan_host where host = $1',
      [host],
    );
    return row?.seconds ?? 0;
  }

  it('are taken by one of all scanners at a time', async () => {
    for (let page = 0; page < 2; page++) {
      const waits = await Promise.all(Array.from({ length: 5 }, take));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(1);
      for (const wait of waits.filter((each) => each !== 0)) {
        expect(wait).toBeGreaterThan(PAUSE_MS - 10_000);
        expect(wait).toBeLessThanOrEqual(PAUSE_MS);
      }
      // The pause is over.
      await service.database.query(
        "update scan_host set next_page_at = clock_timestamp() where host = 'pace.example'",
        [],
      );
    }
    expect(await takePage(em(), 'other.example', PAUSE_MS)).toBe(0);
  });

  it('wait from when one was answered, of hosts that redirects led to, too', async () => {
    const pace = onePageAMinute();
    await pace.wait('https://counted.example/');
    await service.database.query(
      "update scan_host set next_page_at = clock_timestamp() where host = 'counted.example'",
      [],
    );
    const answeredMs = performance.now() - 20_000;
    await pace.countVisit('https://counted.example/', new Map([['https://www.counted.example', answeredMs]]));
    // Without an answer, the pause begins with the end of the visit.
    expect(await secondsLeft('counted.example')).toBeGreaterThan(50);
    const left = await secondsLeft('www.counted.example');
    expect(left).toBeGreaterThan(30);
    expect(left).toBeLessThanOrEqual(40);
  });

  it('keep the longer of two pauses', async () => {
    await pauseAfterPage(em(), 'longer.example', 600_000);
    await pauseAfterPage(em(), 'longer.example', 1_000);
    expect(await secondsLeft('longer.example')).toBeGreaterThan(500);
  });

  it('stop waiting when the scan ends', async () => {
    const ending = new AbortController();
    const pace = onePageAMinute(ending.signal);
    await pace.wait('https://ending.example/');
    const waiting = pace.wait('https://ending.example/');
    ending.abort();
    await waiting;
  });
});

it('forgets hosts two days after their last scan', async () => {
  await admit('old.example', newId());
  await admit('new.example', newId());
  await service.database.query("update scan_host set next_page_at = now() - interval '3 days'", []);
  await service.database.query(
    "update scan_host_scan set at = now() - interval '3 days' where host = 'old.example'",
    [],
  );
  await service.app.get(ScanRetention).forget(new Date());
  const { rows } = await service.database.orm.em
    .fork()
    .execute<{ host: string }[]>("select host from scan_host where host in ('old.example', 'new.example')")
    .then((found) => ({ rows: found }));
  expect(rows).toEqual([{ host: 'new.example' }]);
});
