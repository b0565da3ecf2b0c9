// Isolation: the effect of hanging receivers on visitors, and of one of them on the other projects
// (design §7).
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { commitToReceiptMs } from './latency.mjs';
import { startReceivers } from './support/receivers.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { scaledCount, scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const PROJECTS = 100;
const RATE_PER_SECOND = scaledRate(500);
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(8);
const WARM_UP_SECONDS = 1;
/**
 * Backlog of the hanging project in the second part, so that it always needs more slots than it
 * gets.
 */
const HANGING_BACKLOG = scaledCount(2_000, 100);
const NEIGHBOUR_ROUNDS = scaledRounds(5);
const ARRIVAL_DEADLINE_MS = 15_000;

/** Start, 10 blocks and 5 backlogs. */
export const deadlineMs = 300_000;
export const title = `Isolation, ${RATE_PER_SECOND.toLocaleString('en')} consents/s arriving whatever the answers do`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const [database, receivers] = await Promise.all([startDatabase(scope), startReceivers(scope, 2)]);
  const [healthyReceiver, hangingReceiver] = receivers;
  const api = await startService(scope, database);
  await startService(scope, database, { program: 'worker', receivers });
  const load = await startHelper(scope, 'load');
  const projects = {
    healthy: await database.makeProjects(PROJECTS, healthyReceiver.url('/now')),
    hanging: await database.makeProjects(PROJECTS, hangingReceiver.url('/hang')),
  };
  const send = async (
    /** @type {import('./support/database.mjs').BenchProject[]} */ to,
    seconds = SECONDS,
  ) => {
    const sent = await load.call('openLoop', {
      baseUrl: api.baseUrl,
      projectIds: to.map(({ id }) => id),
      ratePerSecond: RATE_PER_SECOND,
      seconds,
      warmUpSeconds: WARM_UP_SECONDS,
    });
    if (sent.wrong > 0) throw new Error(`${sent.wrong} consents were not answered 201`);
    return sent;
  };

  await send(projects.healthy);
  /** @type {Record<'healthy' | 'hanging', { p50Ms: number, p99Ms: number, highestMs: number }[]>} */
  const ingest = { healthy: [], hanging: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // The order turns round, so that neither kind always follows the other.
    const kinds = /** @type {const} */ (['healthy', 'hanging']);
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const { p50Ms, p99Ms, highestMs } = await send(projects[kind]);
      ingest[kind].push({ p50Ms, p99Ms, highestMs });
      // What hangs must not be the next block's work.
      await database.emptyOutbox();
    }
  }

  const [hanging] = projects.hanging;
  /** @type {number[][]} */
  const neighbours = [];
  for (let round = 0; round < NEIGHBOUR_ROUNDS; round++) {
    await database.fillOutbox([hanging], HANGING_BACKLOG);
    await healthyReceiver.call('reset');
    const { answered } = await send([...projects.healthy.slice(1), hanging]);
    const healthy = new Map(
      [...answered]
        .filter(([, { projectId }]) => projectId !== hanging.id)
        .map(([id, { answeredAt }]) => [id, answeredAt]),
    );
    neighbours.push(await commitToReceiptMs(healthyReceiver, healthy, ARRIVAL_DEADLINE_MS));
    await database.emptyOutbox();
  }

  const of = (
    /** @type {'healthy' | 'hanging'} */ kind,
    /** @type {'p50Ms' | 'p99Ms' | 'highestMs'} */ figure,
  ) => ingest[kind].map((block) => block[figure]);
  const ms = { digits: 1, unit: ' ms' };
  return {
    database: await database.facts(),
    rows: [
      row({
        what: 'ingest p50, all receivers hanging : all healthy',
        ours: of('hanging', 'p50Ms'),
        baseline: of('healthy', 'p50Ms'),
        ...ms,
      }),
      row({
        what: 'ingest p99, all receivers hanging : all healthy',
        ours: of('hanging', 'p99Ms'),
        baseline: of('healthy', 'p99Ms'),
        target: { ratioAtMost: 1.1, differenceAtMost: 2, either: true },
        ...ms,
      }),
      .../** @type {const} */ ([50, 99]).map((percent) =>
        row({
          what: `commit to receipt p${percent}, 99 healthy projects beside a hanging one`,
          ours: neighbours.map((round) => percentile(round, percent)),
          target: percent === 99 ? { atMost: 1_000 } : {},
          ...ms,
        }),
      ),
    ],
    raw: { ratePerSecond: RATE_PER_SECOND, seconds: SECONDS, ingest, neighbours },
  };
}
