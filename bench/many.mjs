// Many machines on one: PostgreSQL + Redis with 2 API and 2 worker processes, against 1 and 1 with the queue in
// PostgreSQL. It says what changes; it has no target number.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { drain } from './support/drain.mjs';
import { startHelper } from './support/helper.mjs';
import { commitToReceiptMs } from './latency.mjs';
import { startReceivers } from './support/receivers.mjs';
import { startRedis } from './support/redis.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { scaledCount, scaledRounds, scaledSeconds } from './support/scale.mjs';

const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(3);
const CONNECTIONS = 64;
const PROJECTS = 100;
const MESSAGES = scaledCount(12_000, 256);
const CONSENTS = scaledCount(60, 5);
const PAUSE_MS = 50;

/** The compared setups. */
const SETUPS = /** @type {const} */ ({
  one: { processes: 1, redis: false },
  oneRedis: { processes: 1, redis: true },
  two: { processes: 2, redis: true },
});

export const deadlineMs = 420_000;
export const title = 'Redis and 2 API + 2 worker processes, against 1 + 1 with the queue in PostgreSQL';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, [receiver]] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const redisUrl = await startRedis(scope);
  const loads = [await startHelper(scope, 'load'), await startHelper(scope, 'load')];
  const names = /** @type {(keyof typeof SETUPS)[]} */ (Object.keys(SETUPS));
  /** @type {Record<string, { baseUrls: string[], database: import('./support/database.mjs').Database,
   *         storing: string, projects: import('./support/database.mjs').BenchProject[] }>} */
  const setups = {};
  for (const name of names) {
    setups[name] = await setUp({ scope, database, receiver, redisUrl, name });
  }

  const figures = Object.fromEntries(
    names.map((name) => [
      name,
      {
        ingest: /** @type {number[]} */ ([]),
        deliver: /** @type {number[]} */ ([]),
        p99Ms: /** @type {number[]} */ ([]),
      },
    ]),
  );
  for (let round = -1; round < ROUNDS; round++) {
    for (const name of names) {
      const setup = setups[name];
      const ingest = await shoot(loads, setup);
      const deliver = await drain({
        database: setup.database,
        receiver,
        projects: setup.projects,
        count: MESSAGES,
      });
      await receiver.call('reset');
      const answered = await loads[0].call('oneByOne', {
        baseUrl: setup.baseUrls[0],
        projectId: setup.projects[0].id,
        count: CONSENTS,
        pauseMs: PAUSE_MS,
      });
      const p99Ms = percentile(await commitToReceiptMs(receiver, answered), 99);
      // The first round warms up.
      if (round < 0) continue;
      figures[name].ingest.push(ingest);
      figures[name].deliver.push(deliver);
      figures[name].p99Ms.push(p99Ms);
    }
  }
  const labels = { oneRedis: '1 + 1 with Redis', two: '2 + 2 with Redis' };
  const rows = /** @type {const} */ (['oneRedis', 'two']).flatMap((name) => [
    row({
      what: `ingest/s, ${labels[name]} : 1 + 1 without`,
      ours: figures[name].ingest,
      baseline: figures.one.ingest,
    }),
    row({
      what: `deliveries/s, ${labels[name]} : 1 + 1 without`,
      ours: figures[name].deliver,
      baseline: figures.one.deliver,
    }),
    row({
      what: `commit to receipt p99, idle, ${labels[name]} : 1 + 1 without`,
      ours: figures[name].p99Ms,
      baseline: figures.one.p99Ms,
      digits: 1,
      unit: ' ms',
    }),
  ]);
  return {
    database: await database.facts(),
    rows,
    raw: { connections: CONNECTIONS, messages: MESSAGES, figures },
  };
}

/**
 * API and worker processes on a separate database.
 * @param {{ scope: import('./support/scope.mjs').Scope, database: import('./support/database.mjs').Database,
 *           receiver: import('./support/receivers.mjs').Receiver, redisUrl: string, name: keyof typeof SETUPS }} parts
 */
async function setUp({ scope, database, receiver, redisUrl, name }) {
  const { processes, redis } = SETUPS[name];
  const own = await database.another(`setup_${name.toLowerCase()}`);
  // Database 0 to 15 of the one Redis: the setups must not hear each other's bells.
  const environment = redis
    ? { REDIS_URL: `${redisUrl}/${Object.keys(SETUPS).indexOf(name)}` }
    : /** @type {Record<string, string>} */ ({});
  const baseUrls = [];
  for (let index = 0; index < processes; index++) {
    baseUrls.push((await startService(scope, own, { environment })).baseUrl);
    await startService(scope, own, { program: 'worker', receivers: [receiver], environment });
  }
  const [storing] = await own.makeProjects(1);
  const projects = await own.makeProjects(PROJECTS, receiver.url('/now'));
  return { baseUrls, database: own, storing: storing.id, projects };
}

/**
 * A load generator for each API, together as many callers.
 * @param {import('./support/helper.mjs').Helper[]} loads
 * @param {{ baseUrls: string[], storing: string }} setup
 */
async function shoot(loads, { baseUrls, storing }) {
  const shots = await Promise.all(
    baseUrls.map((baseUrl, index) =>
      loads[index].call('closedLoop', {
        baseUrl,
        projectId: storing,
        connections: CONNECTIONS / baseUrls.length,
        seconds: SECONDS,
      }),
    ),
  );
  await sleep(100);
  return shots.reduce((sum, { perSecond }) => sum + perSecond, 0);
}
