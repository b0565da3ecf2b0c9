// What sealing costs (docs/evidence.md): deliveries of one worker and consents of one API process with it and without it,
// by the same build, in turns, as many as come through and at a steady rate.
import { randomBytes } from 'node:crypto';
import { startDatabase } from './support/database.mjs';
import { commitToReceiptMs } from './latency.mjs';
import { drain } from './support/drain.mjs';
import { startHelper } from './support/helper.mjs';
import { cpuSeconds } from './support/processes.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { scaledCount, scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const PROJECTS = 100;
const MESSAGES = scaledCount(20_000, 256);
const TURNS = scaledRounds(4);
/** Of one turn; before them one that is not counted. */
const DRAINS = scaledRounds(9);
/** A turn is longer than that twice: it seals about as many records as it delivers. */
const SEAL_SECONDS = '10';

const INGEST_ROUNDS = scaledRounds(9);
const INGEST_SECONDS = scaledSeconds(2);
const WARM_UP_SECONDS = scaledSeconds(3);
const CONNECTIONS = 64;

/** The rate at which sealing's lag has a bound (docs/evidence.md), for two turns of sealing and more. */
const STEADY_PER_SECOND = scaledRate(2_000);
const STEADY_SECONDS = scaledSeconds(22, 2);
const STEADY_WARM_UP_SECONDS = scaledSeconds(3);
const STEADY_TURNS = scaledRounds(4);
const ARRIVAL_DEADLINE_MS = 20_000;

/** Of this bench and of nothing else. */
const EVIDENCE_KEYS = `bench:${randomBytes(32).toString('base64')}`;
const SIDES = /** @type {const} */ ({
  on: { EVIDENCE_KEYS, EVIDENCE_SEAL_SECONDS: SEAL_SECONDS },
  off: { EVIDENCE_KEYS, EVIDENCE_SEAL_SECONDS: '0' },
});
/** @typedef {keyof typeof SIDES} Side */

export const deadlineMs = 900_000;
export const title = 'Sealing: what it costs deliveries and consents';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, [receiver], load] = await Promise.all([
    startDatabase(scope),
    startReceivers(scope, 1),
    startHelper(scope, 'load'),
  ]);
  const consents = await consentsOf({ scope, database, load });
  const deliveries = await deliveriesOf({ scope, database, receiver });
  const steady = await steadyOf({ scope, database, receiver, load });
  const receipts = (/** @type {'p50Ms' | 'p99Ms'} */ which) => ({
    ours: steady.on.map((turn) => turn[which]),
    baseline: steady.off.map((turn) => turn[which]),
    digits: 1,
    unit: ' ms',
  });
  const rate = STEADY_PER_SECOND.toLocaleString('en');
  return {
    database: await database.facts(),
    rows: [
      row({
        what: `deliveries/s, ${PROJECTS} projects : with sealing off`,
        ours: deliveries.on.map(({ perSecond }) => perSecond),
        baseline: deliveries.off.map(({ perSecond }) => perSecond),
        target: { ratioAtLeast: 0.97 },
      }),
      row({
        what: 'worker, processor time of a delivery, all threads : with sealing off',
        ours: deliveries.on.map(({ workerUs }) => workerUs),
        baseline: deliveries.off.map(({ workerUs }) => workerUs),
        unit: ' µs',
      }),
      row({
        what: 'consents/s, forwarding off : with sealing off',
        ours: consents.on,
        baseline: consents.off,
        target: { ratioAtLeast: 0.97 },
      }),
      row({
        what: `deliveries/s, consents at ${rate}/s, ${PROJECTS} projects : with sealing off`,
        ours: steady.on.map(({ perSecond }) => perSecond),
        baseline: steady.off.map(({ perSecond }) => perSecond),
        target: { ratioAtLeast: 0.97 },
      }),
      row({ what: `commit to receipt at ${rate}/s, p50 : with sealing off`, ...receipts('p50Ms') }),
      row({ what: `commit to receipt at ${rate}/s, p99 : with sealing off`, ...receipts('p99Ms') }),
    ],
    raw: { deliveries, consents, steady },
  };
}

/**
 * @param {{ scope: import('./support/scope.mjs').Scope, database: import('./support/database.mjs').Database,
 *           load: import('./support/helper.mjs').Helper }} parts
 */
