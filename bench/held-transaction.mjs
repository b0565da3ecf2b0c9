// Held transaction: deliveries per minute of one worker while a transaction stays open and vacuum can remove nothing,
// against the minutes before it in the same run; graphile-worker and pg-boss behind the same kind of transaction.
// `npm run bench -- held-transaction --part pg_dump --minutes 5` runs one part for a shorter time.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { HOLDERS, holdTransaction } from './support/held-transaction.mjs';
import { startHelper } from './support/helper.mjs';
import { startReceivers } from './support/receivers.mjs';
import { printTable, row } from './support/report.mjs';
import { minutesOf, scaledCount, scaledSeconds } from './support/scale.mjs';
import { startService } from './support/service.mjs';
import { median } from './support/statistics.mjs';

/** With ours; peers take a third. */
const MINUTES = 30;
const PEER_PART = 1 / 3;
const MINUTES_MIN = 0.05;
/** Before the transaction, and as long again after it to see the rate recover: part of the time behind it. */
const CLEAN_PART = 0.15;
const CLEAN_MS_MIN = scaledSeconds(60, 0) * 1_000;
/** Until connections are open, caches full and the projects' shares of the slots grown. */
const WARM_UP_MS = scaledSeconds(20, 1) * 1_000;
/** The last minutes, which are compared with the clean ones. */
const LAST_PART = 0.2;
const PROJECTS = 100;
/** As many in progress as our worker has slots. */
const CONCURRENCY = 256;
/** The stream is refilled below this many waiting messages: more than a worker takes at once, and never a growing backlog. */
const WAITING_MIN = scaledCount(10_000, 2_000);
const REFILL = scaledCount(2_500, 500);
const FEED_PAUSE_MS = 20;
const SAMPLE_MS = 60_000;
/** Of a run that is shorter than that many minutes. */
const SAMPLES_MIN = 10;
const DRAIN_DEADLINE_MS = 120_000;
const GOAL = 0.75;

/** The queue's tables by their root: partitions are summed up. */
const PEERS = /** @type {const} */ ({
  'graphile-worker': { helper: 'graphile', table: 'graphile_worker._private_jobs' },
  'pg-boss': { helper: 'pg-boss', table: 'pgboss.job' },
});
const PARTS = [...HOLDERS, ...Object.keys(PEERS)];

/** @param {{ minutes?: string, part?: string[] }} options */
export const deadlineMs = (options) => minutesOf(options, MINUTES) * 60_000 * 5 + 900_000;
export const title = 'Deliveries of one worker behind a transaction that stays open';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {{ minutes?: string, part?: string[] }} options
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope, options) {
  const parts = options.part ?? PARTS;
  const unknown = parts.filter((part) => !PARTS.includes(part));
  if (unknown.length > 0) throw new Error(`Unknown part: ${unknown.join(', ')}. Parts: ${PARTS.join(', ')}.`);
  const [server, [receiver]] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const minutes = minutesOf(options, MINUTES, MINUTES_MIN);
  const rows = [];
  /** @type {Record<string, unknown>} */
  const raw = { minutes, projects: PROJECTS, concurrency: CONCURRENCY, waitingMin: WAITING_MIN };
  for (const part of parts) {
    console.log(`held-transaction: ${part}`);
    const isPeer = part in PEERS;
    const queue = isPeer
      ? await startPeer({ scope, server, receiver, name: /** @type {keyof typeof PEERS} */ (part) })
      : await startOurs({ scope, server, receiver, name: part });
    const measured = await measure({
      queue,
      receiver,
      holder: isPeer ? 'snapshot' : /** @type {(typeof HOLDERS)[number]} */ (part),
      minutes: isPeer ? minutes * PEER_PART : minutes,
    });
    const partRows = rowsOf(
      isPeer ? `${part}, snapshot` : `ours, ${part}`,
      measured,
      isPeer ? {} : { ratioAtLeast: GOAL },
    );
    printTable(partRows);
    rows.push(...partRows);
    raw[part] = measured;
  }
  return { database: await server.facts(), rows, raw };
}

/**
 * @param {string} name
 * @param {Awaited<ReturnType<typeof measure>>} measured
 * @param {import('./support/report.mjs').Target} target
 */
function rowsOf(name, { clean, held, after, extra }, target) {
  const last = held.slice(-Math.max(1, Math.round(held.length * LAST_PART)));
  const ratesOf = (/** @type {Sample[]} */ samples) => samples.map(({ perSecond }) => perSecond);
  const against = (/** @type {Sample[]} */ samples, free = clean) => ({
    ours: ratesOf(samples),
    baseline: samples.map(() => median(ratesOf(free))),
  });
  const most = (/** @type {'deadTuples' | 'megabytes'} */ figure) => [
    Math.max(...held.map((sample) => sample[figure])),
  ];
  return [
    row({
      what: `${name}: deliveries/s, last minutes behind the transaction : clean`,
      ...against(last),
      target,
    }),
    row({ what: `${name}: all minutes behind it : clean`, ...against(held) }),
    // Shows whether the machine itself became faster or slower.
    row({ what: `${name}: after it has ended : clean`, ...against(after) }),
    row({ what: `${name}: last minutes : before and after`, ...against(last, [...clean, ...after]) }),
    row({ what: `${name}: most dead tuples`, ours: most('deadTuples') }),
    row({ what: `${name}: largest size of its tables`, ours: most('megabytes'), unit: ' MB' }),
    row({ what: `${name}: delivered more than once`, ours: [extra] }),
  ];
}

