import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RecordsErased } from '../../consent/domain/erasure.js';
import type { OutboxService } from '../../outbox/outbox.service.js';
import { RECORD_ERASED } from '../domain/erased-record.js';

/**
 * Deletes the deliveries of erased records and, where the project has it on, queues a notice of each erasure for the
 * receiver. An erasure that is repeated after a restore is not forwarded again.
 */
export async function eraseDeliveries(
  tx: EntityManager,
  { projectId, consentIds, erasedAt, isReapplied }: RecordsErased,
  outbox: OutboxService,
): Promise<void> {
  await sql`
    delete from delivery where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[])
  `.execute(tx.getKysely());
  if (isReapplied || !(await areErasuresForwarded(tx, projectId))) return;
  const about = { orderingKey: projectId, projectId, topic: RECORD_ERASED };
  const payload = { erasedAt: erasedAt.toISOString() };
  await outbox.appendMany(
    tx,
    consentIds.map((subjectId) => ({ ...about, subjectId, payload })),
  );
}

async function areErasuresForwarded(tx: EntityManager, projectId: string): Promise<boolean> {
  const { rows } = await sql`
    select from forwarding_settings where project_id = ${projectId} and enabled and forward_erasures
  `.execute(tx.getKysely());
  return rows.length > 0;
}
