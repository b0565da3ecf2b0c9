import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import { allowMaintenanceTime } from '../../database/statement-time.js';
import { Maintenance } from '../../shared/maintenance.js';
import {
  DOCUMENTED_ACTIONS,
  OTHER_NAME,
  ROLLUP_ACTIONS_MAX,
  ROLLUP_HOSTNAMES_MAX,
} from '../domain/consent-counts.js';
import {
  ADDED,
  COUNTS,
  countsOf,
  idsOfReceived,
  namedHostname,
  SUMMED,
} from '../infrastructure/counts-sql.js';
import { addUpAudience, type Slice } from './audience.rollup.js';

/**
 * Records that the rollups don't contain yet are counted in every query, so the interval is short.
 */
const ADVANCE_EVERY_MS = 15_000;
/** Longest stretch of records that one transaction adds up: a long backlog is caught up with in steps. */
const STEP = '1 hour';
/**
 * Minimum age of a record when it is counted. A transaction becomes visible in the list of open
 * transactions a moment after it reads the clock; this is far longer than that moment.
 */
const LAG = '5 seconds';
/** Steps of one call; the next call continues. */
const STEPS_MAX = 1_000;
/** Before any record. */
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

/**
 * Maintains the counts by hour and day. Each call counts the records received since the last one,
 * in the transaction that moves the cursor: a crash loses nothing and counts nothing twice, and the
 * cursor's row lock lets one worker at a time continue.
 * The receipt time of a record is the start of the transaction that stores it. Once every
 * transaction that started before an instant has ended, no record from before that instant can
 * appear. So the cursor never passes the oldest open transaction.
 */
@Injectable()
export class ConsentRollup implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({
      name: 'consent-rollup',
      everyMs: ADVANCE_EVERY_MS,
      run: () => this.advance(),
    });
  }

  /** Adds up all that is ready; returns how many steps it took. */
  async advance(): Promise<number> {
    let steps = 1;
    while (steps < STEPS_MAX && (await this.step())) steps += 1;
    return steps;
  }

  /** One step; returns whether there is more to do. */
  private step(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      await allowMaintenanceTime(tx);
      const database = tx.getKysely();
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
      `.execute(database);
      const slice = rows[0];
      if (!slice) return false;
      await planForMany(tx);
      for (const interval of ['hour', 'day'] as const) await addUp(tx, interval, slice);
      await addUpAudience(tx, slice);
      await sql`update consent_rollup_state set done_until = ${slice.to}`.execute(database);
      return slice.more;
    });
  }
}

/**
 * Recounts the records of one project, up to where all others are counted; in the caller's
 * transaction.
 */
export async function recount(tx: EntityManager, projectId: string): Promise<void> {
  const database = tx.getKysely();
  const { rows } = await sql<{ to: Date }>`
    select done_until as "to" from consent_rollup_state for update
  `.execute(database);
  const [state] = rows;
  if (!state) return;
  await planForMany(tx);
  await sql`delete from consent_rollup_audience where project_id = ${projectId}`.execute(database);
  await addUpAudience(tx, { from: LONG_AGO, to: state.to, projectId });
  for (const interval of ['hour', 'day'] as const) {
    await sql`delete from ${sql.table(`consent_rollup_${interval}`)} where project_id = ${projectId}`.execute(
      database,
    );
    await addUp(tx, interval, { from: LONG_AGO, to: state.to, projectId });
  }
}

/** The planner takes a step for a few rows and would compare every record with every name (1.2 s for 5,000). */
async function planForMany(tx: EntityManager): Promise<void> {
  await sql`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`.execute(
    tx.getKysely(),
  );
}

/**
 * Adds a slice of records to the counts. A name that the project's hour or day already has stays.
 * The most frequent new names fill `ROLLUP_ACTIONS_MAX` and `ROLLUP_HOSTNAMES_MAX`; the others are
 * counted together as `OTHER_NAME`. Totals don't depend on the names, so they are exact.
 */
async function addUp(tx: EntityManager, interval: 'hour' | 'day', slice: Slice): Promise<void> {
  const rollup = sql.table(`consent_rollup_${interval}`);
  await sql`
    with step as materialized (
      select c.project_id, date_trunc(${interval}, c.received_at, 'UTC') as at, c.action,
             ${namedHostname(sql.raw('c.hostname'), sql.raw('p.domains'))} as hostname, ${countsOf(sql.raw('c'))}
      from consent_record c ${sql.raw(joinProject('c.project_id'))}
      where c.received_at >= ${slice.from} and c.received_at < ${slice.to}
        and ${idsOfReceived(slice)}
        ${slice.projectId === undefined ? sql`` : sql`and c.project_id = ${slice.projectId}`}
      group by 1, 2, 3, 4
    ), touched as (select distinct project_id, at from step),
    ${namesOf('action', rollup, ROLLUP_ACTIONS_MAX, sql`action = any(${[...DOCUMENTED_ACTIONS, OTHER_NAME]}::text[])`)},
    ${namesOf('hostname', rollup, ROLLUP_HOSTNAMES_MAX, sql`hostname in ('', ${OTHER_NAME})`)}
    insert into ${rollup} as r (project_id, at, action, hostname, ${COUNTS})
    select s.project_id, s.at, coalesce(a.action, ${OTHER_NAME}), coalesce(h.hostname, ${OTHER_NAME}), ${SUMMED}
    from step s
    left join named_action a using (project_id, at, action)
    left join named_hostname h using (project_id, at, hostname)
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (project_id, at, action, hostname) do update set ${ADDED}
  `.execute(tx.getKysely());
}

/**
 * Common table expressions `named_<column>`: the names of a step that keep their own count.
 * `always` lists names that don't count towards the limit.
 */
function namesOf(
  column: 'action' | 'hostname',
  rollup: RawBuilder<unknown>,
  namesMax: number,
  always: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const name = sql.ref(column);
  const known = sql.table(`known_${column}`);
  return sql`
    ${known} as (
      select t.project_id, t.at, r.${name} from touched t cross join lateral (
        select distinct ${name} from ${rollup} where project_id = t.project_id and at = t.at
      ) r
    ), ${sql.table(`room_for_${column}`)} as (
      select project_id, at, count(*) filter (where not (${always})) as used from ${known} group by 1, 2
    ), ${sql.table(`wanted_${column}`)} as (
      select project_id, at, ${name}, (${always}) or k.project_id is not null as kept, sum(records) as records
      from step left join ${known} k using (project_id, at, ${name})
      group by 1, 2, 3, 4
    ), ${sql.table(`named_${column}`)} as (
      select project_id, at, ${name} from (
        select w.*, row_number() over (partition by project_id, at, kept order by records desc, ${name}) as place
        from ${sql.table(`wanted_${column}`)} w
      ) ranked left join ${sql.table(`room_for_${column}`)} room using (project_id, at)
      where kept or place + coalesce(room.used, 0) <= ${namesMax}
    )`;
}
