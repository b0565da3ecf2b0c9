import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Projects whose scheduled scan is due and not blocked by another scan, longest due first. */
export async function readDueProjects(em: EntityManager, limit: number): Promise<string[]> {
  const { rows } = await sql<{ projectId: string }>`
    select project_id as "projectId" from scan_schedule due
    where next_at <= now() and not exists (
      select from scan where project_id = due.project_id and status in ('queued', 'running')
    )
    order by next_at limit ${limit}
  `.execute(em.getKysely());
  return rows.map(({ projectId }) => projectId);
}
