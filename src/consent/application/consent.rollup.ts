import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import { allowUpkeepTime } from '../../shared/statement-time.js';
import { Upkeep } from '../../shared/upkeep.js';
import {
  DOCUMENTED_ACTIONS,
  OTHER_NAME,
  ROLLUP_ACTIONS_MAX,
  ROLLUP_HOSTNAMES_MAX,
} from '../domain/consent-counts.js';

/** What is not in the counts yet is counted anew with every question, so this stays short. */
const ADVANCE_EVERY_MS = 15_000;
/** Longest stretch of records that one transaction adds up: a long backlog is caught up with in steps. */
const STEP = '1 hour';
/**
 * How old a record is at least before it is added up. A transaction tells when it began a moment after it
 * looked at the clock; this is far more than that moment.
 */
const LAG = '5 seconds';
/** Steps of one call; the next call goes on. */
const STEPS_MAX = 1_000;
/** Before any record. */
const LONG_AGO = new Date('2020-01-01T00:00:00Z');
/** Ids may be older or newer than the receipt by so much (design §6.1); it bounds the months that are read. */
const ID_OLDER = '8 days';

/**
 * Keeps the counts by hour and day. Each call adds up what was received since the last one, in the transaction
 * that moves the mark: a crash loses nothing and counts nothing twice, and two workers take turns on the mark's
 * row. A record's instant of receipt is the begin of the transaction that stores it, so once every transaction
 * that began before an instant has ended, no record from before it can still turn up: the mark never passes
 * the oldest open transaction.
 */
