// Visitors: what finding a visitor's records costs the ingest: its statement, for projects that name no field, one, and
// one whose values are hashed (ADR 32), and with the hash of each visitor's key (ADR 43). And whether the time of a refusal
// distinguishes an existing record from a missing one.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { batchParameters, batchStatement } from '../dist/modules/consent/infrastructure/consent-statement.js';
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { median } from './support/statistics.mjs';
import { scaledCount, scaledRounds } from './support/scale.mjs';

const ROUNDS = scaledRounds(7);
const BATCHES_PER_ROUND = scaledCount(150, 5);
const WARM_UP_BATCHES = scaledCount(100, 5);
/** As many as commits share at a few thousand records a second. */
const BATCH_ROWS = 64;
/** Forwarding is off: only the record's own part is compared. */
const NEVER = () => sql.lit('off');

/** Records of one project, each with a different key, among which a wrong key finds nothing. */
const STORED = scaledCount(50_000, 500);
const REFUSALS_PER_ROUND = scaledCount(150, 5);

export const deadlineMs = 240_000;
export const title = `Visitors: the ingest's statement, ${BATCH_ROWS} records at a time, with a visitor reference`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  // Its start makes the tables.
  const environment = { RUN_WORKER: 'false', VISITOR_RATE_PER_MINUTE: '0' };
  const service = await startService(scope, database, { environment });
  const refused = await refusals(database, service.baseUrl);
  await service.stop();
  const [plain, named, hashed, keyed] = await database.makeProjects(4);
  if (!plain || !named || !hashed || !keyed) throw new Error('four projects were asked for');
  for (const [project, isHashed] of /** @type {const} */ ([
    [named, false],
    [hashed, true],
  ]))
    await database.client.query(
      `insert into visitor_reference (project_id, field, hashed, salt) values ($1, 'customer', $2, $3)`,
      [project.id, isHashed, randomBytes(16)],
    );
  const kinds = { plain, named, hashed, keyed };
  /** @type {Record<keyof typeof kinds, number[]>} */
  const rounds = { plain: [], named: [], hashed: [], keyed: [] };
  const names = /** @type {(keyof typeof kinds)[]} */ (Object.keys(kinds));
  const timed = (/** @type {keyof typeof kinds} */ name, /** @type {number} */ count) =>
    batches(database, { projectId: kinds[name].id, hasKeys: name === 'keyed' }, count);
  for (const name of names) await timed(name, WARM_UP_BATCHES);
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) rounds[name].push(await timed(name, BATCHES_PER_ROUND));
  return {
    database: await database.facts(),
    rows: [
      .../** @type {const} */ (['named', 'hashed', 'keyed']).map((name) =>
        row({
          what: name === 'keyed' ? 'a batch, with keys : none' : `a batch, the field ${name} : none`,
          ours: rounds[name],
          baseline: rounds.plain,
          digits: 2,
          unit: ' ms',
        }),
      ),
      ...refused.map(({ what, known, unknown }) =>
        row({
          what,
          ours: known,
          baseline: unknown,
          target: { ratioAtLeast: 0.95, ratioAtMost: 1.05 },
          digits: 2,
          unit: ' ms',
        }),
      ),
    ],
    raw: { batchRows: BATCH_ROWS, batches: BATCHES_PER_ROUND, rounds, refused },
  };
}

/**
 * The median time of a batch, over one connection.
 * @param {import('./support/database.mjs').Database} database
 * @param {{ projectId: string; hasKeys: boolean }} kind
 * @param {number} count
 */
async function batches(database, { projectId, hasKeys }, count) {
  const statement = batchStatement(NEVER);
  const times = [];
  for (let batch = 0; batch < count; batch++) {
    const rows = Array.from({ length: BATCH_ROWS }, () => ({
      projectId,
      id: v7(),
      analytics: true,
      marketing: false,
      preferences: true,
      action: 'custom',
      hostname: 'www.example.com',
      customEndpoint: null,
      originHost: null,
      configHash: null,
      language: 'en',
      surface: 'banner',
      visitorKeyHash: hasKeys ? keyHash() : null,
      extraJson: JSON.stringify({ customer: v7(), policyVersion: '2026-11' }),
    }));
    const startedMs = performance.now();
    await database.client.query({ ...statement, values: batchParameters(rows) });
    times.push(performance.now() - startedMs);
  }
  return median(times);
}

/**
 * The median time of refusals, in turns: a wrong key with the id of a record that is there, against one that is not.
 * @param {import('./support/database.mjs').Database} database
 * @param {string} baseUrl
 */
async function refusals(database, baseUrl) {
  const [project] = await database.makeProjects(1);
  if (!project) throw new Error('a project was asked for');
  const { rows: stored } = await database.client.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, visitor_key_hash)
     select $1, overlay($2::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, true, false, true, 'custom',
            decode(lpad(to_hex(1700000000000 + n), 12, '0'), 'hex') || sha256(n::text::bytea)
     from generate_series(1, $3::int) n returning id`,
    [project.id, v7(), STORED],
  );
  const ask = async (/** @type {string} */ request, /** @type {string} */ consentId) => {
    const startedMs = performance.now();
    const body = JSON.stringify({ projectId: project.id, visitorKey: keyHash().toString('hex'), consentId });
    const answer = await fetch(`${baseUrl}/v1/visitor/${request}`, { method: 'POST', body });
    await answer.text();
    if (answer.status !== 404) throw new Error(`${request} answered ${answer.status}`);
    return performance.now() - startedMs;
  };
  const all = [];
  for (const request of ['receipts', 'erasures']) {
    /** @type {Record<'known' | 'unknown', number[]>} */
    const medians = { known: [], unknown: [] };
    for (let round = 0; round < ROUNDS; round++) {
      /** @type {Record<'known' | 'unknown', number[]>} */
      const took = { known: [], unknown: [] };
      for (let at = 0; at < REFUSALS_PER_ROUND; at++) {
        const id = stored[(round * REFUSALS_PER_ROUND + at) % STORED].id;
        const turns = /** @type {const} */ (['known', 'unknown']);
        for (const kind of at % 2 === 0 ? turns : turns.toReversed())
          took[kind].push(await ask(request, kind === 'known' ? id : v7()));
      }
      medians.known.push(median(took.known));
      medians.unknown.push(median(took.unknown));
    }
    all.push({ what: `${request}, a wrong key, a record : none`, ...medians });
  }
  return all;
}

/** As a new visitor's banner sends it: the time in front. */
function keyHash() {
  const bytes = randomBytes(38);
  bytes.writeUIntBE(Date.now(), 0, 6);
  return bytes;
}
