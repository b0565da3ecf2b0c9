// Dispatch: deliveries per second of one worker, against a bare `undici.request` loop (design §7).
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { startReceivers } from './support/receivers.mjs';
import { ratioRow, rowOf } from './support/report.mjs';
import { startService } from './support/service.mjs';

const ROUNDS = 3;
const MESSAGES = 20_000;
const PROJECTS = 100;
const MESSAGES_OF_ONE_PROJECT = 5_000;
/** As many as the worker has slots (FORWARDING_SLOTS). */
const CONCURRENCY = 256;
const POLL_MS = 10;
const DRAIN_DEADLINE_MS = 60_000;

export const title = 'Dispatch, one worker: delivered, and its outcome committed';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, [receiver]] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const [sender] = await Promise.all([
    startHelper(scope, 'bare-sender'),
    startService(scope, database, { program: 'worker', receivers: [receiver] }),
  ]);
  const many = await database.makeProjects(PROJECTS, receiver.url('/now'));
  const one = await database.makeProjects(1, receiver.url('/after/20'));
  const bare = { url: receiver.url('/now'), caFile: receiver.caFile, concurrency: CONCURRENCY };

  const drainMany = () => drain({ database, receiver, projects: many, count: MESSAGES });
  await sender.call('send', { ...bare, count: MESSAGES });
  await drainMany();
  /** @type {{ bare: number[], ours: number[], slow: number[] }} */
  const rates = { bare: [], ours: [], slow: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.bare.push((await sender.call('send', { ...bare, count: MESSAGES })).perSecond);
    rates.ours.push(await drainMany());
  }
  for (let round = 0; round < ROUNDS; round++) {
    rates.slow.push(await drain({ database, receiver, projects: one, count: MESSAGES_OF_ONE_PROJECT }));
  }
  return {
    database: await database.facts(),
    rows: [
      rowOf(`bare undici.request loop, ${CONCURRENCY} at once, requests/s`, rates.bare),
      rowOf(`worker, ${PROJECTS} projects, deliveries/s`, rates.ours),
      ratioRow('ratio', rates.ours, rates.bare, '0.15 now; 0.35 or 5,000/s in the end'),
      rowOf('worker, one project, receiver takes 20 ms, deliveries/s', rates.slow, {
        target: '2,000 in the end',
      }),
    ],
    raw: {
      messages: MESSAGES,
      messagesOfOneProject: MESSAGES_OF_ONE_PROJECT,
      concurrency: CONCURRENCY,
      rates,
    },
  };
}

/**
 * Lets messages wait, all at once, and times from the first request at the receiver until the outbox is
 * empty, which is when the last outcome is committed. Throws unless each record arrived exactly once.
 * @param {{ database: import('./support/database.mjs').Database, receiver: import('./support/receivers.mjs').Receiver,
 *           projects: import('./support/database.mjs').BenchProject[], count: number }} work
 */
async function drain({ database, receiver, projects, count }) {
  await receiver.call('reset');
  await database.fillOutbox(projects, count);
  const deadlineMs = performance.now() + DRAIN_DEADLINE_MS;
  // Asks the receiver until all have come, so that the database is not asked while it works.
  while ((await receiver.call('counts')).distinct < count) {
    if (performance.now() > deadlineMs) throw new Error(`not delivered within ${DRAIN_DEADLINE_MS} ms`);
    await sleep(POLL_MS);
  }
  while (!(await database.isOutboxEmpty())) await sleep(1);
  const settledAt = process.hrtime.bigint();
  const { requests, firstAt } = await receiver.call('counts');
  if (requests !== count) throw new Error(`${requests} requests for ${count} records`);
  return (count / Number(settledAt - firstAt)) * 1e9;
}
