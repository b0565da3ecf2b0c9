import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../platform/outbox/outbox.service.js';
import { CONSENT_RECORDED } from './domain/consent-recorded.js';
import { lockForForwarding, skippedRecordIds, type SkippedRange } from './infrastructure/record.rows.js';

/** Queues stored records for forwarding, for resends. New records are queued by the ingest statement. */
@Injectable()
export class ForwardingAnnouncer implements OnModuleInit {
  constructor(private readonly outbox: OutboxService) {}

  /** The service doesn't start if this topic has no handler. */
  onModuleInit(): void {
    this.outbox.announce(CONSENT_RECORDED);
  }

  /**
   * Queues records again, or for the first time, inside the caller's transaction. Skips ids without
   * a record. Returns the number of queued records.
   */
  async announceAgain(tx: EntityManager, projectId: string, consentIds: readonly string[]): Promise<number> {
    if (!tx.isInTransaction()) throw new Error('Records must be queued inside a transaction.');
    const found = await lockForForwarding(tx, projectId, consentIds);
    await this.outbox.appendMany(
      tx,
      found.map((subjectId) => ({ orderingKey: projectId, projectId, topic: CONSENT_RECORDED, subjectId })),
    );
    return found.length;
  }

  /** Ids of the records received in a period that were never queued, oldest first. */
  skippedIds(tx: EntityManager, range: SkippedRange): Promise<string[]> {
    return skippedRecordIds(tx, range);
  }
}
