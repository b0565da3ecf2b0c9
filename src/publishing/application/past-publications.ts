import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** A publication as it is stored, as far as the demo needs it. */
export interface StoredPublication {
  version: number;
  contentHash: string;
}

/** The publications of a project, the oldest first. */
export async function publicationsOf(em: EntityManager, projectId: string): Promise<StoredPublication[]> {
  const { rows } = await sql<StoredPublication>`
    select version::float8 as version, content_hash as "contentHash" from publication
    where project_id = ${projectId} order by version
  `.execute(em.getKysely());
  return rows;
}

/**
 * Gives publications of the demo an earlier day. They are taken out and put in again, because the service's role may
 * change nothing of what was published.
 */
export async function datePublications(
  tx: EntityManager,
  projectId: string,
  dates: { version: number; at: Date }[],
): Promise<void> {
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    delete from publication where project_id = ${projectId} and version = any(${dates.map(({ version }) => version)})
    returning to_jsonb(publication) as row
  `.execute(tx.getKysely());
  const dated = rows.map(({ row }) => {
    const at = dates.find(({ version }) => version === Number(row['version']))?.at;
    return { ...row, at, in_force_from: at };
  });
  await sql`
    insert into publication select * from jsonb_populate_recordset(null::publication, ${JSON.stringify(dated)}::jsonb)
  `.execute(tx.getKysely());
}
