// Evidence (docs/evidence.md): how fast a worker sequences stored records, how far it lags under constant load,
// what the salt costs the ingest statement, how long a proof of a record among many takes, and how large it is.
// The bench `sequencing` measures what sequencing costs deliveries and consents.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { v7 } from 'uuid';
import { batchParameters, batchStatement } from '../dist/modules/consent/infrastructure/consent-statement.js';
import { recordBody } from '../dist/modules/consent/domain/consent-recorded.js';
import { checkpointText } from '../dist/modules/evidence/domain/checkpoint.js';
import { computeCommitment } from '../dist/modules/evidence/domain/commitment.js';
import { appendEntries, encodeEdge, objectPath, partialTiles } from '../dist/modules/evidence/domain/log.js';
import { createSigner, signNote } from '../dist/modules/evidence/domain/signed-note.js';
import { EMPTY_RANGE, computeRoot } from '../dist/modules/evidence/domain/compact-range.js';
import { startDatabase } from './support/database.mjs';
import { cpuSeconds } from './support/processes.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { median, percentile } from './support/statistics.mjs';
import { scaledCount, scaledRate, scaledRounds, scaledSeconds } from './support/scale.mjs';

const PROJECTS = 100;
const SEALED = scaledCount(100_000, 1000);
const SEAL_ROUNDS = scaledRounds(3);
const PER_TRANSACTION = 20;
const SEAL_DEADLINE_MS = 60_000;

/** Records that arrive while the lag is measured: for at least two runs of the sequencer, one every 30 s by default. */
const LAG_PER_SECOND = scaledRate(2_000);
const LAG_SECONDS = scaledSeconds(90, 3);
const LAG_BATCH_MS = 50;
const LEASES_DEADLINE_MS = 90_000;

const ROUNDS = scaledRounds(9);
const BATCHES_PER_ROUND = scaledCount(150, 5);
const BATCH_ROWS = 64;
/** Forwarding is off: only the record's own part is compared. */
const NEVER = () => sql.lit('off');

/** Records of the one log of which proofs are made. */
const LOGGED = scaledCount(10_000_000, 51200);
const CHUNK = 25_600;
const PROOFS = scaledCount(300, 10);
/** Keys of this bench and of nothing else. */
const SEED = randomBytes(32);

export const deadlineMs = 600_000;
export const title = 'Evidence: sequencing, the salt, and proofs';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const environment = { EVIDENCE_KEYS: `bench:${SEED.toString('base64')}`, EVIDENCE_SEAL_SECONDS: '1' };
  const service = await startService(scope, database, {
    environment: { ...environment, RUN_WORKER: 'false' },
  });
  const salted = await saltOfBatches(database);
  const sealing = [];
  for (let round = 0; round < SEAL_ROUNDS; round++)
    sealing.push(await seal(scope, database, { environment, round }));
  const lags = await lagOf(scope, database);
  const proofs = await proofsAmongMany(
    { dataDir: join(scope.folder, 'data'), database, baseUrl: service.baseUrl },
    LOGGED,
  );
  return {
    database: await database.facts(),
    rows: [
      row({
        what: 'a batch, with salts : none',
        ours: salted.with,
        baseline: salted.without,
        target: { ratioAtMost: 1.03 },
        digits: 2,
        unit: ' ms',
      }),
      row({
        what: 'sequenced and signed, records/s, 100 projects',
        ours: sealing.map(({ perSecond }) => perSecond),
        target: { atLeast: 10_000 },
      }),
      row({
        what: 'worker, processor time of 1,000 records',
        ours: sealing.map(({ workerMs }) => workerMs),
        digits: 1,
        unit: ' ms',
      }),
      row({
        what: `longest lag at ${Math.round(lags.perSecond).toLocaleString('en')} records/s`,
        ours: [Math.max(...lags.lags)],
        target: { atMost: 60 },
        digits: 1,
        unit: ' s',
      }),
      row({
        what: `a proof among ${LOGGED.toLocaleString('en')}, p50`,
        ours: [percentile(proofs.times, 50)],
        digits: 1,
        unit: ' ms',
      }),
      row({
        what: `a proof among ${LOGGED.toLocaleString('en')}, p99`,
        ours: [percentile(proofs.times, 99)],
        target: { atMost: 100 },
        digits: 1,
        unit: ' ms',
      }),
      row({
        what: 'path and checkpoint of it',
        ours: [proofs.pathBytes],
        target: { atMost: 2_048 },
        unit: ' bytes',
      }),
      row({
        what: 'the file, with the record and the proof of its checkpoint',
        ours: [proofs.fileBytes],
        unit: ' bytes',
      }),
    ],
    raw: { salted, sealing, lags, proofs },
  };
}

