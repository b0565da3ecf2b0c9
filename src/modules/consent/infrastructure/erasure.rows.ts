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

/** Deletes at most `limit` records of a deleted project (absent: all); returns how many. */
export async function deleteProjectRecords(
  em: EntityManager,
  projectId: string,
  limit?: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    with selected as (
      select project_id, id from consent_record where project_id = ${projectId}
      order by id ${limit === undefined ? sql`` : sql`limit ${limit}`}
    )
    delete from consent_record using selected
    where consent_record.project_id = selected.project_id and consent_record.id = selected.id
  `.execute(em.getKysely());
  return Number(numAffectedRows ?? 0);
}

/** Whether records are stored under a visitor key. */
export async function hasVisitorRecords(
  em: EntityManager,
  projectId: string,
  visitorKeyHash: Buffer,
): Promise<boolean> {
  const { rows } = await sql`
    select from consent_record where project_id = ${projectId} and visitor_key_hash = ${visitorKeyHash} limit 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** The visitor key hash of a record, null without a key; undefined if the record does not exist. */
export async function findVisitorKeyHash(
  em: EntityManager,
  projectId: string,
  consentId: string,
): Promise<Buffer | null | undefined> {
  const { rows } = await sql<{ visitorKeyHash: Buffer | null }>`
    select visitor_key_hash as "visitorKeyHash" from consent_record
    where project_id = ${projectId} and id = ${consentId}::uuid
  `.execute(em.getKysely());
  return rows[0]?.visitorKeyHash;
}

/** A record that was erased. */
export interface ErasedConsent {
  projectId: string;
  consentId: string;
  erasedAt: Date;
}

/** Records erased since an instant, after a record, by project and id; at most `limit`. */
export async function erasedAfter(
  em: EntityManager,
  after: Omit<ErasedConsent, 'erasedAt'>,
  { since, limit }: { since: Date; limit: number },
): Promise<ErasedConsent[]> {
  const { rows } = await sql<ErasedConsent>`
    select project_id as "projectId", consent_id as "consentId", erased_at as "erasedAt" from erased_record
    where (project_id, consent_id) > (${after.projectId}::uuid, ${after.consentId}::uuid) and erased_at >= ${since}
    order by project_id, consent_id limit ${limit}
  `.execute(em.getKysely());
  return rows;
}
