import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Counts an erasure by a visitor; returns the project's count in this hour. */
export async function countVisitorErasure(tx: EntityManager, projectId: string): Promise<number> {
  const { rows } = await sql<{ erasures: number }>`
    insert into visitor_erasure_hour as h (project_id, at, erasures)
    values (${projectId}, date_trunc('hour', now(), 'UTC'), 1)
    on conflict (project_id, at) do update set erasures = h.erasures + 1
    returning erasures
  `.execute(tx.getKysely());
  return rows[0]?.erasures ?? 0;
}

/** Deletes the counters of at most `limit` past hours, and returns them. */
export async function reserveErasureHours(
  tx: EntityManager,
  limit: number,
): Promise<{ projectId: string; at: Date; until: Date; erasures: number }[]> {
  const { rows } = await sql<{ projectId: string; at: Date; until: Date; erasures: number }>`
    delete from visitor_erasure_hour where ctid = any(array(
      select ctid from visitor_erasure_hour where at < date_trunc('hour', now(), 'UTC')
      limit ${limit} for update skip locked
    ))
    returning project_id as "projectId", at, at + interval '1 hour' as until, erasures
  `.execute(tx.getKysely());
  return rows;
}
