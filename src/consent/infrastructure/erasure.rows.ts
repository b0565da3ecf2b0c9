import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import type { VisitorHash } from '../domain/erasure.js';

/**
 * The records to erase: by id, optionally only those with a visitor key, or all records of a visitor that were received
 * by an instant.
 */
export type ErasureSelector =
  | { projectId: string; consentIds: readonly string[]; visitorKeyHash?: Buffer }
  | ({ projectId: string; receivedBy: Date } & VisitorHash);

/** Deletes at most `limit` records and adds them to the list of erased records. */
export async function deleteRecords(
  tx: EntityManager,
  selector: ErasureSelector,
  limit: number,
): Promise<{ id: string; erasedAt: Date }[]> {
  const { projectId } = selector;
  const { rows } = await sql<{ id: string; erasedAt: Date }>`
    with selected as materialized (
      ${selection(selector)} limit ${limit}
    ),
    erased as (
      delete from consent_record c using selected
      where c.project_id = ${projectId} and c.id = selected.id
      returning c.id
    )
    insert into erased_record (project_id, consent_id)
    select ${projectId}::uuid, id from erased
    on conflict (project_id, consent_id) do update set erased_at = excluded.erased_at, stored_xid = excluded.stored_xid
    returning consent_id as id, erased_at as "erasedAt"
  `.execute(tx.getKysely());
  return rows;
}

function selection(selector: ErasureSelector): RawBuilder<unknown> {
  const { projectId } = selector;
  if ('consentIds' in selector) {
    const { consentIds, visitorKeyHash } = selector;
    return sql`
      select id from consent_record
      where project_id = ${projectId} and id = any(${consentIds}::uuid[])
        ${visitorKeyHash ? sql`and visitor_key_hash = ${visitorKeyHash}` : sql``}`;
  }
  const isOfVisitor =
    'visitorHash' in selector
      ? sql`visitor_hash = ${selector.visitorHash}`
      : sql`visitor_key_hash = ${selector.visitorKeyHash}`;
  return sql`
      select id from consent_record
      where project_id = ${projectId} and ${isOfVisitor}
        and received_at <= ${selector.receivedBy}::timestamptz
      order by id`;
}
