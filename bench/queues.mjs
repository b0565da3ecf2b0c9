// Dispatch beside the two queues on PostgreSQL that one would otherwise use, each with one job per delivery and the
// same outbound call to the same receiver.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { drain } from './support/drain.mjs';
import { startHelper } from './support/helper.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledCount, scaledRounds } from './support/scale.mjs';

const ROUNDS = scaledRounds(5);
const MESSAGES = scaledCount(20_000, 256);
const PROJECTS = 100;
/** As many in progress as our worker has slots. */
const CONCURRENCY = 256;
const POLL_MS = 10;
const DRAIN_DEADLINE_MS = 60_000;

/** A peer, and the query that counts its unfinished jobs. */
const PEERS = /** @type {const} */ ([
  {
    name: 'pg-boss',
    ratioAtLeast: null,
    helper: 'pg-boss',
    open: `select 1 from pgboss.job where state < 'completed' limit 1`,
    failed: `select count(*)::int as count from pgboss.job where state = 'failed'`,
  },
  {
    name: 'graphile-worker',
    ratioAtLeast: 1.1,
    helper: 'graphile',
    open: `select 1 from graphile_worker._private_jobs where last_error is null limit 1`,
    failed: `select count(*)::int as count from graphile_worker._private_jobs where last_error is not null`,
  },
]);

export const deadlineMs = 240_000;
export const title = 'Dispatch beside pg-boss and graphile-worker, one job per delivery';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, [receiver]] = await Promise.all([startDatabase(scope), startReceivers(scope, 1)]);
  const url = receiver.url('/now');
  const worker = await startService(scope, database, { program: 'worker', receivers: [receiver] });
  const projects = await database.makeProjects(PROJECTS, url);
  const peers = [];
  for (const peer of PEERS) {
    const own = await database.another(peer.helper.replace('-', '_'));
    const helper = await startHelper(scope, peer.helper);
    await helper.call('open', {
      databaseUrl: own.url,
      caFile: receiver.caFile,
      url,
      concurrency: CONCURRENCY,
    });
    peers.push({ ...peer, database: own, helper, rates: /** @type {number[]} */ ([]) });
  }

  /** @type {number[]} */
  const ours = [];
  const drainOurs = () => drain({ database, receiver, projects, count: MESSAGES });
  await drainOurs();
  for (const peer of peers) await drainPeer({ peer, receiver });
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await drainOurs());
    for (const peer of peers) peer.rates.push(await drainPeer({ peer, receiver }));
  }
  await worker.stop();
  return {
    database: await database.facts(),
    rows: peers.map(({ name, rates, ratioAtLeast }) =>
      row({
        what: `deliveries/s, one worker : ${name}`,
        ours,
        baseline: rates,
        ...(ratioAtLeast && { target: { ratioAtLeast } }),
      }),
    ),
    raw: {
      messages: MESSAGES,
      concurrency: CONCURRENCY,
      ours,
      peers: peers.map(({ name, rates }) => ({ name, rates })),
    },
  };
}

/**
 * Lets jobs wait, then lets the peer work, and times from the first request at the receiver until the last job is
 * written as done. Throws where a job failed or was sent twice.
 * @param {{ peer: (typeof PEERS)[number] & { helper: import('./support/helper.mjs').Helper,
 *           database: import('./support/database.mjs').Database }, receiver: import('./support/receivers.mjs').Receiver }} parts
 */
async function drainPeer({ peer, receiver }) {
  await receiver.call('reset');
  await peer.helper.call('fill', { count: MESSAGES });
  await peer.helper.call('work');
  const deadlineMs = performance.now() + DRAIN_DEADLINE_MS;
  while ((await receiver.call('counts')).distinct < MESSAGES) {
    if (performance.now() > deadlineMs) throw new Error(`${peer.name}: not delivered in time`);
    await sleep(POLL_MS);
  }
  while ((await peer.database.client.query(peer.open)).rows.length > 0) {
    if (performance.now() > deadlineMs) throw new Error(`${peer.name}: not written as done in time`);
    await sleep(POLL_MS);
  }
  const doneAt = process.hrtime.bigint();
  await peer.helper.call('stop');
  const { requests, firstAt } = await receiver.call('counts');
  const { rows } = await peer.database.client.query(peer.failed);
  if (requests !== MESSAGES || rows[0].count > 0) {
    throw new Error(`${peer.name}: ${requests} requests for ${MESSAGES} jobs, ${rows[0].count} failed`);
  }
  return (MESSAGES / Number(doneAt - firstAt)) * 1e9;
}
