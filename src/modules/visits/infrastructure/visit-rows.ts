import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import {
  ANALYTICS_GROUPS_MAX,
  OTHER_NAME,
  type AnalyticsInterval,
} from '../../consent/domain/consent-counts.js';
import { joinProject } from '../../projects/project.rows.js';
import type { VisitCounts, VisitRow } from '../domain/visit-tally.js';
import type { Dimension } from '../domain/visit.js';

/** Adds to the stored counts, except those of deleted projects. The rows are sorted by key. */
export async function addVisits(em: EntityManager, rows: VisitRow[]): Promise<void> {
  await sql`
    insert into site_visit as v (project_id, dimension, at, name, visits, chosen, ignored, last_seen_at)
    select t.* from unnest(
      ${rows.map(({ projectId }) => projectId)}::uuid[],
      ${rows.map(({ dimension }) => dimension)}::text[],
      ${rows.map(({ at }) => at)}::timestamptz[],
      ${rows.map(({ name }) => name)}::text[],
      ${rows.map(({ visits }) => visits)}::bigint[],
      ${rows.map(({ chosen }) => chosen)}::bigint[],
      ${rows.map(({ ignored }) => ignored)}::bigint[],
      ${rows.map(({ lastSeenAt }) => lastSeenAt)}::timestamptz[]
    ) as t (project_id, dimension, at, name, visits, chosen, ignored, last_seen_at)
    ${joinProject(sql.ref('t.project_id'))}
    order by t.project_id, t.dimension, t.at, t.name
    on conflict (project_id, dimension, at, name) do update set
      visits = v.visits + excluded.visits, chosen = v.chosen + excluded.chosen,
      ignored = v.ignored + excluded.ignored, last_seen_at = greatest(v.last_seen_at, excluded.last_seen_at)
  `.execute(em.getKysely());
}

/** Deletes at most `limit` counts older than `months` before `now`; returns their number. */
export async function deleteVisitsBefore(
  tx: EntityManager,
  { now, months, limit }: { now: Date; months: number; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from site_visit where ctid = any(array(
      select ctid from site_visit
      where at < ${now}::timestamptz - make_interval(months => ${months}) limit ${limit}
    ))
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0);
}

/** A loader that was not seen for this long counts as uninstalled. */
const SEEN_DAYS = 30;
/** Hosts listed with their last sighting. */
const SEEN_HOSTS_MAX = 20;

export interface SiteQuestion {
  projectId: string;
  /** Start of the first interval. */
  from: Date;
  /** A full hour; otherwise its whole hour is counted. */
  to: Date;
  interval: AnalyticsInterval;
}

export interface SeenHost {
  hostname: string;
  lastSeenAt: Date;
}

interface GroupRow extends VisitCounts {
  grouped: Dimension | 'at';
  at: Date | null;
  name: string | null;
}

/** The counts of each interval, and of the most frequent names of each dimension. */
export function siteCounts({ projectId, from, to, interval }: SiteQuestion): RawBuilder<GroupRow> {
  const sums = sql`
    sum(visits)::float8 as visits, sum(chosen)::float8 as chosen, sum(ignored)::float8 as ignored`;
  return sql<GroupRow>`
    with counted as materialized (
      select dimension, at, name, visits, chosen, ignored from site_visit
      where project_id = ${projectId} and at >= ${from} and at < ${to}
    )
    -- Each visit is counted once in each dimension, so any of them has the totals.
    select 'at' as grouped, date_trunc(${interval}, at, 'UTC') as at, null as name, ${sums}
    from counted where dimension = 'device' group by 2
    union all (
      select dimension, null, case when place <= ${ANALYTICS_GROUPS_MAX} then name else ${OTHER_NAME} end, ${sums}
      from (
        select dimension, name, sum(visits) as visits, sum(chosen) as chosen, sum(ignored) as ignored,
               row_number() over (
                 partition by dimension order by (name = ${OTHER_NAME}), sum(visits) desc, name
               ) as place
        from counted group by 1, 2
      ) ranked
      group by 1, 3
      order by (case when min(place) <= ${ANALYTICS_GROUPS_MAX} and min(name) <> ${OTHER_NAME} then 0 else 1 end),
               sum(visits) desc, 3
    )
  `;
}

/** The hosts on which the loader ran recently, most recent first. */
export function seenHosts(projectId: string, now: Date): RawBuilder<SeenHost> {
  return sql<SeenHost>`
    select name as hostname, max(last_seen_at) as "lastSeenAt" from site_visit
    where project_id = ${projectId} and dimension = 'hostname' and name <> ${OTHER_NAME}
      and at >= ${now}::timestamptz - make_interval(days => ${SEEN_DAYS})
    group by name order by 2 desc, 1 limit ${SEEN_HOSTS_MAX}
  `;
}

/** When the loader was last seen on a site of each project; projects without a sighting are missing. */
export function lastSeenOf(
  projectIds: readonly string[],
  now: Date,
): RawBuilder<{ projectId: string; at: Date }> {
  // Counts are by hour, so the latest hour contains the latest visit.
  return sql<{ projectId: string; at: Date }>`
    select s.project_id as "projectId", v.at
    from unnest(${[...projectIds]}::uuid[]) as s (project_id)
    cross join lateral (
      select max(last_seen_at) as at from site_visit
      where project_id = s.project_id and dimension = 'hostname'
        and at = (
          select at from site_visit
          where project_id = s.project_id and dimension = 'hostname'
            and at >= ${now}::timestamptz - make_interval(days => ${SEEN_DAYS})
          order by at desc limit 1
        )
    ) v
    where v.at is not null
  `;
}
