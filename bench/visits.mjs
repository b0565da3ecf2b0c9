// Visits: what counting page views costs the ingest beside it, at ten views a consent (ADR 39): the latency of consents at a
// fixed rate, and how many a second are stored, in rounds that take turns with and without.
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const CONSENTS_PER_SECOND = scaledRate(100);
const VISITS_PER_CONSENT = 10;
const VISITS_PER_SECOND = CONSENTS_PER_SECOND * VISITS_PER_CONSENT;
const ROUNDS = scaledRounds(7);
const SECONDS = scaledSeconds(4);
const CONNECTIONS = 64;
const WARM_UP_SECONDS = scaledSeconds(3);
/** Counts are written every 5 s: a round without this starts after it. */
const WRITTEN_MS = 5_500;

export const deadlineMs = 400_000;
export const title = `Consents beside ${VISITS_PER_SECOND} page visits a second, against consents alone`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const environment = { RUN_WORKER: 'false', VISIT_RATE_PER_MINUTE: '0' };
  const [consents, views, service] = await Promise.all([
    startHelper(scope, 'load'),
    startHelper(scope, 'load'),
    startService(scope, database, { environment }),
  ]);
  const [project] = await database.makeProjects(1);
  if (!project) throw new Error('a project was asked for');
  const target = { baseUrl: service.baseUrl, projectId: project.id };
  await consents.call('closedLoop', { ...target, connections: CONNECTIONS, seconds: WARM_UP_SECONDS });
  await views.call('visits', { ...target, ratePerSecond: VISITS_PER_SECOND, seconds: WARM_UP_SECONDS });

  const measure = async () => {
    const open = await consents.call('openLoop', {
      baseUrl: target.baseUrl,
      projectIds: [project.id],
      ratePerSecond: CONSENTS_PER_SECOND,
      seconds: SECONDS,
      warmUpSeconds: 1,
      track: false,
    });
    if (open.wrong > 0) throw new Error(`${open.wrong} consents were not answered 201`);
    const closed = await consents.call('closedLoop', {
      ...target,
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
    return { p50Ms: open.p50Ms, p99Ms: open.p99Ms, perSecond: closed.perSecond };
  };
  /** @type {{ alone: Awaited<ReturnType<typeof measure>>[], beside: Awaited<ReturnType<typeof measure>>[], visits: number[] }} */
  const rounds = { alone: [], beside: [], visits: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.alone.push(await measure());
    // Longer than the measurement, so that there are views during all of it.
    const counting = views.call('visits', {
      ...target,
      ratePerSecond: VISITS_PER_SECOND,
      seconds: 2 * SECONDS + 2,
    });
    rounds.beside.push(await measure());
    rounds.visits.push((await counting).perSecond);
    await sleep(WRITTEN_MS);
    await database.emptyOutbox();
  }
  const of = (
    /** @type {'alone' | 'beside'} */ side,
    /** @type {'p50Ms' | 'p99Ms' | 'perSecond'} */ figure,
  ) => rounds[side].map((one) => one[figure]);
  const { rows: counted } = await database.client.query('select count(*)::int as rows from site_visit');
  return {
    database: await database.facts(),
    rows: [
      ...['p50Ms', 'p99Ms'].map((name) => {
        const figure = /** @type {'p50Ms' | 'p99Ms'} */ (name);
        return row({
          what: `${name.replace('Ms', '')} of consents at ${CONSENTS_PER_SECOND}/s (open loop), beside visits : alone`,
          ours: of('beside', figure),
          baseline: of('alone', figure),
          digits: 2,
          unit: ' ms',
        });
      }),
      row({
        what: `consents/s of ${CONNECTIONS} callers (closed loop), beside visits : alone`,
        ours: of('beside', 'perSecond'),
        baseline: of('alone', 'perSecond'),
      }),
      row({ what: 'visits counted a second', ours: rounds.visits }),
    ],
    raw: { rounds, visitRows: counted[0]?.rows },
  };
}
