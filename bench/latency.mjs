// Latency: from the 201 to the receipt on an idle service, and from the time a request was due to the receipt at a fixed
// rate, with the processor time of a delivery and the pauses of API and worker.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { startReceivers } from './support/receivers.mjs';
import { cpuSeconds, cpuSecondsOfTree, postgresPid } from './support/processes.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { scaledCount, scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const CONSENTS = scaledCount(80, 10);
const WARM_UP_CONSENTS = scaledCount(40, 5);
const PAUSE_MS = 50;
const ROUNDS = scaledRounds(5);
const ARRIVAL_DEADLINE_MS = 5_000;

/**
 * Open loop. The targets are in milliseconds; the processor time is that of API, worker and PostgreSQL per delivery, and
 * must not rise above what it was on 2026-11-23.
 * @typedef {{ ratePerSecond: number, p50AtMost?: number, p99AtMost?: number, processorAtMost: number,
 *             pauseAtMost?: number }} Rate
 */
/** @type {Rate[]} */
const RATES = [
  { ratePerSecond: scaledRate(200), p50AtMost: 10, p99AtMost: 25, processorAtMost: 3.9, pauseAtMost: 10 },
  { ratePerSecond: scaledRate(500), processorAtMost: 1.9 },
];
const PROGRAMS = /** @type {const} */ (['api', 'worker']);
const RATE_PROJECTS = 20;
const RATE_ROUNDS = scaledRounds(2);
/** Two of the background steps that run every 30 s. */
const RATE_SECONDS = scaledSeconds(65, 2);
const RATE_WARM_UP_SECONDS = scaledSeconds(5);
const RATE_ARRIVAL_DEADLINE_MS = 20_000;
const PAUSES = join(import.meta.dirname, 'support', 'pauses.mjs');
const PAUSES_DEADLINE_MS = 2_000;

export const deadlineMs = 600_000;
export const title =
  'Latency: from the 201 to the receipt, and from the due time of a request at a fixed rate';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, receivers] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const [receiver] = receivers;
  const pausesIn = join(scope.folder, 'pauses');
  mkdirSync(pausesIn);
  const environment = { NODE_OPTIONS: `--import=${PAUSES}`, BENCH_PAUSES: pausesIn };
  // One after the other: the first start makes the tables.
  const api = await startService(scope, database, { environment });
  const worker = await startService(scope, database, { program: 'worker', receivers, environment });
  const load = await startHelper(scope, 'load');
  const [project] = await database.makeProjects(1, receiver.url('/now'));
  const post = (/** @type {number} */ count) =>
    load.call('oneByOne', { baseUrl: api.baseUrl, projectId: project.id, count, pauseMs: PAUSE_MS });

  await post(WARM_UP_CONSENTS);
  /** @type {number[][]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    await receiver.call('reset');
    rounds.push(await commitToReceiptMs(receiver, await post(CONSENTS)));
  }
  const owners = await database.makeProjects(RATE_PROJECTS, receiver.url('/now'));
  const processes = { api: api.pid, worker: worker.pid, postgres: postgresPid(scope.folder) };
  const rates = [];
  for (const target of RATES) {
    const turns = [];
    for (let round = 0; round < RATE_ROUNDS; round++)
      turns.push(
        await atRate({
          ratePerSecond: target.ratePerSecond,
          owners,
          api,
          load,
          receiver,
          processes,
          pausesIn,
        }),
      );
    rates.push({ ...target, turns });
  }
  const of = (/** @type {number} */ percent) => ({
    what: `commit to receipt, idle, ${percent === 100 ? 'highest' : `p${percent}`}`,
    ours: rounds.map((round) => percentile(round, percent)),
    digits: 1,
    unit: ' ms',
  });
  return {
    database: await database.facts(),
    rows: [
      row({ ...of(50), target: { atMost: 10 } }),
      row({ ...of(99), target: { atMost: 20 } }),
      row(of(100)),
      ...rates.flatMap(rowsOfRate),
    ],
    raw: { consents: CONSENTS, pauseMs: PAUSE_MS, rounds, rates },
  };
}

