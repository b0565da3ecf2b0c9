import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { HASH_PREFIX, type VisitorReference } from '../domain/visitor-reference.js';
import { VisitorIndexingSchema } from './consent.entities.js';
import { consentTables } from './consent.tables.js';

/** The default without a row. */
const NONE: VisitorReference = { field: null, hashed: false, salt: null };

/** How the project's records identify a visitor. */
export async function findVisitorReference(em: EntityManager, projectId: string): Promise<VisitorReference> {
  const found = await consentTables(em)
    .selectFrom('visitor_reference')
    .select(['field', 'hashed', 'salt'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return found ?? NONE;
}

/** Keeps a stored salt, because existing hashes depend on it. */
export async function writeVisitorReference(
  tx: EntityManager,
  projectId: string,
  { field, hashed, salt }: VisitorReference & { salt: Buffer },
): Promise<void> {
  await consentTables(tx)
    .insertInto('visitor_reference')
    .values({ projectId, field, hashed, salt })
    .onConflict((conflict) => conflict.column('projectId').doUpdateSet({ field, hashed }))
    .execute();
}

/**
 * A fragment that joins the visitor reference of a row's project as `v`, with null columns if the
 * project has none.
 */
export function lookUpVisitorReference(projectId: RawBuilder<unknown>): RawBuilder<unknown> {
  // The limit makes it one primary-key lookup per row, independent of the planner's statistics.
  return sql`left join lateral (
    select * from visitor_reference where project_id = ${projectId} limit 1
  ) v on true`;
}

/**
 * The value that identifies a visitor, over the visitor reference as `v`: a non-empty text or a
 * number; null for anything else. `extra` is jsonb.
 */
export function visitorValueSql(extra: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`case jsonb_typeof(${extra} -> v.field)
  when 'string' then nullif(${extra} ->> v.field, '')
  when 'number' then ${extra} ->> v.field end`;
}

/** Its hash, equal to `visitorHash`; null without a value. */
export function visitorHashSql(value: RawBuilder<string | null>): RawBuilder<Buffer | null> {
  return sql`sha256(v.salt || convert_to(${value}, 'UTF8'))`;
}

/**
 * Records that one transaction indexes. It takes some tens of milliseconds, and holds its locks
 * that long.
 */
export const INDEX_BATCH_MAX = 500;
/**
 * Shorter than PostgreSQL's deadlock check (1 s): if a resend locks the same records, the index
 * gives up first.
 */
const LOCK_WAIT_MS = 500;

/**
 * Writes the visitor hashes of a project's next records, in the order of their ids, and moves its
 * row in `visitor_indexing`. 'done': the row was deleted or did not exist. 'waits': the settings
 * are younger than the required number of seconds. The row is locked first, as when settings
 * change, and then the settings are read. So a batch belongs either to the old settings, and is
 * indexed again, or to the new ones. A value already stored as a hash (64 digits written by the
 * ingest) is used unchanged, and still finds the visitor.
 */
export async function indexVisitors(
  tx: EntityManager,
  projectId: string,
  seconds: number,
): Promise<'more' | 'done' | 'waits'> {
  const kysely = tx.getKysely();
  await sql`set local lock_timeout = ${sql.lit(LOCK_WAIT_MS)}`.execute(kysely);
  const { rows } = await sql<{ afterId: string; isDue: boolean }>`
    select after_id as "afterId", requested_at <= now() - make_interval(secs => ${seconds}) as "isDue"
    from visitor_indexing where project_id = ${projectId} for update
  `.execute(kysely);
  const [state] = rows;
  if (!state) return 'done';
  if (!state.isDue) return 'waits';
  const value = visitorValueSql(sql.ref('c.extra'));
  const { rows: batches } = await sql<{ count: number; lastId: string }>`
    with batch as materialized (
      select c.project_id, c.id, c.extra, c.visitor_hash from consent_record c
      where c.project_id = ${projectId} and c.id > ${state.afterId}::uuid
      order by c.id limit ${INDEX_BATCH_MAX}
    ), valued as (
      select c.id, c.visitor_hash as known, ${value} as value, ${visitorHashSql(value)} as fresh,
             v.field, v.hashed
      from batch c ${lookUpVisitorReference(sql.ref('c.project_id'))}
    ), judged as (
      select *, value ~ ${`^${HASH_PREFIX}[0-9a-f]{64}$`} and known is distinct from fresh as is_hash from valued
    ), decided as (
      select id, known, field, hashed and not is_hash as is_replaced,
             case when is_hash then decode(substr(value, ${HASH_PREFIX.length + 1}), 'hex') else fresh end as found_by
      from judged
    ), written as (
      update consent_record c
      set visitor_hash = decided.found_by,
          extra = case when decided.is_replaced
            then jsonb_set(c.extra, array[decided.field],
                           to_jsonb(${HASH_PREFIX}::text || encode(decided.found_by, 'hex')))
            else c.extra end
      from decided
      where c.project_id = ${projectId} and c.id = decided.id
        and (decided.known is distinct from decided.found_by or decided.is_replaced)
    )
    select count(*)::int as count, max(id::text) as "lastId" from batch
  `.execute(kysely);
  const [batch] = batches;
  if (batch?.count === INDEX_BATCH_MAX) {
    await tx.nativeUpdate(VisitorIndexingSchema, { projectId }, { afterId: batch.lastId });
    return 'more';
  }
  await stopIndexing(tx, projectId);
  return 'done';
}

/** Starts indexing a project from its first record; returns whether it has records. */
export async function startIndexing(tx: EntityManager, projectId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into visitor_indexing (project_id)
    select ${projectId}::uuid where exists (select from consent_record where project_id = ${projectId})
    on conflict (project_id) do update set after_id = default, requested_at = default
    returning project_id
  `.execute(tx.getKysely());
  return rows.length > 0;
}

export async function stopIndexing(tx: EntityManager, projectId: string): Promise<void> {
  await tx.nativeDelete(VisitorIndexingSchema, { projectId });
}

/** Whether stored records of the project are still being indexed. */
export async function isIndexing(em: EntityManager, projectId: string): Promise<boolean> {
  return (await em.count(VisitorIndexingSchema, { projectId })) > 0;
}
