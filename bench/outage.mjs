// Outage: the cost of a receiver that is unavailable for a while, with hold and without, in real
// time: `npm run bench -- outage --minutes 10`. Both services run side by side, each with its own
// database and receiver.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { minutesOf, scaledRate, scaledSeconds } from './support/scale.mjs';
import { startService } from './support/service.mjs';

const MINUTES = 10;
const RATE_PER_SECOND = scaledRate(50);
const AWAY_STATUS = 503;
/** It is well before and after, with the same load. */
const WELL_SECONDS = scaledSeconds(10, 2);
/** A probe may be five minutes away when it comes back, and then there is the backlog. */
const BACK_DEADLINE_MS = 8 * 60_000;
const LOOK_MS = 1_000;
/** Without notifications to owners, which may wait longer than any record. */
const RECORDS_WAITING = "select count(*) from outbox_message where topic = 'consent.recorded'";
/** The load comes in blocks, so that the generator need not remember all of it. */
const BLOCK_SECONDS = 10;

/** @param {{ minutes?: string }} options */
export const deadlineMs = (options) => minutesOf(options, MINUTES) * 60_000 + BACK_DEADLINE_MS + 120_000;
export const title = `Outage of a receiver that answers ${AWAY_STATUS}, ${RATE_PER_SECOND} consents/s of one project`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {{ minutes?: string }} options
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope, options) {
  const held = await startDatabase(scope);
  const spent = await held.another('spent');
  const receivers = await startReceivers(scope, 2);
  const minutes = minutesOf(options, MINUTES);
  // One after the other, each in a separate folder.
  const holding = await start({ scope, database: held, receiver: receivers[0], holdHours: 72 });
  const spending = await start({ scope, database: spent, receiver: receivers[1], holdHours: 0 });
  const [ours, baseline] = await Promise.all([outage(holding, minutes), outage(spending, minutes)]);
  return {
    database: await held.facts(),
    rows: [
      row({
        what: `records lost in ${minutes} minutes, with hold : without`,
        ours: [ours.lost],
        baseline: [baseline.lost],
      }),
      row({ what: 'of so many announced', ours: [ours.announced], baseline: [baseline.announced] }),
      row({ what: 'waiting when it came back', ours: [ours.waiting], baseline: [baseline.waiting] }),
      row({ what: 'until the first delivery', ours: [ours.firstSeconds], digits: 1, unit: ' s' }),
      row({ what: 'until nothing waited any more', ours: [ours.drainedSeconds], digits: 1, unit: ' s' }),
    ],
    raw: { minutes, ratePerSecond: RATE_PER_SECOND, ours, baseline },
  };
}

/**
 * @typedef {{ api: { baseUrl: string }, load: import('./support/helper.mjs').Helper, projectId: string,
 *             database: import('./support/database.mjs').Database,
 *             receiver: import('./support/receivers.mjs').Receiver }} Side
 */

/**
 * @param {{ scope: import('./support/scope.mjs').Scope, database: import('./support/database.mjs').Database,
 *           receiver: import('./support/receivers.mjs').Receiver, holdHours: number }} parts
 * @returns {Promise<Side>}
 */
async function start({ scope, database, receiver, holdHours }) {
  const environment = {
    FORWARDING_HOLD_HOURS: String(holdHours),
    DATA_DIR: join(scope.folder, `data-${holdHours}`),
  };
  const api = await startService(scope, database, { environment });
  await startService(scope, database, { program: 'worker', receivers: [receiver], environment });
  const load = await startHelper(scope, 'load');
  const [{ id: projectId }] = await database.makeProjects(1, receiver.url('/now'));
  return { api, load, projectId, database, receiver };
}

/**
 * @param {Side} side
 * @param {number} minutes
 */
async function outage({ api, load, projectId, database, receiver }, minutes) {
  const send = async (/** @type {number} */ seconds) => {
    for (let done = 0; done < seconds; done += BLOCK_SECONDS) {
      const { wrong } = await load.call('openLoop', {
        baseUrl: api.baseUrl,
        projectIds: [projectId],
        ratePerSecond: RATE_PER_SECOND,
        seconds: Math.min(BLOCK_SECONDS, seconds - done),
        warmUpSeconds: 0,
      });
      if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
    }
  };
  const count = async (/** @type {string} */ sql) => Number((await database.client.query(sql)).rows[0].count);

  await send(WELL_SECONDS);
  await receiver.call('away', { status: AWAY_STATUS });
  await send(minutes * 60);
  const waiting = await count(RECORDS_WAITING);
  const deliveredBefore = await count("select count(*) from delivery where outcome = 'delivered'");
  await receiver.call('away', { status: null });
  const backMs = performance.now();
  const sinceBack = () => (performance.now() - backMs) / 1_000;
  const after = send(WELL_SECONDS);
  // It is awaited below; until then a failure must wait there and not end the process.
  after.catch(() => {});
  const until = async (/** @type {string} */ what, /** @type {() => Promise<boolean>} */ isSo) => {
    while (!(await isSo())) {
      if (performance.now() - backMs > BACK_DEADLINE_MS) throw new Error(`not in time: ${what}`);
      await sleep(LOOK_MS);
    }
    return sinceBack();
  };
  const firstSeconds = await until(
    'a delivery',
    async () => (await count("select count(*) from delivery where outcome = 'delivered'")) > deliveredBefore,
  );
  await after;
  const drainedSeconds = await until('no record waiting', async () => (await count(RECORDS_WAITING)) === 0);
  const lost = await count("select count(*) from delivery where outcome = 'failed'");
  const delivered = await count("select count(*) from delivery where outcome = 'delivered'");
  const announced = await count('select count(*) from consent_record');
  const { distinct } = await receiver.call('counts');
  if (lost + delivered !== announced) throw new Error(`${announced} records, ${lost + delivered} attempts`);
  return { announced, waiting, lost, delivered, distinct, firstSeconds, drainedSeconds };
}
