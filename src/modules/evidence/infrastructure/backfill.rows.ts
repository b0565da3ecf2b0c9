import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { projectIdsAfter } from '../../projects/project.rows.js';
import { NIL_UUID } from '../../../platform/identity/ids.js';
import { evidenceTables } from './evidence.tables.js';

const PROJECTS_AT_ONCE = 1_000;

/** A project whose records after an id must be searched for those without a leaf. */
export interface Backfill {
  projectId: string;
  afterId: string;
}

/** Requests a search of the projects' records for those without a leaf. */
export async function requestBackfill(tx: EntityManager, projectIds: readonly string[]): Promise<void> {
  await sql`
    insert into evidence_backfill (project_id) select * from unnest(${projectIds}::uuid[])
    on conflict (project_id) do update set after_id = excluded.after_id
  `.execute(tx.getKysely());
}

/** Requests a search of the records of all projects. */
export async function requestFullBackfill(tx: EntityManager): Promise<void> {
  let projectIds: string[] = [];
  do {
    projectIds = await projectIdsAfter(tx, projectIds.at(-1) ?? NIL_UUID, PROJECTS_AT_ONCE);
    await requestBackfill(tx, projectIds);
  } while (projectIds.length === PROJECTS_AT_ONCE);
}

/** Locks the next backfill; null: none. */
export async function lockNextBackfill(tx: EntityManager): Promise<Backfill | null> {
  const { rows } = await sql<Backfill>`
    select project_id as "projectId", after_id as "afterId" from evidence_backfill order by project_id limit 1
    for update skip locked
  `.execute(tx.getKysely());
  return rows[0] ?? null;
}

/** Stores how far a backfill is; `afterId` is null once it is complete. */
export async function saveBackfill(
  tx: EntityManager,
  { projectId, afterId }: { projectId: string; afterId: string | null },
): Promise<void> {
  const tables = evidenceTables(tx);
  if (afterId === null)
    await tables.deleteFrom('evidence_backfill').where('projectId', '=', projectId).execute();
  else
    await tables
      .updateTable('evidence_backfill')
      .set({ afterId })
      .where('projectId', '=', projectId)
      .execute();
}

/** Whether records of a project are still being searched for those without a leaf. */
export async function isBackfilling(tx: EntityManager, projectId: string): Promise<boolean> {
  const row = await evidenceTables(tx)
    .selectFrom('evidence_backfill')
    .select('projectId')
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return row !== undefined;
}
