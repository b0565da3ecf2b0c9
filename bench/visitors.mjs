// Visitors: what finding a visitor's records costs the ingest: its statement, for projects that name no field, one, and
// one whose values are hashed (ADR 32), and with the hash of each visitor's key (ADR 43).
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { batchParameters, batchStatement } from '../dist/consent/infrastructure/consent-statement.js';
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { median } from './support/statistics.mjs';

const ROUNDS = 7;
const BATCHES_PER_ROUND = 150;
const WARM_UP_BATCHES = 100;
/** As many as commits share at a few thousand records a second. */
const BATCH_ROWS = 64;
/** Nobody wants to hear of the records: what is compared is the record's own part. */
const AUDIENCE = /** @type {import('../dist/consent/consent.events.js').ConsentAudience} */ ("'off'");

export const deadlineMs = 120_000;
export const title = `Visitors: the ingest's statement, ${BATCH_ROWS} records at a time, with a visitor reference`;

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  // Its start makes the tables.
  const service = await startService(scope, database, { environment: { RUN_WORKER: 'false' } });
  await service.stop();
  const [plain, named, hashed, keyed] = await database.makeProjects(4);
  if (!plain || !named || !hashed || !keyed) throw new Error('four projects were asked for');
  for (const [project, isHashed] of /** @type {const} */ ([
    [named, false],
    [hashed, true],
  ]))
    await database.client.query(
      `update project set visitor_reference_field = 'customer', visitor_reference_hashed = $2, visitor_salt = $3
       where id = $1`,
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
    rows: /** @type {const} */ (['named', 'hashed', 'keyed']).map((name) =>
      row({
        what: name === 'keyed' ? 'a batch, with keys : none' : `a batch, the field ${name} : none`,
        ours: rounds[name],
        baseline: rounds.plain,
        digits: 2,
        unit: ' ms',
      }),
    ),
    raw: { batchRows: BATCH_ROWS, batches: BATCHES_PER_ROUND, rounds },
  };
}

/**
 * The median time of a batch, over one connection.
 * @param {import('./support/database.mjs').Database} database
 * @param {{ projectId: string; hasKeys: boolean }} kind
 * @param {number} count
 */
async function batches(database, { projectId, hasKeys }, count) {
  const statement = batchStatement(AUDIENCE);
  const times = [];
  for (let batch = 0; batch < count; batch++) {
    const rows = Array.from({ length: BATCH_ROWS }, () => ({
      ...{ projectId, id: v7(), analytics: true, marketing: false, preferences: true, action: 'custom' },
      ...{ hostname: 'www.example.com', customEndpoint: null, originHost: null },
      ...{ configHash: null, language: 'en', surface: 'banner' },
      visitorKeyHash: hasKeys ? keyHash() : null,
      extraJson: JSON.stringify({ customer: v7(), policyVersion: '2026-11' }),
    }));
    const startedMs = performance.now();
    await database.client.query({ ...statement, values: batchParameters(rows) });
    times.push(performance.now() - startedMs);
  }
  return median(times);
}

/** As a new visitor's banner sends it: the time in front. */
function keyHash() {
  const bytes = randomBytes(38);
  bytes.writeUIntBE(Date.now(), 0, 6);
  return bytes;
}
