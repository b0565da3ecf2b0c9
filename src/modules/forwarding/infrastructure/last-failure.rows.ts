import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { joinProject } from '../../projects/project.rows.js';
import type { LastFailure } from '../domain/outcome.js';
import { forwardingTables } from './forwarding.tables.js';

/**
 * Writes the last failure of each project, unless a later one is stored. Locks rows in the order of
 * project ids, so that two batches cannot deadlock. Skips deleted projects.
 */
export async function writeLastFailures(
  tx: EntityManager,
  failures: readonly ({ projectId: string } & LastFailure)[],
): Promise<void> {
  await sql`
    insert into forwarding_last_failure as l (project_id, reason, category, http_status, at)
    select p.id, f.reason, f.category, f.http_status, f.at
    from unnest(
      ${failures.map(({ projectId }) => projectId)}::uuid[],
      ${failures.map(({ reason }) => reason)}::text[],
      ${failures.map(({ category }) => category)}::text[],
      ${failures.map(({ httpStatus }) => httpStatus)}::int[],
      ${failures.map(({ at }) => at)}::timestamptz[]
    ) as f (project_id, reason, category, http_status, at)
    ${joinProject(sql.ref('f.project_id'))}
    order by p.id
    on conflict (project_id) do update
    set reason = excluded.reason, category = excluded.category, http_status = excluded.http_status, at = excluded.at
    where l.at <= excluded.at
  `.execute(tx.getKysely());
}

/** The project's last failure; null if no delivery has failed. */
export async function readLastFailure(em: EntityManager, projectId: string): Promise<LastFailure | null> {
  const found = await forwardingTables(em)
    .selectFrom('forwarding_last_failure')
    .select(['reason', 'category', 'httpStatus', 'at'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return found ?? null;
}

/** The reason of each project's last failure, by project id; projects without one are missing. */
export async function readLastFailureReasons(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<Map<string, string>> {
  if (projectIds.length === 0) return new Map();
  const found = await forwardingTables(em)
    .selectFrom('forwarding_last_failure')
    .select(['projectId', 'reason'])
    .where('projectId', 'in', [...projectIds])
    .execute();
  return new Map(found.map(({ projectId, reason }) => [projectId, reason]));
}
