// Latency: from the 201 to the receipt, on an idle service (design §7).
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';

const CONSENTS = 80;
const WARM_UP_CONSENTS = 40;
const PAUSE_MS = 50;
const ROUNDS = 5;
const ARRIVAL_DEADLINE_MS = 5_000;

export const title = 'Latency, idle: from the 201 to the receipt';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, receivers] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const [receiver] = receivers;
  // One after the other: the first start makes the tables.
  const api = await startService(scope, database);
  await startService(scope, database, { program: 'worker', receivers });
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
    ],
    raw: { consents: CONSENTS, pauseMs: PAUSE_MS, rounds },
  };
}

/**
 * Milliseconds from each answer to the receipt of the same record; below zero where the receipt came before
 * the caller had its answer. Throws where a record does not arrive.
 * @param {import('./support/receivers.mjs').Receiver} receiver
 * @param {Map<string, bigint>} answered when each record's 201 came, by id, in nanoseconds
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
