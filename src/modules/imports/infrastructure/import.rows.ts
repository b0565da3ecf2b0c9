import type { EntityManager } from '@mikro-orm/postgresql';
import { isUuid } from '../../../platform/identity/ids.js';
import { type Kysely, sql } from 'kysely';
import { rowOf, type TablesOf, typedTables } from '../../../platform/database/tables.js';
import { type ImportState, OPEN_STATES, WORKING_STATES } from '../domain/import.js';
import { accountSql } from '../../access/access.service.js';
import { IMPORT_FILES_KEPT_DAYS } from '../../licensing/domain/catalogue.js';
import type { Progress } from '../domain/progress.js';
import { ConsentImport, type ConsentImportPartSchema, type ConsentImportSchema } from './import.entities.js';

export interface ImportRef {
  projectId: string;
  id: string;
}

/** A stored import. */
export type ImportRow = ReturnType<typeof rowOf<ConsentImport>>;

type ImportTables = TablesOf<typeof ConsentImportSchema | typeof ConsentImportPartSchema>;
const importTables = (em: EntityManager): Kysely<ImportTables> => typedTables<ImportTables>(em);

export async function findImport(em: EntityManager, ref: ImportRef): Promise<ImportRow | null> {
  const found = await em.findOne(ConsentImport, ref, { disableIdentityMap: true });
  return found && rowOf(found);
}

/** Locks the import until the transaction ends, so that its state changes one step at a time. */
export async function lockImport(tx: EntityManager, ref: ImportRef): Promise<ImportRow | null> {
  if (!isUuid(ref.id)) return null;
  const { rows } = await sql`
    select from consent_import where project_id = ${ref.projectId} and id = ${ref.id} for no key update
  `.execute(tx.getKysely());
  return rows.length === 0 ? null : findImport(tx, ref);
}

/** The imports of a project, newest first, at most `limit` after the import with an id. */
export async function listImports(
  em: EntityManager,
  projectId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<ImportRow[]> {
  const found = await em.find(
    ConsentImport,
    { projectId, ...(after !== null && { id: { $lt: after } }) },
    { orderBy: { id: 'desc' }, limit, disableIdentityMap: true },
  );
  return found.map(rowOf);
}

/** Whether the project has an import that has not ended. */
export async function hasOpenImport(tx: EntityManager, projectId: string): Promise<boolean> {
  return (await tx.count(ConsentImport, { projectId, state: { $in: [...OPEN_STATES] } })) > 0;
}

/**
 * Bytes of the files that are kept for an account, over all of its projects. Other requests of the account wait until the
 * transaction ends.
 */
export async function keptBytes(tx: EntityManager, account: string): Promise<number> {
  const kysely = tx.getKysely();
  await sql`select pg_advisory_xact_lock(hashtextextended(${`imports ${account}`}, 0))`.execute(kysely);
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(size), 0)::bigint as bytes from consent_import i
    where key_id is not null and ${accountSql(sql`i.project_id`)} = ${account}
  `.execute(kysely);
  return Number(rows[0]?.bytes ?? 0);
}

/** Numbers and hashes of the stored parts, in order. */
export async function listParts(
  em: EntityManager,
  { projectId, id }: ImportRef,
): Promise<{ number: number; sha256: string }[]> {
  return importTables(em)
    .selectFrom('consent_import_part')
    .select(['number', 'sha256'])
    .where('projectId', '=', projectId)
    .where('importId', '=', id)
    .orderBy('number')
    .execute();
}

/** Stores that a part was uploaded, perhaps in place of another one. */
export async function savePart(
  tx: EntityManager,
  { projectId, id }: ImportRef,
  { number, sha256 }: { number: number; sha256: string },
): Promise<void> {
  await importTables(tx)
    .insertInto('consent_import_part')
    .values({ projectId, importId: id, number, sha256 })
    .onConflict((conflict) => conflict.columns(['projectId', 'importId', 'number']).doUpdateSet({ sha256 }))
    .execute();
}

/** The result of a batch. */
export interface BatchCounts {
  rows: number;
  stored: number;
  repeated: number;
  refused: number;
}

/**
 * Adds a batch to an import, and locks it. false: another worker has stored this batch, or the import was canceled; the
 * caller must roll back.
 */
export async function saveBatch(
  tx: EntityManager,
  { projectId, id, rowsRead }: ImportRef & Pick<ImportRow, 'rowsRead'>,
  { progress, counts }: { progress: Progress; counts: BatchCounts },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update consent_import
    set progress = ${JSON.stringify(progress)}::jsonb, rows_read = rows_read + ${counts.rows},
        stored = stored + ${counts.stored}, repeated = repeated + ${counts.repeated},
        refused = refused + ${counts.refused}
    where project_id = ${projectId} and id = ${id} and rows_read = ${rowsRead}
      and state = any(${[...WORKING_STATES]}::text[])
  `.execute(tx.getKysely());
  return numAffectedRows === 1n;
}

/** Imports that ended, or were left without a start, so long ago that their files are deleted; at most `limit`. */
export async function importsWithOldFiles(
  em: EntityManager,
  limit: number,
): Promise<(ImportRef & { state: ImportState })[]> {
  const { rows } = await sql<ImportRef & { state: ImportState }>`
    select project_id as "projectId", id, state from consent_import
    where key_id is not null and coalesce(ended_at, created_at) < now() - make_interval(days => ${IMPORT_FILES_KEPT_DAYS})
      and state <> all(${[...WORKING_STATES]}::text[])
    order by coalesce(ended_at, created_at) limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Deletes imports that ended before an instant. */
export async function deleteImportsBefore(em: EntityManager, instant: Date): Promise<void> {
  await em.nativeDelete(ConsentImport, { endedAt: { $lt: instant }, keyId: null });
}