/**
 * The ingest's statement with and without salts, in turns, over one connection.
 * @param {import('./support/database.mjs').Database} database
 */
async function saltOfBatches(database) {
  const [project] = await database.makeProjects(1);
  const statement = batchStatement(NEVER);
  const timed = async (/** @type {boolean} */ isSalted, /** @type {number} */ count) => {
    const times = [];
    for (let batch = 0; batch < count; batch++) {
      const rows = Array.from({ length: BATCH_ROWS }, () => ({
        projectId: project.id,
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
        visitorKeyHash: null,
        extraJson: JSON.stringify({ policyVersion: '2026-11' }),
      }));
      const startedMs = performance.now();
      await database.client.query({ ...statement, values: batchParameters(rows, isSalted) });
      times.push(performance.now() - startedMs);
    }
    return median(times);
  };
  for (const isSalted of [true, false]) await timed(isSalted, BATCHES_PER_ROUND);
  /** @type {{ with: number[], without: number[] }} */
  const rounds = { with: [], without: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.with.push(await timed(true, BATCHES_PER_ROUND));
    rounds.without.push(await timed(false, BATCHES_PER_ROUND));
  }
  return rounds;
}

/**
 * Stores records of some projects and times a worker from the first that is sealed until all are signed.
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {import('./support/database.mjs').Database} database
 * @param {{ environment: Record<string, string>, round: number }} how
 */
