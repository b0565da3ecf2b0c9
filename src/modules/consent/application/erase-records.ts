import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { forgetSubjects } from '../../../platform/outbox/queued-messages.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { CONSENT_RECORDED } from '../domain/consent-recorded.js';
import { ERASURE_LISTENERS, type ErasureListener } from '../erasure-listener.js';
import { deleteRecords, type ErasureSelector } from '../infrastructure/erasure.rows.js';

/**
 * Deletes records with everything stored about them, in the caller's transaction. The order is:
 * records, which waits for transactions that queue one of them again; their outbox messages, which
 * waits for transactions that settle one; the data of other modules. So nothing about them remains
 * when the transaction commits. Only a worker that already claimed a message can still send it.
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
    await forgetSubjects(tx, { orderingKey: projectId, topic: CONSENT_RECORDED }, consentIds);
    const erased = { projectId, consentIds, erasedAt: first.erasedAt, isReapplied };
    for (const listener of this.listeners) await listener(tx, erased, this.outbox);
    return consentIds;
  }
}
