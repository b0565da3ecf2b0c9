import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import {
  DOCUMENTED_ACTIONS,
  OTHER_NAME,
  ROLLUP_ACTIONS_MAX,
  ROLLUP_HOSTNAMES_MAX,
  ROLLUP_LANGUAGES_MAX,
  ROLLUP_REGIONS_MAX,
} from '../domain/consent-counts.js';
import {
  ADDED,
  choicesOf,
  COUNTS,
  countsOf,
  idsOfReceived,
  namedHostname,
  namedLanguage,
  namedRegion,
  SUMMED,
} from './counts-sql.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longest period that one transaction counts: a long backlog takes several steps. */
const STEP = '1 hour';
/**
 * Minimum age of a record when it is counted. A transaction appears in the list of open
 * transactions a moment after it reads the clock; this is far longer than that moment.
 */
const LAG = '5 seconds';
/** Locks the cursor, and returns the next records to count; null: none, or another worker is counting. */
export async function nextSlice(tx: EntityManager): Promise<(Slice & { more: boolean }) | null> {
  const { rows } = await sql<Slice & { more: boolean }>`
        with state as (select done_until from consent_rollup_state for update skip locked),
        ready as (
          select done_until as "from", date_trunc('milliseconds', least(
            now() - ${LAG}::interval,
            (select min(xact_start) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend')
          )) as "all"
          from state
        )
        select "from", least("all", "from" + ${STEP}::interval) as "to", "all" > "from" + ${STEP}::interval as more
        from ready where "all" > "from"
  `.execute(tx.getKysely());
  return rows[0] ?? null;
}

/**
 * Locks the cursor, waiting for a worker that counts; returns the instant up to which records are
 * counted.
 */
export async function lockRollupState(tx: EntityManager): Promise<Date | null> {
  const { rows } = await sql<{ to: Date }>`
    select done_until as "to" from consent_rollup_state for update
  `.execute(tx.getKysely());
  return rows[0]?.to ?? null;
}

/** Moves the cursor, which the transaction has locked. */
export async function moveRollupState(tx: EntityManager, to: Date): Promise<void> {
  await sql`update consent_rollup_state set done_until = ${to}`.execute(tx.getKysely());
}

export async function clearRollups(tx: EntityManager, projectId: string): Promise<void> {
  for (const table of ['audience', 'hour', 'day'])
    await sql`delete from ${sql.table(`consent_rollup_${table}`)} where project_id = ${projectId}`.execute(
      tx.getKysely(),
    );
}

/**
 * The planner underestimates the rows of a step and would compare every record with every name (1.2
 * s for 5,000).
 */
export async function planForMany(tx: EntityManager): Promise<void> {
  await sql`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`.execute(
    tx.getKysely(),
  );
}

/**
 * Adds a slice of records to the counts of their hours and days: by action and hostname, by region,
 * and by language. Names that the project's hour or day already has are kept. The most frequent new
 * names fill the limits (`ROLLUP_ACTIONS_MAX` and the others); the rest are counted together as
 * `OTHER_NAME`. Totals don't depend on the names, so they are exact. One statement, because finding
 * the choices that a slice replaces costs more than everything after it (ADR 74).
 */
export async function addUp(tx: EntityManager, slice: Slice): Promise<void> {
  await sql`
    with choices as materialized (
      select c.project_id, date_trunc('hour', c.received_at, 'UTC') as at, c.action,
             ${namedHostname(sql.raw('c.hostname'), sql.raw('p.domains'))} as hostname,
             ${namedRegion(sql.raw('c.extra'))} as region,
             ${namedLanguage(sql.raw('c.language'), sql.raw('c.extra'))} as language, ${countsOf(sql.raw('c'))}
      from ${choicesIn(slice)} c ${joinProject(sql.ref('c.project_id'))}
      group by 1, 2, 3, 4, 5, 6
    ),
    ${addedTo('hour')},
    ${addedTo('day')},
    ${AUDIENCE_NAMES}
    insert into consent_rollup_audience as r (project_id, span, at, dimension, name, ${COUNTS})
    select project_id, span, at, dimension,
           case when kept or place + coalesce(room.used, 0) <=
                  case dimension when 'region' then ${ROLLUP_REGIONS_MAX}::int else ${ROLLUP_LANGUAGES_MAX}::int end
                then name else ${OTHER_NAME} end,
           ${SUMMED}
    from ranked left join room using (project_id, span, at, dimension)
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5
    on conflict (project_id, span, at, dimension, name) do update set ${ADDED}
  `.execute(tx.getKysely());
}