export async function seal(scope, database, { environment, round }) {
  // Each round's records were stored 20 in a transaction, at the target rate.
  const since = `now() - interval '${60 - 10 * round} minutes'`;
  await database.skipSealing();
  const [{ xid }] = (
    await database.client.query(
      `update sequencer_cursor set after_xid = after_xid - $1 returning after_xid::text as xid`,
      [SEALED / PER_TRANSACTION + 1],
    )
  ).rows;
  const projects = await database.makeProjects(PROJECTS);
  await database.client.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, extra, received_at, salt,
       stored_xid)
     select ($1::uuid[])[1 + n % cardinality($1::uuid[])],
            (lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8'
             || substr(md5(n::text), 4, 3) || lpad(to_hex(n), 12, '0'))::uuid,
            true, false, true, 'custom', 'www.example.com', '{"language": "de", "bannerVersion": "2026-11"}',
            date_trunc('milliseconds', ${since} + n * interval '100 microseconds'),
            decode(md5(n::text) || md5('salt' || n::text), 'hex'), $3::bigint + n / ${PER_TRANSACTION}
     from generate_series(1, $2::int) n`,
    [projects.map(({ id }) => id), SEALED, xid],
  );
  const ids = projects.map(({ id }) => id);
  const worker = await startService(scope, database, { program: 'worker', environment });
  const signed = () => sealedOf(database, ids);
  const deadline = performance.now() + SEAL_DEADLINE_MS;
  while ((await signed()).size === 0) await waitOn(deadline);
  const [startedMs, cpu] = [performance.now(), cpuSeconds(worker.pid)];
  const already = (await signed()).size;
  while ((await signed()).signed < SEALED) await waitOn(deadline);
  const seconds = (performance.now() - startedMs) / 1000;
  const workerMs = ((cpuSeconds(worker.pid) - cpu) * 1_000_000) / (SEALED - already);
  await worker.stop();
  return { perSecond: (SEALED - already) / seconds, workerMs };
}

/**
 * The age of the oldest record without a signed checkpoint, each second, under constant load: records are inserted directly
 * into the table, so that only sequencing is measured, with default settings.
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {import('./support/database.mjs').Database} database
 */
async function lagOf(scope, database) {
  await database.skipSealing();
  const ids = (await database.makeProjects(PROJECTS)).map(({ id }) => id);
  const worker = await startService(scope, database, {
    program: 'worker',
    environment: { EVIDENCE_KEYS: `bench:${SEED.toString('base64')}` },
  });
  // A worker of the rounds before may have left a message under its lease, of a minute.
  const deadline = performance.now() + LEASES_DEADLINE_MS;
  while ((await database.client.query('select from outbox_message limit 1')).rowCount) await waitOn(deadline);
  /** How many were stored by when, oldest first. @type {{ atMs: number, stored: number }[]} */
  const arrivals = [];
  const lags = [];
  const startedMs = performance.now();
  let [stored, nextLookMs] = [0, startedMs];
  while (performance.now() - startedMs < LAG_SECONDS * 1000) {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * LAG_PER_SECOND) - stored;
    if (due > 0) {
      const atMs = performance.now();
      await database.client.query(
        `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, extra, salt)
         select ($1::uuid[])[1 + n % cardinality($1::uuid[])], uuidv7(), true, false, true, 'custom', 'www.example.com',
                '{"bannerVersion": "2026-11"}', decode(md5(n::text) || md5('salt' || n::text), 'hex')
         from generate_series(1, $2::int) n`,
        [ids, due],
      );
      stored += due;
      arrivals.push({ atMs, stored });
    }
    if (performance.now() >= nextLookMs) {
      nextLookMs += 1000;
      const { signed } = await sealedOf(database, ids);
      while (arrivals[0] && arrivals[0].stored <= signed) arrivals.shift();
      lags.push(arrivals[0] ? (performance.now() - arrivals[0].atMs) / 1000 : 0);
    }
    await sleep(LAG_BATCH_MS);
  }
  await worker.stop();
  return { lags, perSecond: stored / LAG_SECONDS };
}

/**
 * Entries of logs, and those that signed checkpoints cover.
 * @param {import('./support/database.mjs').Database} database
 * @param {string[]} ids
 * @returns {Promise<{ size: number, signed: number }>}
 */
async function sealedOf(database, ids) {
  const { rows } = await database.client.query(
    `select coalesce(sum(size), 0)::int as size, coalesce(sum(checkpoint_size), 0)::int as signed
     from evidence_log where log = any($1::uuid[])`,
    [ids],
  );
  return rows[0];
}

/** @param {number} deadline */
async function waitOn(deadline) {
  if (performance.now() > deadline) throw new Error('what was waited for did not come in time');
  await sleep(20);
}

/**
 * Proofs of one record in a log of many, created without a worker but with the same content.
 * @param {{ dataDir: string, database: import('./support/database.mjs').Database, baseUrl: string }} service
 * @param {number} logged entries of the log
 */
export async function proofsAmongMany({ dataDir, database, baseUrl }, logged) {
  const [project] = await database.makeProjects(1);
  const { id: projectId } = project;
  const key = await database.makeApiKey(projectId);
  const consentId = v7();
  const salt = randomBytes(32);
  const { rows } = await database.client.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, extra, received_at, salt)
     values ($1, $2, true, false, true, 'custom', 'www.example.com', '{"policyVersion": "2026-11"}', now(), $3)
     returning analytics, marketing, preferences, action, hostname, extra, received_at as "receivedAt"`,
    [projectId, consentId, salt],
  );
  const shown = {
    customEndpoint: null,
    configHash: null,
    language: null,
    surface: null,
    skippedReason: null,
    salt,
  };
  const entry = computeCommitment(salt, recordBody({ ...rows[0], ...shown, id: consentId, projectId }));
  const index = Math.floor(logged * 0.618);
  const folder = join(dataDir, 'evidence', projectId);
  /** @type {import('../dist/modules/evidence/domain/log.js').LogEdge} */
  let edge = { tree: EMPTY_RANGE, entries: [] };
  for (let at = 0; at < logged; at += CHUNK) {
    const count = Math.min(CHUNK, logged - at);
    const random = randomBytes(count * 32);
    const entries = Array.from({ length: count }, (_, n) =>
      at + n === index ? entry : random.subarray(n * 32, (n + 1) * 32),
    );
    const grown = appendEntries(edge, entries);
    edge = grown.edge;
    for (const tile of [...grown.full, ...(at + CHUNK >= logged ? partialTiles(edge) : [])]) {
      const path = join(folder, objectPath(tile));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, tile.bytes);
    }
  }
  const origin = `127.0.0.1/${projectId}`;
  const checkpoint = signNote(checkpointText({ origin, size: logged, root: computeRoot(edge.tree) }), [
    createSigner('127.0.0.1', SEED),
  ]);
  await database.client.query(
    `insert into evidence_log (log, origin, size, edge, checkpoint_size, checkpoint, signed_at) values ($1, $2, $3, $4, $3, $5, now())`,
    [projectId, origin, logged, encodeEdge(edge), checkpoint],
  );
  await database.client.query(
    'insert into evidence_leaf (project_id, consent_id, leaf_index) values ($1, $2, $3)',
    [projectId, consentId, index],
  );
  const times = [];
  let file = '';
  for (let round = 0; round < PROOFS; round++) {
    const startedMs = performance.now();
    const answer = await fetch(`${baseUrl}/v1/projects/${projectId}/consents/${consentId}/proof`, {
      headers: { authorization: `Bearer ${key}` },
    });
    file = await answer.text();
    if (answer.status !== 200) throw new Error(`the proof answered ${answer.status}: ${file}`);
    times.push(performance.now() - startedMs);
  }
  const pathBytes = file
    .split('\n')
    .filter((line) => !line.startsWith('extra '))
    .join('\n').length;
  return { times, pathBytes, fileBytes: file.length };
}
