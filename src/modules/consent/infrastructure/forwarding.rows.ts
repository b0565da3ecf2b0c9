import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { lowestIdReceivedAt, lowestIdReceivedAfter } from './record-range.js';

/** Records received in a period: `from` inclusive, `to` exclusive. */
export interface SkippedRange {
  projectId: string;
  from: Date;
  to: Date;
  limit: number;
}

/**
 * Marks records as forwarded and locks them until the transaction ends: an erasure waits for the
 * lock, and then finds their outbox messages. Returns the ids that exist, in the order given.
 */
export async function lockForForwarding(
  tx: EntityManager,
  projectId: string,
  consentIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with marked as (
      update consent_record set skipped_reason = null
      where project_id = ${projectId} and id = any(${consentIds}::uuid[]) and skipped_reason is not null
    )
    select c.id
    from unnest(${consentIds}::uuid[]) with ordinality as requested (id, position)
    join consent_record c on c.project_id = ${projectId} and c.id = requested.id
    order by requested.position
    for key share of c
  `.execute(tx.getKysely());
  return rows.map(({ id }) => id);
}

/** Ids of the records in the range that were never queued, oldest first. */
export async function skippedRecordIds(
  tx: EntityManager,
  { projectId, from, to, limit }: SkippedRange,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from consent_record
    where project_id = ${projectId} and id >= ${lowestIdReceivedAt(from)} and id < ${lowestIdReceivedAfter(to)}
      and received_at >= ${from} and received_at < ${to} and skipped_reason is not null
    order by id limit ${limit}
  `.execute(tx.getKysely());
  return rows.map(({ id }) => id);
}
