import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../outbox/outbox.service.js';
import { CONSENT_RECORDED } from '../domain/consent-recorded.js';
import { ERASURE_LISTENERS, type ErasureListener } from '../erasure-listener.js';
import { deleteRecords, type ErasureSelector } from '../infrastructure/erasure.rows.js';

/**
 * Deletes records with everything that is stored about them, in the caller's transaction. The records go first, which
 * waits for transactions that queue one of them again; then their outbox messages, which waits for transactions that
 * settle one; then the data of other modules. So nothing about them is left when the transaction commits. Only a worker
 * that claimed a message before can still send it.
 */
@Injectable()
export class EraseRecords {
  constructor(
    @Inject(ERASURE_LISTENERS) private readonly listeners: readonly ErasureListener[],
    private readonly outbox: OutboxService,
  ) {}

  /** Returns the ids of the records that existed. `isReapplied`: the erasure is repeated after a restore. */
  async erase(
    tx: EntityManager,
    selector: ErasureSelector,
    { limit, isReapplied = false }: { limit: number; isReapplied?: boolean },
  ): Promise<string[]> {
    const { projectId } = selector;
    const deleted = await deleteRecords(tx, selector, limit);
    const [first] = deleted;
    if (!first) return [];
    const consentIds = deleted.map(({ id }) => id);
    await this.outbox.forget(tx, { orderingKey: projectId, topic: CONSENT_RECORDED }, consentIds);
    const erased = { projectId, consentIds, erasedAt: first.erasedAt, isReapplied };
    for (const listener of this.listeners) await listener(tx, erased, this.outbox);
    return consentIds;
  }
}
