import type { EntityManager } from '@mikro-orm/postgresql';
import { ensurePartitions } from '../../../platform/database/partitions.js';
import type { DeliveryOutcome } from '../domain/delivery-outcome.js';
import { DELIVERY_PARTITIONS } from '../infrastructure/delivery.rows.js';
import { settleDeliveries } from './settle-deliveries.js';

const ROWS_AT_ONCE = 200;

/** The outcome of an attempt of an earlier day. */
export interface PastDelivery {
  consentId: string;
  outcome: DeliveryOutcome;
}

/** Creates the partitions that `insertPastDeliveries` needs, outside its transaction. */
export async function prepareLog(em: EntityManager, from: Date, now: Date): Promise<void> {
  for (const table of DELIVERY_PARTITIONS) await ensurePartitions(em, table, { from, to: now });
}

/** Inserts attempts of earlier days into the log, in order, as settlement would. */
export async function insertPastDeliveries(
  tx: EntityManager,
  projectId: string,
  deliveries: PastDelivery[],
): Promise<void> {
  const message = {
    part: 0,
    orderingKey: projectId,
    projectId,
    topic: '',
    payload: null,
    abandonedAttempts: 0,
    failures: 0,
    createdAt: new Date(),
    probeNumber: null,
  };
  const settled = deliveries.map(({ consentId, outcome }, id) => ({
    message: { ...message, id, subjectId: consentId },
    outcome,
  }));
  for (let at = 0; at < settled.length; at += ROWS_AT_ONCE)
    await settleDeliveries(tx, settled.slice(at, at + ROWS_AT_ONCE));
}
