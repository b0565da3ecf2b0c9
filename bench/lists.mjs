// Lists: how long the dashboard's pages of a project with a million records and as many deliveries take, read page after
// page and filtered, each answer under 200 ms.
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { scaledCount, scaledRounds } from './support/scale.mjs';

const RECORDS = scaledCount(1_000_000, 1000);
const ROUNDS = scaledRounds(3);
const REQUESTS_PER_ROUND = scaledCount(60, 10);
const PAGE_ROWS = 100;
/** As far back as `fillRecords` goes. */
const DAYS = 28;
const DAY_MS = 86_400_000;
const ANSWER_MS = 200;

export const deadlineMs = 600_000;
export const title = `Lists of ${RECORDS.toLocaleString('en')} records and as many deliveries, p99 of an answer`;

/** The requests; each one of a round continues where the previous one ended, as a person who scrolls does. */
const LISTS = /** @type {const} */ ([
  ['records', '/consents', ''],
  ['records, a filter that all match', '/consents', 'action=custom'],
  ['records, a filter that nothing matches', '/consents', 'action=nobody'],
  ['records, two days of three weeks ago', '/consents', `from=${daysAgo(21)}&to=${daysAgo(19)}`],
  ['records, delivered', '/consents', 'delivery=delivered'],
  ['records, failed (1 %)', '/consents', 'delivery=failed'],
  ['records, failed, three weeks ago', '/consents', `delivery=failed&to=${daysAgo(21)}`],
  ['records, never sent (none)', '/consents', 'delivery=unsent'],
  ['deliveries', '/forwarding/deliveries', ''],
  ['deliveries, failed (1 %)', '/forwarding/deliveries', 'status=failed'],
  ['deliveries, of a category (1 %)', '/forwarding/deliveries', 'category=http_5xx'],
  ['deliveries, of a category (none)', '/forwarding/deliveries', 'category=tls'],
]);

/** @param {number} days */
function daysAgo(days) {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const api = await startService(scope, database, { environment: { RUN_WORKER: 'false' } });
  const [project] = await database.makeProjects(1);
  if (!project) throw new Error('a project was asked for');
  const key = await database.makeApiKey(project.id);
  await database.fillRecords([project], RECORDS);
  await fillDeliveries(database);
  const ask = reader(`${api.baseUrl}/v1/projects/${project.id}`, key);
  const rows = [];
  /** @type {Record<string, number[]>} */
  const raw = {};
  for (const [what, path, query] of LISTS) {
    await ask(path, query, PAGE_ROWS / 10);
    const p99s = [];
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const answer = await ask(path, query, REQUESTS_PER_ROUND);
      p99s.push(percentile(answer.times, 99));
      found += answer.found;
    }
    raw[what] = p99s;
    rows.push(
      row({
        what: `${what}: ${found} found`,
        ours: p99s,
        unit: ' ms',
        digits: 1,
        target: { atMost: ANSWER_MS },
      }),
    );
  }
  return {
    database: await database.facts(),
    rows,
    raw: { records: RECORDS, requests: REQUESTS_PER_ROUND, ...raw },
  };
}

/**
 * One attempt for each record, one of a hundred of them failed, in the days' own partitions.
 * @param {import('./support/database.mjs').Database} database
 */
async function fillDeliveries({ client }) {
  for (let day = 0; day <= DAYS; day++)
    for (const parent of ['delivery_settled', 'delivery_failed'])
      await client.query('select partition_make($1, $2)', [parent, `${daysAgo(day).slice(0, 10)}T00:00:00Z`]);
  await client.query(
    `insert into delivery (project_id, id, outcome, consent_id, category, http_status, reason, duration_ms, attempted_at, host)
     select project_id, id, case when failed then 'failed' else 'delivered' end, id,
            case when failed then 'http_5xx' end, case when failed then 503 else 204 end,
            case when failed then 'The endpoint returned 503.' end, 20, received_at, 'consents.example.com'
     from (select *, row_number() over (order by id) % 100 = 0 as failed from consent_record) as record`,
  );
  await client.query('vacuum analyze delivery');
}

/**
 * Reads pages one after another, from the beginning again where the list ends.
 * @param {string} base
 * @param {string} key
 */
function reader(base, key) {
  const headers = { authorization: `Bearer ${key}` };
  return async (/** @type {string} */ path, /** @type {string} */ query, /** @type {number} */ requests) => {
    const times = [];
    let found = 0;
    /** @type {string | null} */
    let cursor = null;
    for (let request = 0; request < requests; request++) {
      const startedMs = performance.now();
      const from = cursor === null ? '' : `&cursor=${cursor}`;
      const response = await fetch(`${base}${path}?limit=${PAGE_ROWS}&${query}${from}`, { headers });
      const answer = await response.json();
      times.push(performance.now() - startedMs);
      if (response.status !== 200) throw new Error(`${path}?${query} answered ${response.status}`);
      found += answer.items.length;
      cursor = answer.nextCursor;
    }
    return { times, found };
  };
}
