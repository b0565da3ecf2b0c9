import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { forgetSubjects } from '../../../platform/outbox/queued-messages.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { CONSENT_RECORDED } from '../domain/consent-recorded.js';
import { ERASURE_LISTENERS, type ErasureListener } from '../consent.hooks.js';
import { deleteProjectRecords, deleteRecords, type ErasureSelector } from '../infrastructure/erasure.rows.js';

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

/** Records deleted per transaction: a project may have millions, and a long transaction holds back vacuum. */
const DELETE_BATCH_MAX = 10_000;

/**
 * Deletes the records of a deleted project. `consent_record` has no foreign key to the project,
 * because the ingest would pay for its check. A record whose ingest commits at the same moment
 * stays until its retention ends.
 */
@Injectable()
export class DeleteProjectRecords implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectEvents,
  ) {}

  onModuleInit(): void {
    this.projects.listen({
      beforeDeletion: (projectId) => this.deleteInBatches(projectId),
      // Only the few records received since the last batch.
      deleting: async (tx, projectId) => {
        await deleteProjectRecords(tx, projectId);
      },
    });
  }

  private async deleteInBatches(projectId: string): Promise<void> {
    const em = this.em.fork();
    let deleted: number;
    do {
      deleted = await deleteProjectRecords(em, projectId, DELETE_BATCH_MAX);
    } while (deleted === DELETE_BATCH_MAX);
  }
}
