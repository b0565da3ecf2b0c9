import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { Reads } from '../../../platform/database/prepared-reads.js';
import { constantSql } from '../../../platform/database/compile-sql.js';
import { listLiteral } from '../../../platform/database/list-literal.js';
import { consentKey, type ConsentRecorded, type ConsentRef } from '../domain/consent-recorded.js';
import { RECORD_COLUMNS } from './record-columns.js';

/** Reads records by id, keyed by `consentKey`. Deleted records are missing from the map. */
export async function loadRecords(
  reads: Reads,
  refs: readonly ConsentRef[],
): Promise<Map<string, ConsentRecorded>> {
  const rows = await reads.rows<ConsentRecorded>(RECORDS, [
    listLiteral(
      'uuid',
      refs.map(({ projectId }) => projectId),
    ),
    listLiteral(
      'uuid',
      refs.map(({ consentId }) => consentId),
    ),
  ]);
  return new Map(rows.map((row) => [consentKey({ projectId: row.projectId, consentId: row.id }), row]));
}

const RECORDS = {
  name: 'consent-records',
  text: constantSql(sql`
    select ${RECORD_COLUMNS}
    from unnest($1::uuid[], $2::uuid[]) as requested (project_id, id)
    -- The limit makes it one primary-key lookup per record. A join reads whole partitions where the planner's
    -- statistics are out of date (22 ms against 0.9 ms for 100 of 20,000 new records).
    cross join lateral (
      select * from consent_record r where r.project_id = requested.project_id and r.id = requested.id limit 1
    ) c`),
};

/** Returns the ids that are a record of the project, in the order given. */
export async function existingRecords(
  tx: EntityManager,
  projectId: string,
  consentIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from consent_record where project_id = ${projectId} and id = any(${consentIds}::uuid[])
  `.execute(tx.getKysely());
  const found = new Set(rows.map(({ id }) => id));
  return consentIds.filter((id) => found.has(id));
}

/** Returns the keys of the records that exist, and locks them until the transaction ends. */
export async function lockRecords(tx: EntityManager, refs: readonly ConsentRef[]): Promise<Set<string>> {
  const { rows } = await sql<ConsentRef>`
    select kept.project_id as "projectId", kept.id as "consentId"
    from unnest(
      ${refs.map(({ projectId }) => projectId)}::uuid[],
      ${refs.map(({ consentId }) => consentId)}::uuid[]
    ) as requested (project_id, id)
    cross join lateral (
      select c.project_id, c.id from consent_record c
      where c.project_id = requested.project_id and c.id = requested.id
      limit 1 for key share of c
    ) kept
    order by 1, 2
  `.execute(tx.getKysely());
  return new Set(rows.map(consentKey));
}

/** When a record was erased; null: it was not. */
export async function findErasedAt(
  em: EntityManager,
  { projectId, consentId }: ConsentRef,
): Promise<Date | null> {
  const { rows } = await sql<{ erasedAt: Date }>`
    select erased_at as "erasedAt" from erased_record where project_id = ${projectId} and consent_id = ${consentId}
  `.execute(em.getKysely());
  return rows[0]?.erasedAt ?? null;
}

/**
 * A fragment for another module's statement: joins the record as `c`, which drops rows of deleted
 * records.
 */
export function joinRecord({
  projectId,
  consentId,
}: Record<'projectId' | 'consentId', RawBuilder<unknown>>): RawBuilder<unknown> {
  return sql`join consent_record c on c.project_id = ${projectId} and c.id = ${consentId}`;
}
