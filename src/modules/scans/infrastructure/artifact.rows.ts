import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ScanState } from '../domain/scan-state.js';
import type { ScanRef } from './evidence.rows.js';
import { scanTables } from './scan.tables.js';

/** HARs of a state that are still stored, gzipped, in the order of their pages. */
export async function readHars(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
  state: ScanState,
): Promise<{ page: number; content: Buffer }[]> {
  const rows = await scanTables(em)
    .selectFrom('scan_artifact')
    .select(['page', 'content'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .where('state', '=', state)
    .where('kind', '=', 'har')
    .orderBy('page')
    .execute();
  return rows.flatMap(({ page, content }) => (content === null ? [] : [{ page, content }]));
}

/** Deletes the content of screenshots and HARs; their hashes stay. Returns how many. */
export async function deleteArtifactsBefore(
  tx: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update scan_artifact a set content = null
    from (
      select project_id, scan_id, state, page, kind from scan_artifact
      where content is not null and created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    ) due
    where a.project_id = due.project_id and a.scan_id = due.scan_id and a.state = due.state and a.page = due.page
      and a.kind = due.kind
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0);
}
