import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { VisitorHash } from '../domain/erasure.js';

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
  const [visitorHash, visitorKeyHash] =
    'visitorHash' in visitor ? [visitor.visitorHash, null] : [null, visitor.visitorKeyHash];
  await sql`
    insert into erasure_request (project_id, id, visitor_hash, visitor_key_hash, reason)
    values (${projectId}, ${id}, ${visitorHash}, ${visitorKeyHash}, ${reason})
  `.execute(tx.getKysely());
}

export async function readErasure(em: EntityManager, { projectId, id }: ErasureKey): Promise<Erasure | null> {
  const { rows } = await sql<Erasure>`
    select id, reason, requested_at as "requestedAt", erased, finished_at as "finishedAt"
    from erasure_request where project_id = ${projectId} and id = ${id}::uuid
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Locks a request; null if it is finished, or deleted with its project. */
export async function lockErasureRequest(
  tx: EntityManager,
  { projectId, id }: ErasureKey,
): Promise<{ visitor: VisitorHash; requestedAt: Date } | null> {
  const { rows } = await sql<{
    visitorHash: Buffer | null;
    visitorKeyHash: Buffer | null;
    requestedAt: Date;
  }>`
    select visitor_hash as "visitorHash", visitor_key_hash as "visitorKeyHash", requested_at as "requestedAt"
    from erasure_request
    where project_id = ${projectId} and id = ${id} for update
  `.execute(tx.getKysely());
  const [request] = rows;
  if (!request) return null;
  const { visitorHash, visitorKeyHash, requestedAt } = request;
  if (visitorHash) return { visitor: { visitorHash }, requestedAt };
  return visitorKeyHash && { visitor: { visitorKeyHash }, requestedAt };
}

/** Adds erased records to a request, and finishes it if none remain. */
export async function countErased(
  tx: EntityManager,
  { projectId, id }: ErasureKey,
  { erased, left }: { erased: number; left: boolean },
): Promise<void> {
  await sql`
    update erasure_request
    set erased = erased + ${erased},
        visitor_hash = case when ${left} then visitor_hash end,
        visitor_key_hash = case when ${left} then visitor_key_hash end,
        finished_at = case when not ${left} then now() end
    where project_id = ${projectId} and id = ${id}
  `.execute(tx.getKysely());
}
