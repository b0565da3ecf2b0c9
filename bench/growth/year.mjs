// A year of partitions with 10 million records, each use of the service against one that is near empty.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { proofsAmongMany, seal } from '../evidence.mjs';
import { download, fillRollups } from '../export.mjs';
import { startHelper } from '../support/helper.mjs';
import { row } from '../support/report.mjs';
import { scaledCount, scaledRounds, scaledSeconds } from '../support/scale.mjs';
import { startService } from '../support/service.mjs';
import { percentile } from '../support/statistics.mjs';
import { dropMonth, makeMonth } from './partitions.mjs';

const RECORDS = scaledCount(10_000_000, 20_000);
const NEAR_EMPTY = scaledCount(100_000, 1_000);
const MONTHS = 12;
/** A little less than the year, so that all partitions exist. */
const SPREAD_SECONDS = 360 * 86_400;
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(3);
const CONNECTIONS = 64;
const REQUESTS = scaledCount(100, 10);
const ERASURES = scaledCount(50, 5);
const PAGE_ROWS = 100;
/** Transactions that the sequencer looks back: the ones that filled the tables are older. */
const XIDS_BURNED = 12_000;
const DAY_MS = 86_400_000;

/**
 * @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database }} parts
 */
export async function yearOfRecords({ scope, server }) {
  const load = await startHelper(scope, 'load');
  const sides = {
    year: await setUp({ scope, server, name: 'growth_year', records: RECORDS }),
    empty: await setUp({ scope, server, name: 'growth_near_empty', records: NEAR_EMPTY }),
  };
  const names = /** @type {const} */ (['year', 'empty']);
  /** @type {Record<(typeof names)[number], Record<string, number>[]>} */
  const rounds = { year: [], empty: [] };
  for (const name of names) await measure(sides[name], load);
  for (let round = 0; round < ROUNDS; round++)
    for (const name of names) {
      const figures = await measure(sides[name], load);
      rounds[name].push({ ...figures, sealedPerSecond: await sealedPerSecond(scope, sides[name], round) });
    }
  /** @type {Record<(typeof names)[number], Awaited<ReturnType<typeof dropMonth>>[]>} */
  const drops = { year: [], empty: [] };
  for (const name of names) {
    for (let month = 0; month < Math.min(ROUNDS, MONTHS / 2); month++)
      drops[name].push(await dropMonth({ load, side: sides[name], name: sides[name].months[month] ?? '' }));
    await sides[name].service.stop();
  }
  const compared = (/** @type {string} */ what, /** @type {string} */ figure, unit = ' ms') =>
    row({
      what: `${what}, ${RECORDS.toLocaleString('en')} records in ${MONTHS + 1} months : ${NEAR_EMPTY.toLocaleString('en')}`,
      ours: rounds.year.map((one) => one[figure] ?? NaN),
      baseline: rounds.empty.map((one) => one[figure] ?? NaN),
      digits: unit === ' ms' ? 1 : 0,
      unit,
    });
  const dropped = (
    /** @type {string} */ what,
    /** @type {(drop: (typeof drops.year)[number]) => number} */ figure,
  ) => row({ what, ours: drops.year.map(figure), baseline: drops.empty.map(figure), digits: 1, unit: ' ms' });
  return {
    rows: [
      compared('ingest/s', 'ingestPerSecond', ''),
      compared('list of records, p99', 'listMs'),
      compared('list, a filter that nothing matches, p99', 'missMs'),
      compared('list of two days three weeks ago, p99', 'daysMs'),
      compared('export, rows/s', 'exportedPerSecond', ''),
      compared('export, first byte', 'firstByteMs'),
      compared('analytics of a year', 'analyticsMs'),
      compared('proof of a record, p99', 'proofMs'),
      compared('erasure of a record, p99', 'erasureMs'),
      compared('sequenced and signed, records/s', 'sealedPerSecond', ''),
      dropped('drop of the oldest month : of a near empty one', ({ dropMs }) => dropMs),
      dropped('ingest p99 while it is dropped : near empty', ({ dropped: { p99Ms } }) => p99Ms),
    ],
    raw: { records: RECORDS, nearEmpty: NEAR_EMPTY, rounds, drops },
  };
}

/**
 * An API on a separate database: a year of months, the records in one project, and a log of as many entries.
 * @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database, name: string,
 *           records: number }} parts
 */
