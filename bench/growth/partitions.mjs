// Partitions: the effect of a year of them on the ingest, and of dropping a full one on concurrent
// writers.
import { setTimeout as sleep } from 'node:timers/promises';
import { startHelper } from '../support/helper.mjs';
import { row } from '../support/report.mjs';
import { startService } from '../support/service.mjs';
import { scaledCount, scaledRate, scaledRounds, scaledSeconds } from '../support/scale.mjs';

/** The months of the retention, in addition to the ones that the service creates. */
const OLD_MONTHS = 12;
const RECORDS = scaledCount(1_000_000, 1000);
const ROUNDS = scaledRounds(5);
const SECONDS = scaledSeconds(3);
const CONNECTIONS = 64;
const RATE_PER_SECOND = scaledRate(500);
const DROP_SECONDS = scaledSeconds(5, 2);
/** Into the seconds above, after one of warm-up. */
const DROP_AFTER_MS = 1_000 + 400 * DROP_SECONDS;

/** @param {{ scope: import('../support/scope.mjs').Scope, server: import('../support/database.mjs').Database }} parts */
export async function partitionsPresentAndDropped({ scope, server }) {
  const [few, many] = [await server.another('growth_few'), await server.another('growth_many')];
  const load = await startHelper(scope, 'load');
  const sides = [];
  for (const database of [few, many]) {
    const service = await startService(scope, database);
    const [project] = await database.makeProjects(1);
    sides.push({ database, service, project });
  }
  for (let month = 2; month < OLD_MONTHS + 2; month++) await makeMonth(many, month);
  const count = await many.client.query(
    `select count(*)::int as count from pg_inherits where inhparent = 'consent_record'::regclass`,
  );
  const shoot = (/** @type {(typeof sides)[number]} */ { service, project }) =>
    load.call('closedLoop', {
      baseUrl: service.baseUrl,
      projectId: project.id,
      connections: CONNECTIONS,
      seconds: SECONDS,
    });
  /** @type {number[][]} */
  const rates = [[], []];
  for (const side of sides) await shoot(side);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, side] of sides.entries()) rates[index].push((await shoot(side)).perSecond);
  }

  const drops = [];
  for (let round = 0; round < ROUNDS; round++) {
    drops.push(
      await dropUnderLoad({
        load,
        side: sides[1],
        monthsAgo: OLD_MONTHS + 2 + round,
        records: RECORDS,
      }),
    );
  }
  for (const side of sides) await side.service.stop();
  const ms = { digits: 1, unit: ' ms' };
  return {
    rows: [
      row({
        what: `ingest/s, ${count.rows[0].count} monthly partitions : ${count.rows[0].count - OLD_MONTHS}`,
        ours: rates[1],
        baseline: rates[0],
      }),
      row({
        what: `drop of a month with ${RECORDS.toLocaleString('en')} records`,
        ours: drops.map(({ dropMs }) => dropMs),
        ...ms,
      }),
      row({
        what: `ingest p99 at ${RATE_PER_SECOND}/s while a month is dropped : calm`,
        ours: drops.map(({ dropped }) => dropped.p99Ms),
        baseline: drops.map(({ calm }) => calm.p99Ms),
        ...ms,
      }),
      row({
        what: `ingest, highest at ${RATE_PER_SECOND}/s while a month is dropped : calm`,
        ours: drops.map(({ dropped }) => dropped.highestMs),
        baseline: drops.map(({ calm }) => calm.highestMs),
        ...ms,
      }),
    ],
    raw: { rates, drops },
  };
}

/**
 * Fills a month of the past, then drops it while consents arrive.
 * @param {{ load: import('../support/helper.mjs').Helper, monthsAgo: number, records: number,
 *           side: { database: import('../support/database.mjs').Database, service: { baseUrl: string },
 *                   project: import('../support/database.mjs').BenchProject } }} parts
 */
async function dropUnderLoad({ load, side, monthsAgo, records }) {
  const name = await makeMonth(side.database, monthsAgo);
  await fillMonth(side.database, { name, projectId: side.project.id, records });
  return dropMonth({ load, side, name });
}

/**
 * Ingest at a fixed rate, calm and while a partition is dropped.
 * @param {{ load: import('../support/helper.mjs').Helper, name: string,
 *           side: { database: import('../support/database.mjs').Database, service: { baseUrl: string },
 *                   project: { id: string } } }} parts
 */
export async function dropMonth({ load, side: { database, service, project }, name }) {
  const arriving = async () => {
    const { wrong, p99Ms, highestMs } = await load.call('openLoop', {
      baseUrl: service.baseUrl,
      projectIds: [project.id],
      ratePerSecond: RATE_PER_SECOND,
      seconds: DROP_SECONDS,
      warmUpSeconds: 1,
      track: false,
    });
    if (wrong > 0) throw new Error(`${wrong} consents were not answered 201`);
    return { p99Ms, highestMs };
  };
  const calm = await arriving();
  const during = arriving();
  await sleep(DROP_AFTER_MS);
  const startedMs = performance.now();
  await database.client.query(`drop table ${name}`);
  const dropMs = performance.now() - startedMs;
  return { calm, dropped: await during, dropMs };
}

/**
 * The partition of `monthsAgo`. Returns its name.
 * @param {import('../support/database.mjs').Database} database
 * @param {number} monthsAgo
 */
export async function makeMonth(database, monthsAgo) {
  const { rows } = await database.client.query(
    `select to_char(m, '"consent_record_"YYYYMM') as name,
            lpad(to_hex((extract(epoch from m) * 1000)::bigint), 12, '0') || '00000000000000000000' as from,
            lpad(to_hex((extract(epoch from m + interval '1 month') * 1000)::bigint), 12, '0') || '00000000000000000000' as to
     from (select date_trunc('month', now() at time zone 'UTC') - make_interval(months => $1::int) as m) s`,
    [monthsAgo],
  );
  const { name, from, to } = rows[0];
  await database.client.query(`create table ${name} (like consent_record including all)`);
  await database.client.query(
    `alter table consent_record attach partition ${name} for values from ('${from}') to ('${to}')`,
  );
  return name;
}

/**
 * @param {import('../support/database.mjs').Database} database
 * @param {{ name: string, projectId: string, records: number }} month
 */
async function fillMonth(database, { name, projectId, records }) {
  const month = name.slice(-6);
  await database.client.query(
    `insert into ${name} (project_id, id, analytics, marketing, preferences, action, hostname, received_at)
     select $1, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
            true, false, true, 'custom', 'www.example.com', at
     from (select n, (to_date($2, 'YYYYMM')::timestamp + interval '1 hour' + make_interval(secs => n * 0.5)) at time zone 'UTC' as at
           from generate_series(1, $3::int) n) s`,
    [projectId, month, records],
  );
  await database.settle();
}
