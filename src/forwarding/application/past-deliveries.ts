import type { EntityManager } from '@mikro-orm/postgresql';
import { ensurePartition } from '../../database/partitions.js';
import type { DeliveryOutcome } from '../domain/outcome.js';
import { settleDeliveries } from './settle-deliveries.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const ROWS_AT_ONCE = 200;

/** What came of an attempt of an earlier day. */
export interface PastDelivery {
  consentId: string;
  outcome: DeliveryOutcome;
}

/** Makes room in the log for the days since `from`; outside of the transaction of `insertPastDeliveries`. */
export async function prepareLog(em: EntityManager, from: Date, now: Date): Promise<void> {
  for (let day = Math.floor(from.getTime() / DAY_MS) * DAY_MS; day <= now.getTime(); day += DAY_MS)
    for (const parent of ['delivery_settled', 'delivery_failed'] as const)
      await ensurePartition(em, parent, new Date(day));
}

/** Writes attempts of earlier days into the log, in their order, as if they were settled now. */
export async function insertPastDeliveries(
  tx: EntityManager,
  projectId: string,
  deliveries: PastDelivery[],
): Promise<void> {
  const message = {
    ...{ orderingKey: projectId, projectId, topic: '', payload: null, abandonedAttempts: 0, failures: 0 },
    ...{ createdAt: new Date(), probeNumber: null },
  };
  const settled = deliveries.map(({ consentId, outcome }, id) => ({
    message: { ...message, id, subjectId: consentId },
    outcome,
  }));
  for (let at = 0; at < settled.length; at += ROWS_AT_ONCE)
    await settleDeliveries(tx, settled.slice(at, at + ROWS_AT_ONCE));
}
