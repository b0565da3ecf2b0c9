import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { OutboxService } from '../../outbox/outbox.service.js';
import { CONSENT_RECORDED } from '../domain/consent-recorded.js';
import { ConsentEvents } from '../consent.events.js';
import type { VisitorHash } from '../domain/erasure.js';

/**
 * Which records go, at most `limit`: those with these ids, all of them under one key where one is named, or those of a
 * visitor that were received by an instant.
 */
export type Doomed =
  | { projectId: string; consentIds: string[]; visitorKeyHash?: Buffer }
  | ({ projectId: string; receivedBy: Date } & VisitorHash);

/**
 * Takes records away with all that is kept of them, in the caller's transaction. The records go first, which waits for
 * who announces one of them again; then the messages about them, which waits for who settles one; then what others
 * keep. So nothing about them is left when the transaction commits, and nobody sends one of them from then on but a
 * worker that had claimed it before.
 */
@Injectable()
export class EraseRecords {
  constructor(
    private readonly events: ConsentEvents,
    private readonly outbox: OutboxService,
  ) {}

  /** Returns the ids of the records that were there. */
  async erase(tx: EntityManager, doomed: Doomed, limit: number): Promise<string[]> {
    const { projectId } = doomed;
    const { rows } = await sql<{ id: string; erasedAt: Date }>`
      with doomed as materialized (${selectionOf(doomed, limit)}),
      erased as (
        delete from consent_record c using doomed
        where c.project_id = ${projectId} and c.id = doomed.id
        returning c.id
      )
      insert into erased_record (project_id, consent_id)
      select ${projectId}::uuid, id from erased
      on conflict (project_id, consent_id) do update set erased_at = excluded.erased_at, stored_xid = excluded.stored_xid
      returning consent_id as id, erased_at as "erasedAt"
    `.execute(tx.getKysely());
    const [first] = rows;
    if (!first) return [];
    const consentIds = rows.map(({ id }) => id);
    await this.outbox.forget(tx, { orderingKey: projectId, topic: CONSENT_RECORDED }, consentIds);
    await this.events.tellErased(tx, { projectId, consentIds, erasedAt: first.erasedAt });
    return consentIds;
  }
}

function selectionOf(doomed: Doomed, limit: number): RawBuilder<unknown> {
  const { projectId } = doomed;
  if ('consentIds' in doomed) {
    return sql`
      select id from consent_record
      where project_id = ${projectId} and id = any(${doomed.consentIds}::uuid[])
        ${doomed.visitorKeyHash ? sql`and visitor_key_hash = ${doomed.visitorKeyHash}` : sql``}
      limit ${limit}`;
  }
  const isHers =
    'visitorHash' in doomed
      ? sql`visitor_hash = ${doomed.visitorHash}`
      : sql`visitor_key_hash = ${doomed.visitorKeyHash}`;
  return sql`
    select id from consent_record
    where project_id = ${projectId} and ${isHers}
      and received_at <= ${doomed.receivedBy}::timestamptz
    order by id limit ${limit}`;
}
