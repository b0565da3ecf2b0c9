// Tail: the latency of the slowest visitors at a fixed arrival rate, undisturbed and while
// PostgreSQL is busy with maintenance, compared with a bare route (design §7).
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const RATE_PER_SECOND = scaledRate(1_000);
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(6);
const WARM_UP_SECONDS = 1;
/** Partitions are made, a checkpoint is run and the outbox emptied and vacuumed so often. */
const DISTURB_MS = 1_000;
/** The service has made the partitions of fewer months and days than that ahead. */
const FIRST_MONTH_AHEAD = 5;
const FIRST_DAY_AHEAD = 60;
/** Nothing listens there: no worker runs, so nothing is sent. */
const UNUSED_URL = 'https://127.0.0.1:9/unused';

export const deadlineMs = 240_000;
export const title = `Ingest's tail, ${RATE_PER_SECOND.toLocaleString('en')} consents/s arriving whatever the answers do, forwarding on`;

/** @typedef {{ p50Ms: number, p99Ms: number, p999Ms: number, highestMs: number }} Tail */

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const [load, nest, service] = await Promise.all([
    startHelper(scope, 'load'),
    startHelper(scope, 'bare-route'),
    startService(scope, database),
  ]);
  const [project] = await database.makeProjects(1, UNUSED_URL);
  const { baseUrl: bareUrl } = await nest.call('listen');
  /** @returns {Promise<Tail>} */
  const send = async (/** @type {string} */ baseUrl) => {
    const { wrong, p50Ms, p99Ms, p999Ms, highestMs } = await load.call('openLoop', {
      baseUrl,
      projectIds: [project.id],
      ratePerSecond: RATE_PER_SECOND,
      seconds: SECONDS,
      warmUpSeconds: WARM_UP_SECONDS,
      track: false,
    });
    if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
    return { p50Ms, p99Ms, p999Ms, highestMs };
  };
  const disturbances = { months: FIRST_MONTH_AHEAD, days: FIRST_DAY_AHEAD };
  /** @type {Record<'bare' | 'ours' | 'disturbed', Tail[]>} */
  const rounds = { bare: [], ours: [], disturbed: [] };
  await send(bareUrl);
  await send(service.baseUrl);
  for (let round = 0; round < ROUNDS; round++) {
    rounds.bare.push(await send(bareUrl));
    rounds.ours.push(await send(service.baseUrl));
    await database.emptyOutbox();
    rounds.disturbed.push(
      await disturbed(database, {
        disturbances,
        work: () => send(service.baseUrl),
        month: round * 2 < ROUNDS,
      }),
    );
    await database.emptyOutbox();
  }
  const of = (/** @type {keyof typeof rounds} */ side, /** @type {keyof Tail} */ figure) =>
    rounds[side].map((one) => one[figure]);
  const ms = { digits: 1, unit: ' ms' };
  const compared = (/** @type {keyof Tail} */ figure, /** @type {number | undefined} */ atMost) =>
    row({
      what: `${figure.replace('Ms', '')} : bare Nest + Express route`,
      ours: of('ours', figure),
      baseline: of('bare', figure),
      ...ms,
      ...(atMost !== undefined && { target: { atMost } }),
    });
  const busy = (/** @type {keyof Tail} */ figure, /** @type {number} */ atMost) =>
    row({
      what: `${figure.replace('Ms', '')} while partitions are made, checkpoints run and the outbox is vacuumed`,
      ours: of('disturbed', figure),
      ...ms,
      target: { atMost },
    });
  return {
    database: await database.facts(),
    rows: [
      compared('p50Ms', 6),
      compared('p99Ms', 10),
      compared('p999Ms', 20),
      compared('highestMs', undefined),
      busy('p99Ms', 10),
      busy('p999Ms', 20),
      busy('highestMs', 20),
    ],
    raw: { ratePerSecond: RATE_PER_SECOND, seconds: SECONDS, rounds },
  };
}

/**
 * Does the work while the server runs all of its periodic tasks every second.
 * @template Result
 * @param {import('./support/database.mjs').Database} database
 * @param {{ disturbances: { months: number, days: number }, work: () => Promise<Result>, month: boolean }} options
 * @returns {Promise<Result>}
 */
async function disturbed(database, { disturbances, work, month }) {
  const ended = new AbortController();
  const disturbing = (async () => {
    if (month) await makePartition(database, 'consent_record', 'month', disturbances.months++);
    while (!ended.signal.aborted) {
      await makePartition(database, 'delivery_settled', 'day', disturbances.days++);
      await database.client.query('checkpoint');
      await database.emptyOutbox();
      await sleep(DISTURB_MS);
    }
  })();
  try {
    return await work();
  } finally {
    ended.abort();
    await disturbing;
  }
}

/**
 * @param {import('./support/database.mjs').Database} database
 * @param {string} parent
 * @param {'month' | 'day'} step
 * @param {number} ahead months or days from now
 */
async function makePartition(database, parent, step, ahead) {
  await database.client.query(
    `select partition_make($1, (date_trunc($2, now() at time zone 'UTC') + ('1 ' || $2)::interval * $3::int) at time zone 'UTC')`,
    [parent, step, ahead],
  );
}
