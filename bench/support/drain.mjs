import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;
const DRAIN_DEADLINE_MS = 60_000;

/**
 * Lets messages wait, all at once, and times from the first request at the receiver until the last
 * outcome is committed. Throws unless each record arrived exactly once.
 * @param {{ database: import('./database.mjs').Database, receiver: import('./receivers.mjs').Receiver,
 *           projects: import('./database.mjs').BenchProject[], count: number }} work
 */
export async function drain({ database, receiver, projects, count }) {
  await receiver.call('reset');
  await database.fillOutbox(projects, count);
  const deadlineMs = performance.now() + DRAIN_DEADLINE_MS;
  // Asks the receiver until all have come, so that the database is not asked while it works.
  while ((await receiver.call('counts')).distinct < count) {
    if (performance.now() > deadlineMs) throw new Error(`not delivered within ${DRAIN_DEADLINE_MS} ms`);
    await sleep(POLL_MS);
  }
  while (!(await database.isAllForwarded())) await sleep(1);
  const settledAt = process.hrtime.bigint();
  const { requests, firstAt } = await receiver.call('counts');
  if (requests !== count) throw new Error(`${requests} requests for ${count} records`);
  return (count / Number(settledAt - firstAt)) * 1e9;
}
