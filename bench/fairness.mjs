// Fairness: the effect of a project's neighbors on it, from the 201 to the receipt (design §6.5).
// `isolation` measures a hanging one among a hundred.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDnsServer } from '../test/support/fakes/dns-server.ts';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { commitToReceiptMs } from './latency.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { scaledCount, scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const RATE_PER_SECOND = scaledRate(100);
const SECONDS = scaledSeconds(6);
const WARM_UP_SECONDS = 1;
const ROUNDS = scaledRounds(2);
const ARRIVAL_DEADLINE_MS = 15_000;
const SLOW_BACKLOG = scaledCount(2_000, 100);
const LARGE_BACKLOG = scaledCount(1_000_000, 1000);
/** Shorter than an attempt may take, so that it is a delivery, and about as slow as one can be. */
const SLOWEST_MS = 14_000;
const QUICK_MS = 20;
/** A receiver that always responds, but slowly enough to count as slow. */
const STEADY_MS = 2_500;
const STEADY_BACKLOG = scaledCount(2_000, 100);
/** Until its share has grown: it doubles with each round of answers. */
const STEADY_WARM_UP_SECONDS = scaledSeconds(15);
const STEADY_SECONDS = scaledSeconds(15, 3);
/** Its name is never answered for; the other one's always is. */
const SILENT_HOST = 'silent.example.com';
const KNOWN_HOST = 'receiver.example.com';

export const title = `Fairness, ${RATE_PER_SECOND} consents/s of one project beside a bad neighbour`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, receivers] = await Promise.all([startDatabase(scope), startReceivers(scope, 2)]);
  const [receiver, neighbours] = receivers;
  const dns = await startDnsServer({ [SILENT_HOST]: null, [KNOWN_HOST]: ['127.0.0.1'] });
  scope.defer(() => dns.close());
  const named = `${KNOWN_HOST}:${receiver.port}`;
  const api = await startService(scope, database);
  await startService(scope, database, {
    program: 'worker',
    receivers: [...receivers, { target: named, caFile: receiver.caFile }],
    environment: { FORWARDING_NAME_SERVERS: dns.address },
  });
  const load = await startHelper(scope, 'load');

  /** Milliseconds from the 201 to the receipt, round by round. */
  const measure = async (/** @type {string} */ endpoint) => {
    const [project] = await database.makeProjects(1, endpoint);
    /** @type {number[][]} */
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      await receiver.call('reset');
      const sent = await load.call('openLoop', {
        baseUrl: api.baseUrl,
        projectIds: [project.id],
        ratePerSecond: RATE_PER_SECOND,
        seconds: SECONDS,
        warmUpSeconds: WARM_UP_SECONDS,
      });
      if (sent.wrong > 0) throw new Error(`${sent.wrong} consents were not answered 201`);
      const answered = new Map([...sent.answered].map(([id, { answeredAt }]) => [id, answeredAt]));
      rounds.push(await commitToReceiptMs(receiver, answered, ARRIVAL_DEADLINE_MS));
    }
    return rounds;
  };
  const neighbour = async (/** @type {string} */ endpoint, /** @type {number} */ backlog) => {
    const [project] = await database.makeProjects(1, endpoint);
    await database.fillRecords([project], backlog, { waiting: true });
  };

  /** Deliveries a second to a slow receiver without competition for slots, once its share has grown. */
  const steadyRate = async () => {
    await neighbour(neighbours.url(`/after/${STEADY_MS}`), STEADY_BACKLOG);
    await sleep(STEADY_WARM_UP_SECONDS * 1_000);
    const before = await neighbours.call('counts');
    await sleep(STEADY_SECONDS * 1_000);
    const after = await neighbours.call('counts');
    await database.emptyOutbox();
    return (after.requests - before.requests) / STEADY_SECONDS;
  };

  const steady = await steadyRate();
  const quick = receiver.url(`/after/${QUICK_MS}`);
  const alone = await measure(quick);

  await neighbour(neighbours.url(`/after/${SLOWEST_MS}`), SLOW_BACKLOG);
  const besideSlow = await measure(quick);
  await database.emptyOutbox();

  await neighbour(`https://${SILENT_HOST}/hook`, SLOW_BACKLOG);
  const besideSilent = await measure(`https://${named}/now`);
  await database.emptyOutbox();

  await neighbour(neighbours.url(`/after/${QUICK_MS}`), LARGE_BACKLOG);
  const besideLarge = await measure(receiver.url('/now'));
  const left = await database.waiting();

  /** @type {import('./support/report.mjs').Target} */
  const target = { atMost: 1_000 };
  const rowsOf = (/** @type {string} */ what, /** @type {number[][]} */ rounds, limit = target) =>
    [50, 99].map((percent) =>
      row({
        what: `p${percent}, ${what}`,
        ours: rounds.map((round) => percentile(round, percent)),
        digits: 1,
        unit: ' ms',
        target: percent === 99 ? limit : {},
      }),
    );
  return {
    database: await database.facts(),
    rows: [
      row({
        what: `deliveries a second to a receiver that takes ${STEADY_MS / 1000} s, alone`,
        ours: [steady],
        digits: 1,
        target: { atLeast: 20 },
      }),
      ...rowsOf('alone', alone, {}),
      ...rowsOf(`beside one that answers after ${SLOWEST_MS / 1000} s, ${SLOW_BACKLOG} waiting`, besideSlow),
      ...rowsOf(`beside one whose name is not answered for, ${SLOW_BACKLOG} waiting`, besideSilent),
      ...rowsOf(`fresh, beside one with ${left.toLocaleString('en')} waiting in the end`, besideLarge),
    ],
    raw: { ratePerSecond: RATE_PER_SECOND, steady, alone, besideSlow, besideSilent, besideLarge, left },
  };
}
