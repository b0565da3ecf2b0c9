// Bloat: what 5 million messages leave behind in the outbox once they have passed through it. Driven by the service's
// own statements (`OutboxClaimer`, `OutboxStore`), without a receiver, while autovacuum runs as it is set.
import { join } from 'node:path';
import { Client } from 'pg';
import { startHelper } from '../support/helper.mjs';
import { row } from '../support/report.mjs';
import { median } from '../support/statistics.mjs';

const PASSES = 5_000_000;
const WAITING = 10_000;
const PROJECTS = 100;
const SAMPLES = 10;
/** Passes while one transaction stays open, as a backup or a long report keeps it: nothing dead can be cleaned away. */
const PASSES_PINNED = 200_000;
const LIMIT = 256;
const LIMIT_PER_PROJECT = 4;
const CLAIMS_OF_A_CALL = 100;
const MEBIBYTE = 1024 ** 2;

/** @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database, scale: number }} parts */
export async function outboxPasses({ scope, server, scale }) {
  const database = await server.another('growth_passes');
  const passes = await startHelper(scope, 'outbox-passes');
  await passes.call('open', { databaseUrl: database.url, dataDir: join(scope.folder, 'data') });
  await database.fillMessages(await database.makeProjects(PROJECTS), WAITING);
  await database.settle();
  const samples = [];
  const startedMs = performance.now();
  let passed = 0;
  /** Passes at least this many records; the claims of the last call show what one costs now. */
  const passUntil = async (/** @type {number} */ end) => {
    for (;;) {
      const pass = await passes.call('pass', {
        databaseUrl: database.url,
        count: CLAIMS_OF_A_CALL,
        limit: LIMIT,
        limitPerProject: LIMIT_PER_PROJECT,
      });
      passed += pass.passed;
      if (passed >= end) return sampleOf(database, { passed, claimMs: median(pass.claimMs) });
    }
  };
  for (let sample = 0; sample <= SAMPLES; sample++) {
    samples.push(await passUntil((PASSES * scale * sample) / SAMPLES));
    console.log(`  ${JSON.stringify(samples.at(-1))}`);
  }
  const perSecond = (passed / (performance.now() - startedMs)) * 1_000;
  const [first, last] = [samples[0], samples.at(-1)];
  const pinned = await pinnedDuring(database, () => passUntil(passed + PASSES_PINNED * scale));
  const unpinned = await passUntil(passed + PASSES_PINNED * scale);
  const before = (/** @type {keyof (typeof samples)[number]} */ name) => [first[name]];
  const after = (/** @type {keyof (typeof samples)[number]} */ name) => [last?.[name] ?? NaN];
  const what = `after ${last?.passed.toLocaleString('en')} passes : at the start`;
  return {
    rows: [
      row({
        what: `claim of ${LIMIT}, ${WAITING.toLocaleString('en')} waiting, ${what}`,
        ours: after('claimMs'),
        baseline: before('claimMs'),
        digits: 2,
        unit: ' ms',
      }),
      row({
        what: `outbox table, ${what}`,
        ours: after('tableMb'),
        baseline: before('tableMb'),
        digits: 1,
        unit: ' MB',
      }),
      row({
        what: `outbox index, ${what}`,
        ours: after('indexMb'),
        baseline: before('indexMb'),
        digits: 1,
        unit: ' MB',
      }),
      row({ what: 'dead rows in the outbox at the end', ours: after('dead') }),
      row({
        what: `claim of ${LIMIT}, ${(PASSES_PINNED * scale).toLocaleString('en')} passes after a transaction was opened that stays : before`,
        ours: [pinned.claimMs],
        baseline: after('claimMs'),
        digits: 2,
        unit: ' ms',
      }),
      row({
        what: 'the same once it has ended and as many have passed again : before',
        ours: [unpinned.claimMs],
        baseline: after('claimMs'),
        digits: 2,
        unit: ' ms',
      }),
      row({ what: 'passes/s: insert, claim, settle in turn, one connection', ours: [perSecond] }),
    ],
    raw: { samples, pinned, unpinned, perSecond },
  };
}

/**
 * @param {import('../support/database.mjs').Database} database
 * @param {{ passed: number, claimMs: number }} so
 * @returns {Promise<{ passed: number, claimMs: number, tableMb: number, indexMb: number, dead: number,
 *                     live: number, vacuums: number }>}
 */
async function sampleOf(database, so) {
  const { rows } = await database.client.query(
    `select pg_table_size('outbox_message')::float8 / $1 as "tableMb", pg_indexes_size('outbox_message')::float8 / $1 as "indexMb",
            n_dead_tup::int as dead, n_live_tup::int as live, autovacuum_count::int as vacuums
     from pg_stat_user_tables where relname = 'outbox_message'`,
    [MEBIBYTE],
  );
  return { ...so, ...rows[0] };
}

/**
 * Does some work while another transaction keeps its snapshot of the database.
 * @template Result
 * @param {import('../support/database.mjs').Database} database
 * @param {() => Promise<Result>} work
 */
async function pinnedDuring(database, work) {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read');
    await client.query('select 1 from outbox_message limit 1');
    return await work();
  } finally {
    await client.end();
  }
}
