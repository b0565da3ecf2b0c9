// Cost: the processor time, write-ahead log and disk space of a million consents, forwarded and
// not, and of a bare route.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { cpuSeconds, cpuSecondsOfTree, postgresPid } from './support/processes.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const ROUNDS = scaledRounds(3);
/** As often as logs are sealed (EVIDENCE_SEAL_SECONDS), which costs as much for few records as for many. */
const SECONDS = scaledSeconds(30);
const WARM_UP_SECONDS = scaledSeconds(2);
const PROJECTS = 100;
const CONNECTIONS = 64;
const RATE_PER_SECOND = scaledRate(500);
const MILLION = 1_000_000;
const MEGABYTE = 1_000_000;
const DONE_DEADLINE_MS = 120_000;
const POLL_MS = 250;

/** @typedef {'apiCpu' | 'workerCpu' | 'postgresCpu' | 'walMb' | 'recordMb' | 'deliveryMb'} Cost */
const COSTS = /** @type {Record<Cost, { what: string, unit: string }>} */ ({
  apiCpu: { what: 'processor, API', unit: ' s' },
  workerCpu: { what: 'processor, worker', unit: ' s' },
  postgresCpu: { what: 'processor, PostgreSQL', unit: ' s' },
  walMb: { what: 'write-ahead log', unit: ' MB' },
  recordMb: { what: 'disk, records and their index', unit: ' MB' },
  deliveryMb: { what: 'disk, delivery log and its indexes', unit: ' MB' },
});

export const deadlineMs = 1_500_000;
export const title = 'Cost of 1 million consents, one API and one worker process';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, receivers] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const environment = { EVIDENCE_SEAL_SECONDS: String(Math.ceil(SECONDS)) };
  const api = await startService(scope, database, { environment });
  const worker = await startService(scope, database, { program: 'worker', receivers, environment });
  const load = await startHelper(scope, 'load');
  const bare = await startHelper(scope, 'bare-http');
  const { baseUrl: bareUrl } = await bare.call('listen');
  const measured = { database, api, worker, postgres: postgresPid(scope.folder) };
  const storing = (await database.makeProjects(PROJECTS)).map(({ id }) => id);
  const forwarding = (await database.makeProjects(PROJECTS, receivers[0].url('/now'))).map(({ id }) => id);
  const { baseUrl } = api;
  const full = (/** @type {string[]} */ projectIds, seconds = SECONDS, url = baseUrl) =>
    load
      .call('closedLoopOverProjects', { baseUrl: url, projectIds, connections: CONNECTIONS, seconds })
      .then(({ count }) => count);
  const even = (/** @type {string[]} */ projectIds, url = baseUrl) =>
    load
      .call('openLoop', {
        baseUrl: url,
        projectIds,
        ratePerSecond: RATE_PER_SECOND,
        seconds: SECONDS,
        warmUpSeconds: 0,
        track: false,
      })
      .then(({ sent, wrong }) => {
        if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
        return sent;
      });
  const loads = {
    'stored only, as many as come through': () => full(storing),
    [`stored only, ${RATE_PER_SECOND}/s`]: () => even(storing),
    'forwarded, as many as come through': () => full(forwarding),
    [`forwarded, ${RATE_PER_SECOND}/s`]: () => even(forwarding),
  };

  const bareLoads = {
    'as many as come through': () => full(storing, SECONDS, bareUrl),
    [`${RATE_PER_SECOND}/s`]: () => even(storing, bareUrl),
  };
  await full(storing, WARM_UP_SECONDS, bareUrl);
  await full(storing, WARM_UP_SECONDS);
  await full(forwarding, WARM_UP_SECONDS);
  await allDone(database);
  /** @type {Record<string, Record<Cost, number>[]>} */
  const rounds = Object.fromEntries(Object.keys(loads).map((name) => [name, []]));
  /** @type {Record<string, number[]>} */
  const bareRounds = Object.fromEntries(Object.keys(bareLoads).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, send] of Object.entries(loads)) {
      await receivers[0].call('reset');
      rounds[name].push(await costOf(measured, send));
    }
    for (const [name, send] of Object.entries(bareLoads)) {
      const before = cpuSeconds(bare.pid);
      const count = await send();
      bareRounds[name].push(((cpuSeconds(bare.pid) - before) / count) * MILLION);
    }
  }
  return {
    database: await database.facts(),
    rows: [
      ...Object.entries(rounds).flatMap(([name, costs]) =>
        /** @type {Cost[]} */ (Object.keys(COSTS)).map((cost) =>
          row({
            what: `${COSTS[cost].what}, ${name}`,
            ours: costs.map((one) => one[cost]),
            unit: COSTS[cost].unit,
          }),
        ),
      ),
      ...['stored only', 'forwarded'].map((kind) =>
        row({
          what: `processor in all, ${kind}, ${RATE_PER_SECOND}/s : as many as come through`,
          ours: processorOf(rounds[`${kind}, ${RATE_PER_SECOND}/s`]),
          baseline: processorOf(rounds[`${kind}, as many as come through`]),
          unit: ' s',
          target: { ratioAtMost: 2 },
        }),
      ),
      row({
        what: `processor, bare node:http route, ${RATE_PER_SECOND}/s : as many as come through`,
        ours: bareRounds[`${RATE_PER_SECOND}/s`],
        baseline: bareRounds['as many as come through'],
        unit: ' s',
      }),
    ],
    raw: { seconds: SECONDS, rounds, bareRounds },
  };
}

/**
 * The processor time of the three programs together, by round. @param {Record<Cost, number>[]}
 * costs
 */
function processorOf(costs) {
  return costs.map(({ apiCpu, workerCpu, postgresCpu }) => apiCpu + workerCpu + postgresCpu);
}

/**
 * What a load costs, until the last of it is delivered, sealed and counted, for each million consents.
 * @param {{ database: import('./support/database.mjs').Database, api: { pid: number }, worker: { pid: number },
 *           postgres: number }} measured
 * @param {() => Promise<number>} send
 */
async function costOf({ database, api, worker, postgres }, send) {
  const take = async () => {
    const { rows } = await database.client.query(`select pg_current_wal_lsn() - '0/0' as wal`);
    return {
      apiCpu: cpuSeconds(api.pid),
      workerCpu: cpuSeconds(worker.pid),
      postgresCpu: cpuSecondsOfTree(postgres),
      walMb: Number(rows[0].wal) / MEGABYTE,
      recordMb: (await database.bytesOf('consent_record')) / MEGABYTE,
      deliveryMb: (await database.bytesOf('delivery')) / MEGABYTE,
    };
  };
  const before = await take();
  const count = await send();
  await allDone(database);
  const after = await take();
  return /** @type {Record<Cost, number>} */ (
    Object.fromEntries(
      /** @type {Cost[]} */ (Object.keys(COSTS)).map((cost) => [
        cost,
        ((after[cost] - before[cost]) / count) * MILLION,
      ]),
    )
  );
}

/** @param {import('./support/database.mjs').Database} database */
async function allDone(database) {
  const instant = await database.now();
  const deadlineMs = performance.now() + DONE_DEADLINE_MS;
  while (!(await database.isAllDone(instant))) {
    if (performance.now() > deadlineMs) throw new Error(`not all done within ${DONE_DEADLINE_MS} ms`);
    await sleep(POLL_MS);
  }
}
