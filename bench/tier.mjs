// `@RequireTier`: what the guard costs a request, in time and in queries (design §7).
import { join } from 'node:path';
import { startDatabase } from './support/database.mjs';
import { startHelper } from './support/helper.mjs';
import { row } from './support/report.mjs';

const ROUNDS = 5;
const CALLS = 20_000;
const CALLS_THAT_ASK = 500;

export const title = '@RequireTier: the guard, called as Nest calls it';

/**
 * With a cached tier the guard must ask nothing. That the counting would see a query shows the tier whose cache
 * has run out: there it asks one a call.
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const guarded = await startHelper(scope, 'tier-guard');
  await guarded.call('open', { databaseUrl: database.url, dataDir: join(scope.folder, 'data') });
  const [project] = await database.makeProjects(1);
  const call = (/** @type {object} */ args, /** @type {number} */ count) =>
    guarded.call('call', { projectId: project.id, count, ...args });

  /** @type {Record<'cached' | 'hostname' | 'expired', { ms: number, queriesPerCall: number }[]>} */
  const rounds = { cached: [], hostname: [], expired: [] };
  await guarded.call('call', { projectId: project.id, tierValidUntil: null, count: CALLS });
  for (let round = 0; round < ROUNDS; round++) {
    rounds.cached.push(await call({ tierValidUntil: null }, CALLS));
    rounds.hostname.push(await call({ tierValidUntil: null, hostname: 'www.example.com' }, CALLS));
    rounds.expired.push(await call({ tierValidUntil: new Date(0) }, CALLS_THAT_ASK));
  }
  const of = (/** @type {keyof typeof rounds} */ name, /** @type {'ms' | 'queriesPerCall'} */ figure) =>
    rounds[name].map((one) => one[figure]);
  const time = { digits: 4, unit: ' ms' };
  return {
    database: await database.facts(),
    rows: [
      row({ what: 'guard, tier cached', ours: of('cached', 'ms'), target: { atMost: 0.2 }, ...time }),
      row({
        what: 'guard, tier cached: queries a call',
        ours: of('cached', 'queriesPerCall'),
        digits: 3,
        target: { atMost: 0 },
      }),
      row({
        what: 'guard, tier cached, with a hostname',
        ours: of('hostname', 'ms'),
        target: { atMost: 0.2 },
        ...time,
      }),
      row({ what: 'guard, cache run out', ours: of('expired', 'ms'), ...time }),
      row({
        what: 'guard, cache run out: queries a call',
        ours: of('expired', 'queriesPerCall'),
        digits: 3,
      }),
    ],
    raw: { calls: CALLS, callsThatAsk: CALLS_THAT_ASK, rounds },
  };
}