/**
 * @typedef {{ fill: (count: number) => Promise<unknown>, isDone: () => Promise<boolean>, stop: () => Promise<unknown>,
 *             database: import('./support/database.mjs').Database, table: string }} Queue
 * @typedef {{ seconds: number, perSecond: number, deadTuples: number, megabytes: number }} Sample
 */

/**
 * @param {{ queue: Queue, receiver: import('./support/receivers.mjs').Receiver, holder: (typeof HOLDERS)[number],
 *           minutes: number }} parts
 */
async function measure({ queue, receiver, holder, minutes }) {
  // Millions of records: the receiver only counts.
  await receiver.call('reset', { remember: false });
  const requests = async () => (await receiver.call('counts')).requests;
  const feeding = feed(queue, requests);
  const heldMs = minutes * 60_000;
  const everyMs = Math.min(SAMPLE_MS, heldMs / SAMPLES_MIN);
  const startedMs = performance.now();
  const sampleFor = async (/** @type {string} */ phase, /** @type {number} */ lastsMs) => {
    /** @type {Sample[]} */
    const samples = [];
    for (let taken = 0; taken < Math.max(1, Math.round(lastsMs / everyMs)); taken++) {
      const [before, beforeMs] = [await requests(), performance.now()];
      await Promise.race([sleep(everyMs), feeding.failed]);
      const perSecond = ((await requests()) - before) / ((performance.now() - beforeMs) / 1_000);
      const seconds = (performance.now() - startedMs) / 1_000;
      const sample = { seconds, perSecond, ...(await bloatOf(queue)) };
      samples.push(sample);
      console.log(`  ${phase} ${JSON.stringify(sample)}`);
    }
    return samples;
  };
  await Promise.race([sleep(WARM_UP_MS), feeding.failed]);
  const cleanMs = Math.max(CLEAN_MS_MIN, heldMs * CLEAN_PART);
  const clean = await sampleFor('clean', cleanMs);
  const held = await holdTransaction(queue.database, holder);
  const during = await sampleFor('held', heldMs);
  await held.release();
  const after = await sampleFor('after', cleanMs);
  const fed = await feeding.stop();
  const deadlineMs = performance.now() + DRAIN_DEADLINE_MS;
  while ((await requests()) < fed || !(await queue.isDone())) {
    if (performance.now() > deadlineMs) throw new Error(`${await requests()} of ${fed} were delivered`);
    await sleep(100);
  }
  await queue.stop();
  return { clean, held: during, after, fed, extra: (await requests()) - fed };
}

/**
 * Keeps messages waiting until it is stopped.
 * @param {Queue} queue
 * @param {() => Promise<number>} requests
 */
function feed(queue, requests) {
  const ended = new AbortController();
  let fed = 0;
  const loop = (async () => {
    while (!ended.signal.aborted) {
      if (fed - (await requests()) < WAITING_MIN) {
        await queue.fill(REFILL);
        fed += REFILL;
      } else await sleep(FEED_PAUSE_MS);
    }
  })();
  loop.catch(() => {});
  return {
    /** Rejects where the feeding failed; otherwise it stays open. */
    failed: loop.then(() => new Promise(() => {})),
    stop: async () => {
      ended.abort();
      await loop;
      return fed;
    },
  };
}

/** @param {Queue} queue */
async function bloatOf({ database, table }) {
  const { dead, tableMb, indexMb } = await database.statisticsOf(table);
  return { deadTuples: dead, megabytes: Math.round((tableMb + indexMb) * 10) / 10 };
}

/**
 * @param {{ scope: import('./support/scope.mjs').Scope, server: import('./support/database.mjs').Database,
 *           receiver: import('./support/receivers.mjs').Receiver, name: string }} parts
 * @returns {Promise<Queue>}
 */
async function startOurs({ scope, server, receiver, name }) {
  const database = await server.another(`held_${name}`);
  const worker = await startService(scope, database, { program: 'worker', receivers: [receiver] });
  const projects = await database.makeProjects(PROJECTS, receiver.url('/now'));
  return {
    database,
    table: 'outbox_message',
    fill: (count) => database.fillOutbox(projects, count),
    isDone: () => database.isAllForwarded(),
    stop: worker.stop,
  };
}

/**
 * @param {{ scope: import('./support/scope.mjs').Scope, server: import('./support/database.mjs').Database,
 *           receiver: import('./support/receivers.mjs').Receiver, name: keyof typeof PEERS }} parts
 * @returns {Promise<Queue>}
 */
async function startPeer({ scope, server, receiver, name }) {
  const { helper: file, table } = PEERS[name];
  const database = await server.another(`held_${file.replace('-', '_')}`);
  const helper = await startHelper(scope, file);
  await helper.call('open', {
    databaseUrl: database.url,
    caFile: receiver.caFile,
    url: receiver.url('/now'),
    concurrency: CONCURRENCY,
  });
  await helper.call('work');
  return {
    database,
    table,
    fill: (count) => helper.call('fill', { count }),
    // Its last jobs are written as done when it stops.
    isDone: async () => true,
    stop: () => helper.call('stop'),
  };
}