/** @param {Rate & { turns: Awaited<ReturnType<typeof atRate>>[] }} rate */
function rowsOfRate({ ratePerSecond, p50AtMost, p99AtMost, processorAtMost, pauseAtMost, turns }) {
  const ms = { digits: 1, unit: ' ms' };
  return [
    ...[
      { percent: 50, target: atMost(p50AtMost) },
      { percent: 99, target: atMost(p99AtMost) },
      { percent: 100, target: {} },
    ].map(({ percent, target }) =>
      row({
        what: `due to receipt at ${ratePerSecond}/s, ${percent === 100 ? 'highest' : `p${percent}`}`,
        ours: turns.map(({ waits }) => percentile(waits, percent)),
        target,
        ...ms,
      }),
    ),
    row({
      what: `processor time of a delivery at ${ratePerSecond}/s: API, worker and PostgreSQL`,
      ours: turns.map(({ processorMs }) => processorMs.api + processorMs.worker + processorMs.postgres),
      target: { atMost: processorAtMost },
      digits: 2,
      unit: ' ms',
    }),
    ...PROGRAMS.flatMap((program) => [
      row({
        what: `longest garbage collection of the ${program} at ${ratePerSecond}/s, new objects`,
        ours: turns.map(({ pauses }) => Math.max(0, ...pauses[program].minorMs)),
        target: atMost(pauseAtMost),
        ...ms,
      }),
      row({
        what: 'the same, all objects',
        ours: turns.map(({ pauses }) => Math.max(0, ...pauses[program].majorMs)),
        target: atMost(pauseAtMost),
        ...ms,
      }),
      row({
        what: `longest delay of the event loop of the ${program} at ${ratePerSecond}/s`,
        ours: turns.map(({ pauses }) => pauses[program].loopMs),
        target: atMost(pauseAtMost),
        ...ms,
      }),
    ]),
  ];
}

/** @param {number | undefined} value */
function atMost(value) {
  return value === undefined ? {} : { atMost: value };
}

/**
 * Sends at a fixed rate, spread over the owners.
 * @param {{ ratePerSecond: number, owners: import('./support/database.mjs').BenchProject[], api: { baseUrl: string },
 *           load: import('./support/helper.mjs').Helper, receiver: import('./support/receivers.mjs').Receiver,
 *           processes: { api: number, worker: number, postgres: number }, pausesIn: string }} parts
 */
async function atRate({ ratePerSecond, owners, api, load, receiver, processes, pausesIn }) {
  await receiver.call('reset');
  await pausesSince(pausesIn, processes);
  const before = processorOf(processes);
  const { answered, wrong } = await load.call('openLoop', {
    baseUrl: api.baseUrl,
    projectIds: owners.map(({ id }) => id),
    ratePerSecond,
    seconds: RATE_SECONDS,
    warmUpSeconds: RATE_WARM_UP_SECONDS,
  });
  const after = processorOf(processes);
  const pauses = await pausesSince(pausesIn, processes);
  if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
  /** @type {Map<string, bigint>} */
  const dueAt = new Map([...answered].map(([id, one]) => [id, one.dueAt]));
  const waits = await commitToReceiptMs(receiver, dueAt, RATE_ARRIVAL_DEADLINE_MS);
  const sent = ratePerSecond * (RATE_SECONDS + RATE_WARM_UP_SECONDS);
  const of = (/** @type {keyof typeof processes} */ name) => ((after[name] - before[name]) * 1_000) / sent;
  return { waits, pauses, processorMs: { api: of('api'), worker: of('worker'), postgres: of('postgres') } };
}

/**
 * Pauses of both programs since the last call, in ms: each garbage collection, and the longest delay of the loop.
 * @param {string} folder where `pauses.mjs` writes
 * @param {{ api: number, worker: number }} processes
 */
async function pausesSince(folder, processes) {
  const of = async (/** @type {number} */ pid) => {
    const file = join(folder, `${pid}.json`);
    rmSync(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    const deadlineMs = performance.now() + PAUSES_DEADLINE_MS;
    while (!existsSync(file)) {
      if (performance.now() > deadlineMs) throw new Error(`process ${pid} did not report its pauses`);
      await sleep(10);
    }
    return /** @type {{ minorMs: number[], majorMs: number[], loopMs: number }} */ (
      JSON.parse(readFileSync(file, 'utf8'))
    );
  };
  return { api: await of(processes.api), worker: await of(processes.worker) };
}

/** Processor seconds used so far. @param {{ api: number, worker: number, postgres: number }} processes */
function processorOf({ api, worker, postgres }) {
  return { api: cpuSeconds(api), worker: cpuSeconds(worker), postgres: cpuSecondsOfTree(postgres) };
}

/**
 * Milliseconds from an instant of each record, such as its 201, to its receipt; below zero where the receipt came
 * before the caller had its answer. Throws where a record does not arrive.
 * @param {import('./support/receivers.mjs').Receiver} receiver
 * @param {Map<string, bigint>} answered the instants by id, in nanoseconds
 * @param {number} [deadlineAfterMs]
 */
export async function commitToReceiptMs(receiver, answered, deadlineAfterMs = ARRIVAL_DEADLINE_MS) {
  const deadlineMs = performance.now() + deadlineAfterMs;
  for (;;) {
    /** @type {Map<string, bigint>} */
    const arrivals = await receiver.call('arrivals');
    const missing = [...answered.keys()].filter((id) => !arrivals.has(id));
    if (missing.length === 0) {
      return [...answered].map(([id, at]) => Number((arrivals.get(id) ?? 0n) - at) / 1e6);
    }
    if (performance.now() > deadlineMs) throw new Error(`${missing.length} records did not arrive`);
    await sleep(100);
  }
}