async function consentsOf({ scope, database, load }) {
  const start = (/** @type {Side} */ side) =>
    startService(scope, database, { environment: { ...SIDES[side], RUN_WORKER: 'false' } });
  const services = { on: await start('on'), off: await start('off') };
  const [project] = await database.makeProjects(1);
  const shoot = async (/** @type {Side} */ side, /** @type {number} */ seconds) => {
    const target = { baseUrl: services[side].baseUrl, projectId: project.id };
    return (await load.call('closedLoop', { ...target, connections: CONNECTIONS, seconds })).perSecond;
  };
  /** @type {Record<Side, number[]>} */
  const rates = { on: [], off: [] };
  for (const side of sidesOf(0)) await shoot(side, WARM_UP_SECONDS);
  for (let round = 0; round < INGEST_ROUNDS; round++)
    for (const side of sidesOf(round)) rates[side].push(await shoot(side, INGEST_SECONDS));
  for (const service of Object.values(services)) await service.stop();
  return rates;
}

/**
 * @param {{ scope: import('./support/scope.mjs').Scope, database: import('./support/database.mjs').Database,
 *           receiver: import('./support/receivers.mjs').Receiver }} parts
 */
async function deliveriesOf({ scope, database, receiver }) {
  // The remaining consents of the previous step must not be sealed beside deliveries.
  await database.skipSealing();
  const projects = await database.makeProjects(PROJECTS, receiver.url('/now'));
  /** @type {Record<Side, { perSecond: number, workerUs: number }[]>} */
  const turns = { on: [], off: [] };
  for (let turn = 0; turn < TURNS; turn++) {
    for (const side of sidesOf(turn)) {
      const worker = await startService(scope, database, {
        program: 'worker',
        receivers: [receiver],
        environment: SIDES[side],
      });
      await drain({ database, receiver, projects, count: MESSAGES });
      const before = cpuSeconds(worker.pid);
      let seconds = 0;
      for (let times = 0; times < DRAINS; times++)
        seconds += MESSAGES / (await drain({ database, receiver, projects, count: MESSAGES }));
      const sent = DRAINS * MESSAGES;
      const workerUs = ((cpuSeconds(worker.pid) - before) * 1_000_000) / sent;
      turns[side].push({ perSecond: sent / seconds, workerUs });
      await worker.stop();
      // Entries not sealed on this side must not become work of the other side, nor of the next
      // turn.
      await database.skipSealing();
    }
  }
  return turns;
}

/**
 * Consents that come evenly and are forwarded: what arrives a second, from the first answer to the last receipt, and how
 * long after its answer each record arrives.
 * @param {{ scope: import('./support/scope.mjs').Scope, database: import('./support/database.mjs').Database,
 *           receiver: import('./support/receivers.mjs').Receiver, load: import('./support/helper.mjs').Helper }} parts
 */
async function steadyOf({ scope, database, receiver, load }) {
  const projectIds = (await database.makeProjects(PROJECTS, receiver.url('/now'))).map(({ id }) => id);
  /** @type {Record<Side, { perSecond: number, p50Ms: number, p99Ms: number }[]>} */
  const turns = { on: [], off: [] };
  for (let turn = 0; turn < STEADY_TURNS; turn++) {
    for (const side of sidesOf(turn)) {
      const environment = SIDES[side];
      const api = await startService(scope, database, {
        environment: { ...environment, RUN_WORKER: 'false' },
      });
      const worker = await startService(scope, database, {
        program: 'worker',
        receivers: [receiver],
        environment,
      });
      await receiver.call('reset');
      const { wrong, answered } = await load.call('openLoop', {
        baseUrl: api.baseUrl,
        projectIds,
        ratePerSecond: STEADY_PER_SECOND,
        seconds: STEADY_SECONDS,
        warmUpSeconds: STEADY_WARM_UP_SECONDS,
      });
      if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
      /** @type {Map<string, bigint>} */
      const answeredAt = new Map([...answered].map(([id, one]) => [id, one.answeredAt]));
      const waits = await commitToReceiptMs(receiver, answeredAt, ARRIVAL_DEADLINE_MS);
      turns[side].push({
        perSecond: perSecondOf([...answeredAt.values()], waits),
        p50Ms: percentile(waits, 50),
        p99Ms: percentile(waits, 99),
      });
      await worker.stop();
      await api.stop();
      await database.skipSealing();
    }
  }
  return turns;
}

/**
 * Receipts a second, from the first answer to the last receipt.
 * @param {bigint[]} answeredAt in nanoseconds
 * @param {number[]} waits milliseconds from each answer to its receipt
 */
function perSecondOf(answeredAt, waits) {
  const first = answeredAt.reduce((least, at) => (at < least ? at : least));
  const lastMs = Math.max(...answeredAt.map((at, index) => Number(at - first) / 1e6 + waits[index]));
  return (answeredAt.length / lastMs) * 1000;
}

/**
 * Both sides, in turns the other one first.
 * @param {number} round
 * @returns {Side[]}
 */
function sidesOf(round) {
  return round % 2 === 0 ? ['on', 'off'] : ['off', 'on'];
}
