// Export of a million records and analytics over ten million (design §7; analytics: a year under 200 ms).
import { request } from 'node:http';
import { startDatabase } from './support/database.mjs';
import { residentMb } from './support/processes.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledCount, scaledRounds } from './support/scale.mjs';

const EXPORTED = scaledCount(1_000_000, 1000);
const COUNTED = scaledCount(10_000_000, 10000);
const ROUNDS = scaledRounds(5);
const DAYS = 365;

export const title = `Export of ${EXPORTED.toLocaleString('en')} records; analytics of a year over ${COUNTED.toLocaleString('en')}`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const api = await startService(scope, database);
  const [project] = await database.makeProjects(1);
  await database.client.query(`update project set tier = 'business'`);
  const key = await database.makeApiKey(project.id);
  await fillRecords(database, project.id);
  await fillRollups(database, project.id);

  const base = `${api.baseUrl}/v1/projects/${project.id}`;
  const headers = { authorization: `Bearer ${key}` };
  /** @type {{ firstByteMs: number, rowsPerSecond: number, growthMb: number }[]} */
  const exports = [];
  /** @type {number[]} */
  const analyticsMs = [];
  await download(`${base}/consents/export?format=csv&to=2001-01-01`, headers, api.pid);
  for (let round = 0; round < ROUNDS; round++) {
    exports.push(await download(`${base}/consents/export?format=csv`, headers, api.pid));
    const startedMs = performance.now();
    const year = new Date(Date.now() - DAYS * 86_400_000).toISOString();
    const answer = await (await fetch(`${base}/analytics/consents?from=${year}`, { headers })).json();
    analyticsMs.push(performance.now() - startedMs);
    const expected = COUNTED + EXPORTED;
    if (answer.totals?.records !== expected)
      throw new Error(`counted ${answer.totals?.records}, not ${expected}`);
  }
  return {
    database: await database.facts(),
    rows: [
      row({
        what: `CSV of ${EXPORTED.toLocaleString('en')}, first byte`,
        ours: exports.map((one) => one.firstByteMs),
        unit: ' ms',
        target: { atMost: 500 },
      }),
      row({
        what: `CSV of ${EXPORTED.toLocaleString('en')}, rows/s`,
        ours: exports.map((one) => one.rowsPerSecond),
        target: { atLeast: 100_000 },
      }),
      row({
        what: `CSV of ${EXPORTED.toLocaleString('en')}, growth of resident memory`,
        ours: exports.map((one) => one.growthMb),
        unit: ' MB',
        target: { atMost: 100 },
      }),
      row({
        what: `analytics of a year by day, ${(COUNTED + EXPORTED).toLocaleString('en')} records`,
        ours: analyticsMs,
        unit: ' ms',
        target: { atMost: 200 },
      }),
    ],
    raw: { exported: EXPORTED, counted: COUNTED, exports, analyticsMs },
  };
}

/**
 * Records of the last days that a client exports; the newest are not in the rollups, as in real life.
 * @param {import('./support/database.mjs').Database} database
 * @param {string} projectId
 */
async function fillRecords(database, projectId) {
  await database.client.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, extra, received_at)
     select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
            n % 3 > 0, n % 4 = 0, n % 2 = 0, case when n % 3 = 0 then 'reject_all' else 'custom' end, 'www.example.com',
            '{"policyVersion":"2026-11"}', at
     from (select n, now() - make_interval(secs => ($2::int - n) * 0.1) as at from generate_series(1, $2::int) n) s`,
    [projectId, EXPORTED],
  );
  await database.client.query('vacuum analyze consent_record');
  await database.client.query(`update consent_rollup_state set done_until = now() - interval '1 minute'`);
  for (const interval of ['hour', 'day']) {
    await database.client.query(
      `insert into consent_rollup_${interval}
         (project_id, at, action, hostname, records, analytics, marketing, preferences, full_accept, rejection,
          withdrawal)
       select project_id, date_trunc('${interval}', received_at, 'UTC'), action, hostname, count(*),
              count(*) filter (where analytics), count(*) filter (where marketing), count(*) filter (where preferences), 0, 0, 0
       from consent_record, consent_rollup_state where received_at < done_until group by 1, 2, 3, 4`,
    );
  }
}

/**
 * What ten million records of a year leave in the rollups: 6 actions and 3 hostnames for every hour.
 * @param {import('./support/database.mjs').Database} database
 * @param {string} projectId
 * @param {number} [counted]
 */
export async function fillRollups(database, projectId, counted = COUNTED) {
  for (const [interval, step] of [
    ['hour', '1 hour'],
    ['day', '1 day'],
  ]) {
    await database.client.query(
      `insert into consent_rollup_${interval}
         (project_id, at, action, hostname, records, analytics, marketing, preferences, full_accept, rejection,
          withdrawal)
       select $1, at, 'action_' || a, 'h' || h || '.example.com', 0, 0, 0, 0, 0, 0, 0
       from generate_series(date_trunc('${interval}', now(), 'UTC') - interval '364 days', now(), $2::interval) at,
            generate_series(1, 6) a, generate_series(1, 3) h`,
      [projectId, step],
    );
    await database.client.query(
      `with numbered as (
         select at, action, hostname, row_number() over (order by at, action, hostname) as n, count(*) over () as total
         from consent_rollup_${interval} where action like 'action_%'
       )
       update consent_rollup_${interval} r
       set records = $1::bigint * n / total - $1::bigint * (n - 1) / total
       from numbered where r.at = numbered.at and r.action = numbered.action and r.hostname = numbered.hostname`,
      [counted],
    );
    await database.client.query(`vacuum analyze consent_rollup_${interval}`);
  }
}

/**
 * Downloads and counts lines; the memory is that of the service's process, looked at while it sends.
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {number} pid
 */
export async function download(url, headers, pid) {
  const before = residentMb(pid);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb(pid));
  }, 50);
  const startedMs = performance.now();
  let firstByteMs = 0;
  let lines = 0;
  await new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the export answered ${response.statusCode}`));
      response.on('data', (chunk) => {
        firstByteMs ||= performance.now() - startedMs;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
      });
      response.on('end', resolve);
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
  clearInterval(watch);
  const seconds = (performance.now() - startedMs) / 1000;
  return { firstByteMs, rowsPerSecond: (lines - 1) / seconds, growthMb: peak - before, lines };
}
