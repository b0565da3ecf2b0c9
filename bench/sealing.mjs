// What sealing costs (docs/evidence.md): deliveries of one worker and consents of one API process with it and without it,
// by the same build, in turns.
import { randomBytes } from 'node:crypto';
import { startDatabase } from './support/database.mjs';
import { drain } from './support/drain.mjs';
import { startHelper } from './support/helper.mjs';
import { cpuSeconds } from './support/processes.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';

const PROJECTS = 100;
const MESSAGES = 20_000;
const TURNS = 4;
/** Of one turn; before them one that is not counted. */
const DRAINS = 9;
/** A turn is longer than that twice: it seals about as many records as it delivers. */
const SEAL_SECONDS = '10';

const INGEST_ROUNDS = 9;
const INGEST_SECONDS = 2;
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 64;

/** Of this bench and of nothing else. */
const EVIDENCE_KEYS = `bench:${randomBytes(32).toString('base64')}`;
const SIDES = /** @type {const} */ ({
  on: { EVIDENCE_KEYS, EVIDENCE_SEAL_SECONDS: SEAL_SECONDS },
  off: { EVIDENCE_KEYS, EVIDENCE_SEAL_SECONDS: '0' },
});
/** @typedef {keyof typeof SIDES} Side */

export const deadlineMs = 600_000;
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
    ],
    raw: { deliveries, consents },
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
  // What the consents before have left is not to be sealed beside deliveries.
  await database.client.query('update evidence_mark set at = now()');
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
      // What was not sealed while it was on is no work of the other side, nor of the next turn.
      await database.client.query('update evidence_mark set at = now()');
    }
  }
  return turns;
}

/**
 * Both sides, in turns the other one first.
 * @param {number} round
 * @returns {Side[]}
 */
function sidesOf(round) {
  return round % 2 === 0 ? ['on', 'off'] : ['off', 'on'];
}
