// Claim: what taking messages out of the outbox costs with 1 million waiting, against 1,000 (design §7).
import { join } from 'node:path';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';
import { median } from './support/statistics.mjs';
import { scaledCount, scaledRounds } from './support/scale.mjs';

const SHALLOW = scaledCount(1_000, 512);
const DEEP = scaledCount(1_000_000, 1024);
const PROJECTS = 100;
const ROUNDS = scaledRounds(5);
const CLAIMS = scaledCount(40, 4);
const WARM_UP_CLAIMS = scaledCount(20, 4);
/**
 * Like a worker's claim while all its projects have work: its slots, and a project's initial share.
 */
const LIMIT = 256;
const LIMIT_PER_PROJECT = 4;

export const deadlineMs = 240_000;
export const title = `Claim, ${LIMIT} at a time, of ${PROJECTS} projects: the outbox with ${DEEP.toLocaleString('en')} waiting`;

/**
 * Runs twice: with the statistics and the plan of an empty table, as an idle worker has them just after a receiver became
 * unavailable, and with those of an analyzed table. Uses the service's own statements, and reinserts deleted messages.
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const shallow = await startDatabase(scope);
  const deep = await shallow.another('deep');
  const passes = await startHelper(scope, 'outbox-passes');
  const waiting = /** @type {const} */ ([
    [shallow, SHALLOW],
    [deep, DEEP],
  ]);
  for (const [database, count] of waiting) {
    await passes.call('open', { databaseUrl: database.url, dataDir: join(scope.folder, 'data') });
    await database.setAutovacuum(false);
    await database.settle();
    // As in a service that has been idle: the statement is prepared, and its plan made, while nothing waits.
    await claimTimes(passes, database, 1);
    await database.fillMessages(await database.makeProjects(PROJECTS), count);
    await database.client.query('checkpoint');
  }
  const stale = await measure({ passes, shallow, deep });
  for (const [database] of waiting) {
    await database.setAutovacuum(true);
    await database.settle();
  }
  const analysed = await measure({ passes, shallow, deep });

  const rowsOf = (/** @type {typeof stale} */ rounds, /** @type {string} */ statistics) =>
    /** @type {const} */ (['claimMs', 'settleMs']).map((what) =>
      row({
        what: `${what === 'claimMs' ? 'claim' : 'settle'} of ${LIMIT}, ${DEEP.toLocaleString('en')} waiting : ${SHALLOW.toLocaleString('en')}; ${statistics}`,
        ours: rounds.deep.map((one) => one[what]),
        baseline: rounds.shallow.map((one) => one[what]),
        digits: 2,
        unit: ' ms',
        target: { ratioAtMost: 1.2 },
      }),
    );
  return {
    database: await shallow.facts(),
    rows: [...rowsOf(stale, 'statistics of an empty table'), ...rowsOf(analysed, 'analysed')],
    raw: { limit: LIMIT, limitPerProject: LIMIT_PER_PROJECT, projects: PROJECTS, stale, analysed },
  };
}

/**
 * Alternating rounds over both; each figure is the median of the round's claims.
 * @param {{ passes: import('./support/helper.mjs').Helper, shallow: import('./support/database.mjs').Database,
 *           deep: import('./support/database.mjs').Database }} parts
 */
async function measure({ passes, shallow, deep }) {
  const claim = async (/** @type {import('./support/database.mjs').Database} */ database, count = CLAIMS) => {
    const { claimMs, settleMs } = await claimTimes(passes, database, count);
    return { claimMs: median(claimMs), settleMs: median(settleMs) };
  };
  /** @type {Record<'shallow' | 'deep', { claimMs: number, settleMs: number }[]>} */
  const rounds = { shallow: [], deep: [] };
  await claim(shallow, WARM_UP_CLAIMS);
  await claim(deep, WARM_UP_CLAIMS);
  for (let round = 0; round < ROUNDS; round++) {
    rounds.shallow.push(await claim(shallow));
    rounds.deep.push(await claim(deep));
  }
  return rounds;
}

/**
 * @param {import('./support/helper.mjs').Helper} passes
 * @param {import('./support/database.mjs').Database} database
 * @param {number} count claims, each settled and made up for
 * @returns {Promise<{ claimMs: number[], settleMs: number[] }>}
 */
function claimTimes(passes, database, count) {
  return passes.call('pass', {
    databaseUrl: database.url,
    count,
    limit: LIMIT,
    limitPerProject: LIMIT_PER_PROJECT,
  });
}
