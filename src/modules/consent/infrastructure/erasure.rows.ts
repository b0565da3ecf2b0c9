import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { NOW } from '../../../platform/database/tables.js';
import { findAuditedTargets, sumAuditedErasures } from '../../audit/audit.log.js';
import { VISITOR_ERASURES_LISTED_PER_HOUR, type VisitorHash } from '../domain/erasure.js';
import { ErasureRequestSchema } from './consent.entities.js';
import { consentTables } from './consent.tables.js';

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
      order by id limit ${limit ?? null}
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
  const rows = await consentTables(em)
    .selectFrom('consent_record')
    .select('id')
    .where('projectId', '=', projectId)
    .where('visitorKeyHash', '=', visitorKeyHash)
    .limit(1)
    .execute();
  return rows.length > 0;
}

/** The visitor key hash of a record, null without a key; undefined if the record does not exist. */
export async function findVisitorKeyHash(
  em: EntityManager,
  projectId: string,
  consentId: string,
): Promise<Buffer | null | undefined> {
  const record = await consentTables(em)
    .selectFrom('consent_record')
    .select('visitorKeyHash')
    .where('projectId', '=', projectId)
    .where('id', '=', consentId)
    .executeTakeFirst();
  return record?.visitorKeyHash;
}

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

/** An erasure requested by an owner, and its progress. */
export interface Erasure {
  id: string;
  reason: string;
  requestedAt: Date;
  /** Records erased so far. */
  erased: number;
  /** null: a worker erases the rest. */
  finishedAt: Date | null;
}

interface ErasureKey {
  projectId: string;
  id: string;
}

export async function insertErasureRequest(
  tx: EntityManager,
  { projectId, id }: ErasureKey,
  { visitor, reason }: { visitor: VisitorHash; reason: string },
): Promise<void> {
  await tx.insert(ErasureRequestSchema, { projectId, id, ...visitor, reason });
}

export async function readErasure(em: EntityManager, { projectId, id }: ErasureKey): Promise<Erasure | null> {
  const request = await consentTables(em)
    .selectFrom('erasure_request')
    .select(['id', 'reason', 'requestedAt', 'erased', 'finishedAt'])
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return request ?? null;
}

/** Locks a request; null if it is finished, or deleted with its project. */
export async function lockErasureRequest(
  tx: EntityManager,
  { projectId, id }: ErasureKey,
): Promise<{ visitor: VisitorHash; requestedAt: Date } | null> {
  const request = await consentTables(tx)
    .selectFrom('erasure_request')
    .select(['visitorHash', 'visitorKeyHash', 'requestedAt'])
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!request) return null;
  const { visitorHash, visitorKeyHash, requestedAt } = request;
  if (visitorHash) return { visitor: { visitorHash }, requestedAt };
  return visitorKeyHash && { visitor: { visitorKeyHash }, requestedAt };
}

/** Adds erased records to a request, and finishes it if none remain. Returns how many it has erased. */
export async function countErased(
  tx: EntityManager,
  { projectId, id }: ErasureKey,
  { erased, left }: { erased: number; left: boolean },
): Promise<number> {
  const finished = { visitorHash: null, visitorKeyHash: null, finishedAt: NOW };
  const counted = await consentTables(tx)
    .updateTable('erasure_request')
    .set((request) => ({ erased: request('erased', '+', erased), ...(!left && finished) }))
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .returning('erased')
    .executeTakeFirst();
  return counted?.erased ?? erased;
}

const HOUR_MS = 60 * 60_000;
/** Limit of the compared erasures per hour; an hour with more is skipped. */
const ERASURES_MAX = 20_000;

interface StoredErasure {
  id: string;
  erasedAt: Date;
}

/**
 * The stored erasures of a project that the audit log does not explain. It names most by their id;
 * of the others, an hour must not have more than requests, summaries and counters account for. In
 * an hour with too many, all unnamed erasures are returned, because the unexplained ones are
 * indistinguishable.
 */
export async function listUnexplained(
  em: EntityManager,
  projectId: string,
  erasures: readonly StoredErasure[],
): Promise<StoredErasure[]> {
  const unnamed = await withoutNamed(em, projectId, erasures);
  const byHour = Map.groupBy(unnamed, ({ erasedAt }) => Math.floor(erasedAt.getTime() / HOUR_MS));
  const unexplained: StoredErasure[] = [];
  for (const [hour, ofHour] of byHour) {
    const from = new Date(hour * HOUR_MS);
    const to = new Date((hour + 1) * HOUR_MS);
    const all = await listErasures(em, projectId, { from, to });
    if (all.length === ERASURES_MAX) continue;
    const count = (await withoutNamed(em, projectId, all)).length;
    if (count > (await countExplained(em, projectId, { from, to }))) unexplained.push(...ofHour);
  }
  return unexplained;
}

async function withoutNamed(
  em: EntityManager,
  projectId: string,
  erasures: readonly StoredErasure[],
): Promise<StoredErasure[]> {
  if (erasures.length === 0) return [];
  const since = new Date(Math.min(...erasures.map(({ erasedAt }) => erasedAt.getTime())) - HOUR_MS);
  const targets = erasures.map(({ id }) => id);
  const named = await findAuditedTargets(em, { projectId, action: 'consent.erase', targets, since });
  return erasures.filter(({ id }) => !named.has(id));
}

interface Hour {
  from: Date;
  to: Date;
}

async function listErasures(
  em: EntityManager,
  projectId: string,
  { from, to }: Hour,
): Promise<StoredErasure[]> {
  return consentTables(em)
    .selectFrom('erased_record')
    .select(['consentId as id', 'erasedAt'])
    .where('projectId', '=', projectId)
    .where('erasedAt', '>=', from)
    .where('erasedAt', '<', to)
    .limit(ERASURES_MAX)
    .execute();
}

/** The most records that requests, and erasures without individual events, may have erased in an hour. */
async function countExplained(em: EntityManager, projectId: string, { from, to }: Hour): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce((
      select sum(erased) from erasure_request
      where project_id = ${projectId} and requested_at < ${to} and coalesce(finished_at, 'infinity') >= ${from}
    ), 0)::float8 + coalesce((
      select greatest(0, erasures - ${VISITOR_ERASURES_LISTED_PER_HOUR}) from visitor_erasure_hour
      where project_id = ${projectId} and at = ${from}
    ), 0)::float8 as count
  `.execute(em.getKysely());
  return (rows[0]?.count ?? 0) + (await sumAuditedErasures(em, { projectId, from, to }));
}

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
