import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ScanRetention } from '../../src/scans/application/scan-retention.js';
import { admitToHost, readHostScans, reservePage } from '../../src/scans/infrastructure/host.rows.js';
import { newId } from '../../src/shared/ids.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const em = () => service.database.orm.em.fork();
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

it('spaces the pages of a host over all scanners', async () => {
  const waits = await Promise.all(Array.from({ length: 5 }, () => reservePage(em(), 'pace.example', 1_000)));
  for (const [at, wait] of waits.toSorted((a, b) => a - b).entries()) {
    // A statement that waited for the row counts from its beginning.
    expect(wait).toBeLessThanOrEqual(at * 1_000 + 500);
    expect(wait).toBeGreaterThanOrEqual(Math.max(0, at * 1_000 - 900));
  }
  expect(await reservePage(em(), 'other.example', 1_000)).toBe(0);
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