async function setUp({ scope, server, name, records }) {
  const database = await server.another(name);
  const environment = {
    EVIDENCE_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    EVIDENCE_SEAL_SECONDS: '1',
    DATA_DIR: join(scope.folder, name),
  };
  const service = await startService(scope, database, {
    environment: { ...environment, RUN_WORKER: 'false' },
  });
  const months = [];
  for (let month = MONTHS; month >= 2; month--) months.push(await makeMonth(database, month));
  const [project] = await database.makeProjects(1);
  if (!project) throw new Error('one project was requested');
  await database.client.query(`update project set tier = 'business'`);
  await database.fillRecords([project], records, { spreadSeconds: SPREAD_SECONDS });
  await fillRollups(database, project.id, records);
  await database.client.query(
    `do $$ begin for n in 1..${XIDS_BURNED} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  );
  await database.settle();
  const key = await database.makeApiKey(project.id, 'owner');
  const { baseUrl } = service;
  const proofs = await proofsAmongMany({ dataDir: environment.DATA_DIR, database, baseUrl }, records);
  // A worker would find that it has not published this log's checkpoint.
  await database.client.query('delete from evidence_leaf');
  await database.client.query('delete from evidence_log');
  return { database, service, environment, months, project, key, proofs };
}

/**
 * @param {Awaited<ReturnType<typeof setUp>>} side
 * @param {import('../support/helper.mjs').Helper} load
 */
async function measure({ database, service, project, key, proofs }, load) {
  const base = `${service.baseUrl}/v1/projects/${project.id}`;
  const headers = { authorization: `Bearer ${key}` };
  const daysAgo = (/** @type {number} */ days) => new Date(Date.now() - days * DAY_MS).toISOString();
  const timed = async (/** @type {string} */ path, /** @type {RequestInit} */ init = {}) => {
    const startedMs = performance.now();
    const response = await fetch(`${base}${path}`, { ...init, headers: { ...headers, ...init.headers } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
    return { tookMs: performance.now() - startedMs, text };
  };
  const pages = async (/** @type {string} */ query) => {
    const times = [];
    let cursor = '';
    for (let page = 0; page < REQUESTS; page++) {
      const { tookMs, text } = await timed(`/consents?limit=${PAGE_ROWS}${query}${cursor}`);
      const { nextCursor } = JSON.parse(text);
      cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
      times.push(tookMs);
    }
    return percentile(times, 99);
  };
  const startedAt = await database.now();
  const { perSecond: ingestPerSecond } = await load.call('closedLoop', {
    baseUrl: service.baseUrl,
    projectId: project.id,
    connections: CONNECTIONS,
    seconds: SECONDS,
  });
  // The near empty side stays so.
  await database.client.query('delete from consent_record where received_at >= $1', [startedAt]);
  await database.client.query('vacuum analyze consent_record');
  const exported = await download(
    `${base}/consents/export?format=csv&from=${daysAgo(28)}`,
    headers,
    service.pid,
  );
  return {
    ingestPerSecond,
    listMs: await pages(''),
    missMs: await pages('&action=nobody'),
    daysMs: await pages(`&from=${daysAgo(21)}&to=${daysAgo(19)}`),
    exportedPerSecond: exported.rowsPerSecond,
    firstByteMs: exported.firstByteMs,
    analyticsMs: (await timed(`/analytics/consents?from=${daysAgo(364)}`)).tookMs,
    proofMs: percentile(proofs.times, 99),
    erasureMs: await erase({ database, project, timed }),
  };
}

/**
 * @param {{ database: import('../support/database.mjs').Database, project: { id: string },
 *           timed: (path: string, init: RequestInit) => Promise<{ tookMs: number }> }} parts
 */
async function erase({ database, project, timed }) {
  const { rows } = await database.client.query(
    `select id from consent_record where project_id = $1 and received_at < now() - interval '40 days' limit $2`,
    [project.id, ERASURES],
  );
  const times = [];
  for (const { id } of rows) {
    const { tookMs } = await timed(`/consents/${id}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'Benchmark' }),
    });
    times.push(tookMs);
  }
  return percentile(times, 99);
}

/**
 * @param {import('../support/scope.mjs').Scope} scope
 * @param {Awaited<ReturnType<typeof setUp>>} side
 * @param {number} round
 */
async function sealedPerSecond(scope, { database, environment }, round) {
  return (await seal(scope, database, { environment, round })).perSecond;
}
