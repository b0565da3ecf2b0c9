// Dispatch: deliveries per second of one worker, against a bare `undici.request` loop (design §7).
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
const MESSAGES_OF_ONE_PROJECT = scaledCount(5_000, 64);
/** As many as the worker has slots (FORWARDING_SLOTS). */
const CONCURRENCY = 256;

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
      row({
        what: `deliveries/s, ${PROJECTS} projects : bare undici.request loop, ${CONCURRENCY} at once`,
        ours: rates.ours,
        baseline: rates.bare,
        target: { ratioAtLeast: 0.6 },
      }),
      row({
        what: 'deliveries/s, one project, receiver takes 20 ms',
        ours: rates.slow,
        target: { atLeast: 2_000 },
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