@Injectable()
export class ConsentRollup implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly upkeep: Upkeep,
  ) {}

  onModuleInit(): void {
    this.upkeep.register({ name: 'consent-rollup', everyMs: ADVANCE_EVERY_MS, run: () => this.advance() });
  }

  /** Adds up all that is ready; returns how many steps it took. */
  async advance(): Promise<number> {
    for (let steps = 1; steps <= STEPS_MAX; steps++) {
      if (!(await this.step())) return steps;
    }
    return STEPS_MAX;
  }

  /** One step; returns whether there is more to do. */
  private step(): Promise<boolean> {
    return this.em.fork().transactional(async (tx) => {
      await allowUpkeepTime(tx);
      const database = tx.getKysely();
      const { rows } = await sql<{ from: Date; to: Date; more: boolean }>`
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
      for (const interval of ['hour', 'day'] as const) await addUp(tx, interval, slice);
      await sql`update consent_rollup_state set done_until = ${slice.to}`.execute(database);
      return slice.more;
    });
  }
}

/** Counts the records of one project anew, up to where all others are counted; in the caller's transaction. */
export async function recount(tx: EntityManager, projectId: string): Promise<void> {
  const database = tx.getKysely();
  const { rows } = await sql<{ to: Date }>`
    select done_until as "to" from consent_rollup_state for update
  `.execute(database);
  const to = rows[0]?.to;
  if (!to) return;
  for (const interval of ['hour', 'day'] as const) {
    await sql`delete from ${sql.table(`consent_rollup_${interval}`)} where project_id = ${projectId}`.execute(
      database,
    );
    await addUp(tx, interval, { from: LONG_AGO, to, projectId });
  }
}

/**
 * Adds a slice of records to the counts. A name that the project's hour or day has already stays; of the new ones
 * the most frequent get those that are left of `ROLLUP_ACTIONS_MAX` and `ROLLUP_HOSTNAMES_MAX`, and the others are
 * counted together as `OTHER_NAME`. What is counted does not depend on the names, so totals are exact.
 */
async function addUp(
  tx: EntityManager,
  interval: 'hour' | 'day',
  slice: { from: Date; to: Date; projectId?: string },
): Promise<void> {
  const rollup = sql.table(`consent_rollup_${interval}`);
  // The planner takes a step for a few rows and would compare every record with every name (1.2 s for 5,000).
  await sql`select set_config('enable_nestloop', 'off', true), set_config('jit', 'off', true)`.execute(
    tx.getKysely(),
  );
  await sql`
    with step as materialized (
      select c.project_id, date_trunc(${interval}, c.received_at, 'UTC') as at, c.action,
             ${namedHostname(sql.raw('c.hostname'), sql.raw('p.domains'))} as hostname, ${countsOf(sql.raw('c'))}
      from consent_record c ${sql.raw(joinProject('c.project_id'))}
      where c.received_at >= ${slice.from} and c.received_at < ${slice.to}
        and c.id >= (select ${lowestId(sql`${slice.from}::timestamptz`)})
        ${slice.projectId === undefined ? sql`` : sql`and c.project_id = ${slice.projectId}`}
      group by 1, 2, 3, 4
    ), touched as (select distinct project_id, at from step),
    ${namesOf('action', rollup, ROLLUP_ACTIONS_MAX, sql`action = any(${[...DOCUMENTED_ACTIONS, OTHER_NAME]}::text[])`)},
    ${namesOf('hostname', rollup, ROLLUP_HOSTNAMES_MAX, sql`hostname in ('', ${OTHER_NAME})`)}
    insert into ${rollup} as r
      (project_id, at, action, hostname, records, analytics, marketing, preferences, full_accept, rejection, withdrawal)
    select s.project_id, s.at, coalesce(a.action, ${OTHER_NAME}), coalesce(h.hostname, ${OTHER_NAME}),
           sum(s.records), sum(s.analytics), sum(s.marketing), sum(s.preferences), sum(s.full_accept),
           sum(s.rejection), sum(s.withdrawal)
    from step s
    left join named_action a using (project_id, at, action)
    left join named_hostname h using (project_id, at, hostname)
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (project_id, at, action, hostname) do update set
      records = r.records + excluded.records, analytics = r.analytics + excluded.analytics,
      marketing = r.marketing + excluded.marketing, preferences = r.preferences + excluded.preferences,
      full_accept = r.full_accept + excluded.full_accept, rejection = r.rejection + excluded.rejection,
      withdrawal = r.withdrawal + excluded.withdrawal
  `.execute(tx.getKysely());
}

/** Common table expressions: `named_<column>`, the names of a step that are kept. `always` needs no room. */
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

/**
 * The hostname under which a record counts, as SQL over its hostname and the project's domains: where the project
 * lists domains, another site's name is not one to be kept. Empty where the banner told none.
 */
export function namedHostname(
  hostname: RawBuilder<unknown>,
  domains: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    case when ${hostname} is null then ''
         when ${domains} = '{}' or exists (
           select from unnest(${domains}) as d (domain)
           where ${hostname} = d.domain or right(${hostname}, length(d.domain) + 1) = '.' || d.domain
         ) then ${hostname}
         else ${OTHER_NAME} end`;
}

/** What is counted, over the rows of `consent_record` under an alias; the names are those of the rollup's columns. */
export function countsOf(alias: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    count(*) as records,
    count(*) filter (where ${alias}.analytics) as analytics,
    count(*) filter (where ${alias}.marketing) as marketing,
    count(*) filter (where ${alias}.preferences) as preferences,
    count(*) filter (
      where (${alias}.analytics and ${alias}.marketing and ${alias}.preferences)
         or (${alias}.action = 'accept_all' and (${alias}.analytics or ${alias}.marketing or ${alias}.preferences))
    ) as full_accept,
    count(*) filter (
      where not (${alias}.analytics or ${alias}.marketing or ${alias}.preferences) and ${alias}.action <> 'withdraw'
    ) as rejection,
    count(*) filter (where ${alias}.action = 'withdraw') as withdrawal`;
}

/** The smallest id that a record received at or after an instant (SQL of a timestamptz) can have. */
export function lowestId(receivedAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    lpad(to_hex((extract(epoch from ${receivedAt} - ${ID_OLDER}::interval) * 1000)::bigint), 12, '0')
    || '00000000000000000000'
  )::uuid`;
}