/** Common table expressions that add `choices` to the counts by action and hostname; their names begin with the interval. */
function addedTo(interval: 'hour' | 'day'): RawBuilder<unknown> {
  const table = (name: string): RawBuilder<unknown> => sql.table(`${interval}_${name}`);
  const rollup = sql.table(`consent_rollup_${interval}`);
  return sql`
    ${table('step')} as materialized (
      select project_id, date_trunc(${interval}, at, 'UTC') as at, action, hostname, ${SUMMED}
      from choices group by 1, 2, 3, 4
    ), ${table('touched')} as (select distinct project_id, at from ${table('step')}),
    ${namesOf('action', table, rollup, ROLLUP_ACTIONS_MAX, sql`action = any(${[...DOCUMENTED_ACTIONS, OTHER_NAME]}::text[])`)},
    ${namesOf('hostname', table, rollup, ROLLUP_HOSTNAMES_MAX, sql`hostname in ('', ${OTHER_NAME})`)},
    ${table('added')} as (
      insert into ${rollup} as r (project_id, at, action, hostname, ${COUNTS})
      select s.project_id, s.at, coalesce(a.action, ${OTHER_NAME}), coalesce(h.hostname, ${OTHER_NAME}), ${SUMMED}
      from ${table('step')} s
      left join ${table('named_action')} a using (project_id, at, action)
      left join ${table('named_hostname')} h using (project_id, at, hostname)
      group by 1, 2, 3, 4
      order by 1, 2, 3, 4
      on conflict (project_id, at, action, hostname) do update set ${ADDED}
    )`;
}

/**
 * Common table expressions `<interval>_named_<column>`: the names of a step that get their own count.
 * `always` lists names that don't count towards the limit.
 */
function namesOf(
  column: 'action' | 'hostname',
  table: (name: string) => RawBuilder<unknown>,
  rollup: RawBuilder<unknown>,
  namesMax: number,
  always: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const name = sql.ref(column);
  const [known, room, requested] = ['known', 'room_for', 'requested'].map((what) =>
    table(`${what}_${column}`),
  );
  return sql`
    ${known} as (
      select t.project_id, t.at, r.${name} from ${table('touched')} t cross join lateral (
        select distinct ${name} from ${rollup} where project_id = t.project_id and at = t.at
      ) r
    ), ${room} as (
      select project_id, at, count(*) filter (where not (${always})) as used from ${known} group by 1, 2
    ), ${requested} as (
      select project_id, at, ${name}, (${always}) or k.project_id is not null as kept, sum(records) as records
      from ${table('step')} left join ${known} k using (project_id, at, ${name})
      group by 1, 2, 3, 4
    ), ${table(`named_${column}`)} as (
      select project_id, at, ${name} from (
        select w.*, row_number() over (partition by project_id, at, kept order by records desc, ${name}) as place
        from ${requested} w
      ) ranked left join ${room} room using (project_id, at)
      where kept or place + coalesce(room.used, 0) <= ${namesMax}
    )`;
}

/** Common table expressions that rank the regions and languages of `choices`, of hours and of days, as `ranked`. */
const AUDIENCE_NAMES = sql`
    audience as materialized (
      select s.project_id, n.span, n.at, n.dimension, n.name, ${SUMMED}
      from choices s cross join lateral (values
        ('hour', s.at, 'region', s.region), ('hour', s.at, 'language', s.language),
        ('day', date_trunc('day', s.at, 'UTC'), 'region', s.region),
        ('day', date_trunc('day', s.at, 'UTC'), 'language', s.language)
      ) n (span, at, dimension, name)
      group by 1, 2, 3, 4, 5
    ), known as materialized (
      select t.project_id, t.span, t.at, t.dimension, k.name
      from (select distinct project_id, span, at, dimension from audience) t cross join lateral (
        select r.name from consent_rollup_audience r
        where r.project_id = t.project_id and r.span = t.span and r.at = t.at and r.dimension = t.dimension
      ) k
    ), room as (
      select project_id, span, at, dimension, count(*) filter (where name not in ('', ${OTHER_NAME})) as used
      from known group by 1, 2, 3, 4
    ), requested as (
      select s.*, s.name in ('', ${OTHER_NAME}) or k.name is not null as kept
      from audience s left join known k using (project_id, span, at, dimension, name)
    ), ranked as (
      select w.*, row_number() over (
               partition by project_id, span, at, dimension, kept order by records desc, name
             ) as place
      from requested w
    )`;

/** Records received from `from` (inclusive) to `to` (exclusive), of one project or of all. */
interface Slice {
  from: Date;
  to: Date;
  projectId?: string;
}

function choicesIn({ from, to, projectId }: Slice): RawBuilder<unknown> {
  const former = { from: new Date(from.getTime() - DAY_MS), to };
  return choicesOf(
    sql`c.received_at >= ${from} and c.received_at < ${to} and ${idsOfReceived({ from, to })}
    ${projectId === undefined ? sql`` : sql`and c.project_id = ${projectId}`}`,
    idsOfReceived(former, 'p'),
  );
}
