// Queued messages: the cost of a claim, and a worker's delivery rate, with up to a million of them.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHelper } from '../support/helper.mjs';
import { startReceivers } from '../support/receivers.mjs';
import { row } from '../support/report.mjs';
import { startService } from '../support/service.mjs';
import { median } from '../support/statistics.mjs';
import { scaledCount, scaledRounds, scaledSeconds } from '../support/scale.mjs';

const STEPS = [0, 1_000, 100_000, 1_000_000].map((step) => scaledCount(step));
const PROJECTS = 100;
const ROUNDS = scaledRounds(5);
const CLAIMS = scaledCount(40, 4);
const LIMIT = 256;
const LIMIT_PER_PROJECT = 4;
const DISPATCH_SECONDS = scaledSeconds(2);
const BARE_REQUESTS = scaledCount(10_000, 256);
/** Before it is measured, so that connections are open and shares have grown. */
const DISPATCH_WARM_UP_MS = scaledSeconds(2) * 1_000;
/** An unhindered worker delivers more than this in the measured time. */
const DISPATCH_MESSAGES_MIN = scaledCount(100_000, 2000);

/** @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database }} parts */
export async function messagesWaiting({ scope, server }) {
  const claims = await claimCosts({ scope, server });
  const dispatch = await dispatchRates({ scope, server });
  return {
    rows: [
      ...claims.flatMap(({ waiting, claimMs, settleMs }) => [
        row({
          what: `claim of ${LIMIT}, ${waiting.toLocaleString('en')} waiting`,
          ours: claimMs,
          digits: 2,
          unit: ' ms',
        }),
        ...(settleMs.length > 0
          ? [
              row({
                what: `settle of ${LIMIT}, ${waiting.toLocaleString('en')} waiting`,
                ours: settleMs,
                digits: 2,
                unit: ' ms',
              }),
            ]
          : []),
      ]),
      ...dispatch.map(({ waiting, rates, bare }) =>
        row({
          what: `deliveries/s, ${waiting.toLocaleString('en')} waiting : bare undici loop`,
          ours: rates,
          baseline: bare,
        }),
      ),
    ],
    raw: { claims, dispatch },
  };
}

/** @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database }} parts */
async function claimCosts({ scope, server }) {
  const database = await server.another('growth_claims');
  const passes = await startHelper(scope, 'outbox-passes');
  await passes.call('open', { databaseUrl: database.url, dataDir: join(scope.folder, 'data') });
  const projects = await database.makeProjects(PROJECTS);
  const steps = [];
  let present = 0;
  for (const waiting of STEPS) {
    await database.fillMessages(projects, waiting - present);
    present = waiting;
    await database.settle();
    const step = { waiting, claimMs: /** @type {number[]} */ ([]), settleMs: /** @type {number[]} */ ([]) };
    for (let round = -1; round < ROUNDS; round++) {
      const { claimMs, settleMs } = await passes.call('pass', {
        databaseUrl: database.url,
        count: CLAIMS,
        limit: LIMIT,
        limitPerProject: LIMIT_PER_PROJECT,
      });
      if (round < 0) continue;
      step.claimMs.push(median(claimMs));
      if (settleMs.length > 0) step.settleMs.push(median(settleMs));
    }
    steps.push(step);
  }
  return steps;
}

/**
 * A real worker and a receiver that answers at once, counted over a stretch of a long backlog.
 * @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database }} parts
 */
async function dispatchRates({ scope, server }) {
  const [receiver] = await startReceivers(scope, 1);
  const sender = await startHelper(scope, 'bare-sender');
  const steps = [];
  for (const waiting of STEPS.slice(2)) {
    const database = await server.another(`growth_dispatch_${waiting}`);
    const api = await startService(scope, database);
    await api.stop();
    const projects = await database.makeProjects(PROJECTS, receiver.url('/now'));
    await database.fillRecords(projects, Math.max(waiting, DISPATCH_MESSAGES_MIN), { waiting: true });
    await database.settle();
    const step = { waiting, rates: /** @type {number[]} */ ([]), bare: /** @type {number[]} */ ([]) };
    for (let round = 0; round < ROUNDS; round++) {
      const { perSecond } = await sender.call('send', {
        url: receiver.url('/now'),
        caFile: receiver.caFile,
        concurrency: LIMIT,
        count: BARE_REQUESTS,
      });
      const worker = await startService(scope, database, { program: 'worker', receivers: [receiver] });
      await sleep(DISPATCH_WARM_UP_MS);
      const before = await receiver.call('counts');
      const startedMs = performance.now();
      await sleep(DISPATCH_SECONDS * 1_000);
      const after = await receiver.call('counts');
      const rate = ((after.requests - before.requests) / (performance.now() - startedMs)) * 1_000;
      await worker.stop();
      // Removed messages are put back, so that every round has the same depth.
      await database.refillOutbox(projects, Math.max(waiting, DISPATCH_MESSAGES_MIN));
      step.rates.push(rate);
      step.bare.push(perSecond);
    }
    steps.push(step);
  }
  return steps;
}
