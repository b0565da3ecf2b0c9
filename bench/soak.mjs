// Soak: memory of API and worker over a long, even load: `npm run bench -- soak --minutes 30`.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { residentMb } from './support/processes.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { range, slope } from './support/statistics.mjs';

const MINUTES = 30;
const RATE_PER_SECOND = 500;
const PROJECTS = 100;
const SAMPLE_MS = 5_000;
/** The load comes in blocks, so that the generator need not remember all of it. */
const BLOCK_SECONDS = 30;
/** Part of the run that is not judged: caches fill, code is compiled. */
const WARM_UP_PART = 0.25;
const MEBIBYTE = 1024 ** 2;
const SECONDS_OF_AN_HOUR = 3_600;
const GROWTH_MAX = 1.1;
const OTHERS_MS = 60_000;

const minutesOf = (/** @type {{ minutes?: string }} */ { minutes }) => Number(minutes ?? MINUTES);

/** @param {{ minutes?: string }} options */
export const deadlineMs = (options) => minutesOf(options) * 60_000 + 2 * OTHERS_MS;
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
  const endMs = performance.now() + minutesOf(options) * 60_000;
  const sending = send({ load, api, projects, receiver: receivers[0], endMs });
  // It is awaited at the end; until then a failure must wait there and not end the process.
  sending.catch(() => {});
  /** @type {Sample[]} */
  const samples = [];
  const startedMs = performance.now();
  while (performance.now() < endMs) {
    await sleep(SAMPLE_MS);
    samples.push({
      seconds: (performance.now() - startedMs) / 1_000,
      api: await memoryOf(api),
      worker: await memoryOf(worker),
    });
    if (samples.length % 6 === 0) console.log(`  ${JSON.stringify(samples.at(-1))}`);
  }
  const { latencies, refused } = await sending;
  const judged = samples.slice(Math.floor(samples.length * WARM_UP_PART));
  // The lows: between two full collections the heap climbs for minutes, which is no growth.
  const half = Math.ceil(judged.length / 2);
  const rows = /** @type {const} */ (['api', 'worker']).flatMap((process) =>
    /** @type {const} */ (['rssMb', 'heapMb']).flatMap((figure) => {
      const of = (/** @type {Sample} */ sample) => sample[process][figure];
      const what = `${process} ${figure === 'rssMb' ? 'resident memory' : 'heap in use'}`;
      return [
        row({
          what: `${what}, lowest of the second half : of the first`,
          ours: [range(judged.slice(half).map(of)).lowest],
          baseline: [range(judged.slice(0, half).map(of)).lowest],
          digits: 1,
          unit: ' MB',
          target: figure === 'rssMb' ? { ratioAtMost: GROWTH_MAX } : {},
        }),
        row({
          what: `${what}, slope`,
          ours: [slope(judged.map((sample) => [sample.seconds / SECONDS_OF_AN_HOUR, of(sample)]))],
          digits: 1,
          unit: ' MB/h',
        }),
      ];
    }),
  );
  return {
    database: await database.facts(),
    rows: [
      ...rows,
      row({ what: 'ingest p99 of each block', ours: latencies, digits: 1, unit: ' ms' }),
      row({ what: 'consents not answered 201', ours: [refused], target: { atMost: 0 } }),
      row({ what: 'messages waiting at the end', ours: [await waiting(database)] }),
    ],
    raw: { minutes: minutesOf(options), ratePerSecond: RATE_PER_SECOND, samples, latencies },
  };
}

/** @typedef {{ seconds: number, api: Memory, worker: Memory }} Sample */
/** @typedef {{ rssMb: number, heapMb: number }} Memory */

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
    // The receiver remembers every record; it is not what is measured.
    await receiver.call('reset');
  }
  return { latencies, refused };
}

/** @param {{ baseUrl: string, pid: number }} service */
async function memoryOf({ baseUrl, pid }) {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const used = /^nodejs_heap_size_used_bytes\S* (\S+)$/m.exec(text)?.[1];
  if (used === undefined) throw new Error('the metrics do not tell the heap');
  return { rssMb: residentMb(pid), heapMb: Number(used) / MEBIBYTE };
}

/** @param {import('./support/database.mjs').Database} database */
async function waiting({ client }) {
  const { rows } = await client.query('select count(*)::int as count from outbox_message');
  return rows[0].count;
}
