import type { EntityManager } from '@mikro-orm/postgresql';
import { CONSENT_RECORDED } from '../../consent/domain/consent-recorded.js';
import type { RecordsErased } from '../../consent/domain/erasure.js';
import { forgetSubjects } from '../../../platform/outbox/queued-messages.js';
import type { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { deleteDeliveries } from '../infrastructure/delivery.rows.js';
import { deleteProjectRetries } from '../infrastructure/retry.rows.js';
import { areErasuresForwarded } from '../infrastructure/settings.rows.js';
import { retryKey } from '../domain/retry.js';
import { RECORD_ERASED } from '../domain/erased-record.js';

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
