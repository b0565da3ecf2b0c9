import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { forgetSubjects } from '../../../platform/outbox/queued-messages.js';
import { CONSENT_RECORDED } from '../../consent/domain/consent-recorded.js';
import type { RecordsErased } from '../../consent/domain/erasure.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { RECORD_ERASED } from '../domain/outbound-request.js';
import { retryKey } from '../domain/retry.js';
import { deleteDeliveries } from '../infrastructure/delivery.rows.js';
import { deleteProjectRetries } from '../infrastructure/retry.rows.js';
import { areErasuresForwarded } from '../infrastructure/settings.rows.js';

/**
 * Deletes a project's deliveries and retries when the project is deleted. Their tables have no
 * foreign key, because its check would slow down settlement.
 */
@Injectable()
export class DeleteProjectDeliveries implements OnModuleInit {
  constructor(private readonly projects: ProjectEvents) {}

  onModuleInit(): void {
    this.projects.listen({
      deleting: async (tx, projectId) => {
        await deleteProjectRetries(tx, projectId);
        await deleteDeliveries(tx, projectId);
      },
    });
  }
}

/**
 * Deletes the deliveries and the retries of erased records and, if the project has turned this on, queues a notice of
 * each erasure for the receiver. An erasure that is reapplied after a restore is not forwarded again.
 */
export async function eraseDeliveries(
  tx: EntityManager,
  { projectId, consentIds, erasedAt, isReapplied }: RecordsErased,
  outbox: OutboxService,
): Promise<void> {
  // Messages before rows: the lock order of settlement.
  await forgetSubjects(tx, { orderingKey: retryKey(projectId), topic: CONSENT_RECORDED }, [...consentIds]);
  await deleteProjectRetries(tx, projectId, consentIds);
  await deleteDeliveries(tx, projectId, consentIds);
  if (isReapplied || !(await areErasuresForwarded(tx, projectId))) return;
  const about = { orderingKey: projectId, projectId, topic: RECORD_ERASED };
  const payload = { erasedAt: erasedAt.toISOString() };
  await outbox.appendMany(
    tx,
    consentIds.map((subjectId) => ({ ...about, subjectId, payload })),
  );
}
