// Ingest beside `@c15t/backend` on the same PostgreSQL, near empty and with 1 million records present (design §7).
import { setTimeout as sleep } from 'node:timers/promises';
import { C15tDatabase } from './support/c15t-database.mjs';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledCount, scaledRounds, scaledSeconds } from './support/scale.mjs';

const RECORDS = scaledCount(1_000_000, 100);
const PRESENT = `${RECORDS.toLocaleString('en')} records present`;
const PROJECTS = 100;
const CONNECTIONS = 64;
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(2);
/** Without the index, 64 concurrent requests of a full @c15t/backend scan the table 64 times before the first response. */
const SECONDS_OF_SLOW = scaledSeconds(20, 2);
const QUIET_DEADLINE_MS = 180_000;
/** Between two queries of a request nothing is active; so often in a row it is none at all. */
const QUIET_LOOKS = 5;
const QUIET_LOOK_MS = 20;
/** Nothing listens there: no worker runs, so nothing is sent. */
const UNUSED_URL = 'https://127.0.0.1:9/unused';

export const deadlineMs = 900_000;
export const title = `Ingest beside @c15t/backend 2.2.1, near empty and with ${PRESENT}`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const empty = await startDatabase(scope);
  const full = await empty.another('service_full');
  const load = await startHelper(scope, 'load');
  const oursEmpty = await startOurs({ scope, load, database: empty, records: 0 });
  const oursFull = await startOurs({ scope, load, database: full, records: RECORDS });
  const c15tEmpty = await startC15t({ scope, load, empty, name: 'c15t_empty', records: 0 });
  const c15tFull = await startC15t({ scope, load, empty, name: 'c15t_full', records: RECORDS });
  const c15tIndexed = await startC15t({
    scope,
    load,
    empty,
    name: 'c15t_indexed',
    records: RECORDS,
    indexed: true,
  });
  const sides = { oursEmpty, oursFull, c15tEmpty, c15tFull, c15tIndexed };

  const names = /** @type {(keyof typeof sides)[]} */ (Object.keys(sides));
  /** @type {Record<keyof typeof sides, { perSecond: number, p50Ms: number, p99Ms: number }[]>} */
  const rounds = { oursEmpty: [], oursFull: [], c15tEmpty: [], c15tFull: [], c15tIndexed: [] };
  for (const name of names) await sides[name].shoot();
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      await sides[name].prepare();
      rounds[name].push(await sides[name].shoot());
    }
  }

  const rates = (/** @type {keyof typeof sides} */ name) => rounds[name].map(({ perSecond }) => perSecond);
  const p99 = (/** @type {keyof typeof sides} */ name) => rounds[name].map(({ p99Ms }) => p99Ms);
  const against = (/** @type {string} */ what, ours = 'oursEmpty', peer = 'c15tEmpty', target = {}) =>
    row({
      what,
      ours: rates(/** @type {keyof typeof sides} */ (ours)),
      baseline: rates(/** @type {keyof typeof sides} */ (peer)),
      target,
    });
  return {
    database: await empty.facts(),
    rows: [
      against('ingest/s : @c15t/backend, both near empty', 'oursEmpty', 'c15tEmpty', { ratioAtLeast: 15 }),
      against(
        rates('c15tFull').some((rate) => rate > 0)
          ? `ingest/s : @c15t/backend, ${PRESENT}`
          : `ingest/s : @c15t/backend, ${PRESENT}, which answered no request within ${SECONDS_OF_SLOW} s`,
        'oursFull',
        'c15tFull',
      ),
      against(`ingest/s : @c15t/backend with an index on subjectId, ${PRESENT}`, 'oursFull', 'c15tIndexed'),
      against(`ingest/s, ${PRESENT} : near empty`, 'oursFull', 'oursEmpty', { ratioAtLeast: 0.9 }),
      row({
        what: `p99, ${PRESENT} : @c15t/backend with an index`,
        ours: p99('oursFull'),
        baseline: p99('c15tIndexed'),
        digits: 1,
        unit: ' ms',
      }),
    ],
    raw: { connections: CONNECTIONS, seconds: SECONDS, records: RECORDS, rounds },
  };
}

/**
 * The service on its own database, one API process, forwarding on.
 * @param {{ scope: import('./support/scope.mjs').Scope, load: import('./support/helper.mjs').Helper,
 *           database: import('./support/database.mjs').Database, records: number }} parts
 */
async function startOurs({ scope, load, database, records }) {
  const { baseUrl } = await startService(scope, database);
  const [project, ...others] = await database.makeProjects(PROJECTS, UNUSED_URL);
  await database.fillRecords([project, ...others], records);
  await database.settle();
  return {
    prepare: async () => {
      await database.emptyOutbox();
      if (records === 0) await database.client.query('truncate consent_record');
    },
    shoot: () =>
      load.call('closedLoop', {
        baseUrl,
        projectId: project.id,
        connections: CONNECTIONS,
        seconds: SECONDS,
      }),
  };
}

/**
 * @param {{ scope: import('./support/scope.mjs').Scope, load: import('./support/helper.mjs').Helper, name: string,
 *           empty: import('./support/database.mjs').Database, records: number, indexed?: boolean }} parts
 */
async function startC15t({ scope, load, empty, name, records, indexed = false }) {
  const database = await empty.another(name);
  const helper = await startHelper(scope, 'c15t');
  const { baseUrl, path } = await helper.call('listen', { databaseUrl: database.url });
  const peer = new C15tDatabase(database.client);
  const seconds = records > 0 && !indexed ? SECONDS_OF_SLOW : SECONDS;
  const shoot = async () => {
    const shot = await load.call('closedLoopC15t', { baseUrl, path, connections: CONNECTIONS, seconds });
    await quiet(database);
    return shot;
  };
  // The rows made by hand are copies of one that it has stored itself.
  await shoot();
  await peer.fill(records);
  if (indexed) await peer.addIndex();
  await database.settle();
  return { prepare: () => (records === 0 ? peer.empty() : undefined), shoot };
}

/**
 * Waits until the queries of callers that have given up are done too, so that they are not the next side's.
 * @param {import('./support/database.mjs').Database} database
 */
async function quiet({ client }) {
  const deadlineMs = performance.now() + QUIET_DEADLINE_MS;
  for (let calm = 0; calm < QUIET_LOOKS;) {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
    );
    calm = rows.length === 0 ? calm + 1 : 0;
    if (performance.now() > deadlineMs) throw new Error('the peer does not come to rest');
    await sleep(QUIET_LOOK_MS);
  }
}
