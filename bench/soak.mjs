// Soak: memory of API and worker under an even load, `npm run bench -- soak --minutes 30`: the last minute against the
// fifth, and the heap of each isolate that the metrics show.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { residentMb } from './support/processes.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { minutesOf, scaledRate } from './support/scale.mjs';
import { startService } from './support/service.mjs';
import { median } from './support/statistics.mjs';

const MINUTES = 30;
const RATE_PER_SECOND = scaledRate(500);
const PROJECTS = 100;
const SAMPLES_PER_MINUTE = 12;
const SAMPLES_MIN = 24;
/** The load comes in blocks, so that the generator need not remember all of it. */
const BLOCK_SECONDS = 30;
/** After this part of the run (minute 5 of 30) caches are full and code is compiled. */
const SETTLED_PART = 1 / 6;
const MEBIBYTE = 1024 ** 2;
/** The heap in use of the main thread and of each other thread. */
const HEAP_USED = /^isolate_heap_bytes\{(?=.*kind="used").*isolate="(?<name>[^"]+)".*\} (?<bytes>\S+)$/gm;
const GROWTH_MAX = 1.1;
const RESIDENT_MB_MAX = { api: 260, worker: 320 };
const OTHERS_MS = 60_000;

/** @param {{ minutes?: string }} options */
export const deadlineMs = (options) => minutesOf(options, MINUTES) * 60_000 + 2 * OTHERS_MS;
export const title = `Soak at ${RATE_PER_SECOND} consents/s, each delivered: memory`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {{ minutes?: string }} options
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope, options) {
  const [database, receivers] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const api = await startService(scope, database);
  const worker = await startService(scope, database, { program: 'worker', receivers });
  const load = await startHelper(scope, 'load');
  const projects = await database.makeProjects(PROJECTS, receivers[0].url('/now'));
  const minutes = minutesOf(options, MINUTES);
  const endMs = performance.now() + minutes * 60_000;
  const sending = send({ load, api, projects, receiver: receivers[0], endMs });
  // It is awaited at the end; until then a failure must wait there and not end the process.
  sending.catch(() => {});
  /** @type {Sample[]} */
  const samples = [];
  const startedMs = performance.now();
  const count = Math.max(SAMPLES_MIN, Math.floor(minutes * SAMPLES_PER_MINUTE));
  for (let taken = 1; taken <= count; taken++) {
    await sleep(Math.max(0, startedMs + (taken / count) * minutes * 60_000 - performance.now()));
    samples.push({
      minutes: (performance.now() - startedMs) / 60_000,
      api: await memoryOf(api),
      worker: await memoryOf(worker),
    });
    if (taken % SAMPLES_PER_MINUTE === 0) console.log(`  ${JSON.stringify(samples.at(-1))}`);
  }
  const { latencies, refused } = await sending;
  return {
    database: await database.facts(),
    rows: [
      ...rowsOf('api', 'API', samples),
      ...rowsOf('worker', 'worker', samples),
      row({ what: 'ingest p99 of each block', ours: latencies, digits: 1, unit: ' ms' }),
      row({ what: 'consents not answered 201', ours: [refused], target: { atMost: 0 } }),
      row({ what: 'messages waiting at the end', ours: [await database.waiting()] }),
    ],
    raw: { minutes, ratePerSecond: RATE_PER_SECOND, samples, latencies },
  };
}

/**
 * The last minute against the minute in which memory has settled.
 * @param {'api' | 'worker'} process
 * @param {string} name
 * @param {Sample[]} samples
 */
function rowsOf(process, name, samples) {
  const settled = Math.ceil(samples.length * SETTLED_PART);
  const length = Math.min(SAMPLES_PER_MINUTE, settled);
  const minute = (/** @type {number} */ end) => samples.slice(end - length, end);
  const at = `minute ${samples[settled - 1]?.minutes.toFixed(1)}`;
  const compared = (
    /** @type {string} */ what,
    /** @type {(memory: Memory) => number} */ figure,
    target = {},
  ) =>
    row({
      what: `${name}: ${what}, last minute : ${at}`,
      ours: [median(minute(samples.length).map((sample) => figure(sample[process])))],
      baseline: [median(minute(settled).map((sample) => figure(sample[process])))],
      digits: 1,
      unit: ' MB',
      target,
    });
  const isolates = Object.keys(samples.at(-1)?.[process].heapMb ?? {});
  return [
    row({
      what: `${name}: resident memory, highest`,
      ours: [Math.max(...samples.map((sample) => sample[process].residentMb))],
      digits: 1,
      unit: ' MB',
      target: { atMost: RESIDENT_MB_MAX[process] },
    }),
    compared('resident memory', ({ residentMb: mb }) => mb, { ratioAtMost: GROWTH_MAX }),
    ...isolates.map((isolate) => compared(`heap of ${isolate}`, ({ heapMb }) => heapMb[isolate] ?? NaN)),
  ];
}

/** @typedef {{ minutes: number, api: Memory, worker: Memory }} Sample */
/** @typedef {{ residentMb: number, heapMb: Record<string, number> }} Memory `heapMb` by thread */

/**
 * Sends until the time is over. Returns the p99 of each block in milliseconds, and how many were not answered 201.
 * @param {{ load: import('./support/helper.mjs').Helper, api: { baseUrl: string }, endMs: number,
 *           projects: import('./support/database.mjs').BenchProject[],
 *           receiver: import('./support/receivers.mjs').Receiver }} parts
 */
async function send({ load, api, projects, receiver, endMs }) {
  const latencies = [];
  let refused = 0;
  while (performance.now() < endMs) {
    const { wrong, p99Ms } = await load.call('openLoop', {
      baseUrl: api.baseUrl,
      projectIds: projects.map(({ id }) => id),
      ratePerSecond: RATE_PER_SECOND,
      seconds: Math.max(1, Math.min(BLOCK_SECONDS, (endMs - performance.now()) / 1_000)),
      warmUpSeconds: 0,
      track: false,
    });
    refused += wrong;
    latencies.push(p99Ms);
    // The receiver remembers every record, which must not affect the measurement.
    await receiver.call('reset');
  }
  return { latencies, refused };
}

/**
 * @param {{ baseUrl: string, pid: number }} service
 * @returns {Promise<Memory>}
 */
async function memoryOf({ baseUrl, pid }) {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const heaps = [...text.matchAll(HEAP_USED)].map(({ groups }) => [
    groups?.name,
    Number(groups?.bytes) / MEBIBYTE,
  ]);
  if (heaps.length === 0) throw new Error('the metrics have no heap size');
  return { residentMb: residentMb(pid), heapMb: Object.fromEntries(heaps) };
}
