import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import type { VisitRow } from '../domain/project-tally.js';

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
