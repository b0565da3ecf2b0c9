import type { EntityManager } from '@mikro-orm/postgresql';
import { projectOf, type Settled } from '../../../platform/outbox/domain/outbox-message.js';
import type { DeliveryOutcome } from '../domain/outcome.js';
import { insertDeliveries } from '../infrastructure/delivery.rows.js';
import { writeLastDelivered } from '../infrastructure/last-delivered.rows.js';
import { writeLastFailures } from '../infrastructure/last-failure.rows.js';
import { deliveredBefore } from './repeated-attempts.js';

/** Results of `settleDeliveries`. */
export interface LoggedDeliveries {
  /** The projects that have a hold. */
  held: Set<string>;
  /** Failed repeats of delivered attempts. */
  superseded: ReadonlySet<Settled<DeliveryOutcome>>;
}

/**
 * Writes the outcomes of a batch: a delivery row each, and each project's last failure and last
 * success once (spec §3.3, §2.2). Locks rows in the order of project ids, so that two batches
 * cannot deadlock.
 */
export async function settleDeliveries(
  tx: EntityManager,
  settled: Settled<DeliveryOutcome>[],
): Promise<LoggedDeliveries> {
  if (settled.length === 0) return { held: new Set(), superseded: new Set() };
  const superseded = await deliveredBefore(tx, settled);
  const held = await insertDeliveries(tx, settled, superseded);
  const failures = latestPerProject(settled, 'failed').map(({ projectId, outcome }) => {
    const { reason, category, httpStatus, attemptedAt: at } = outcome;
    return { projectId, reason: reason ?? '', category, httpStatus, at };
  });
  if (failures.length > 0) await writeLastFailures(tx, failures);
  const delivered = latestPerProject(settled, 'delivered').map(({ projectId, outcome }) => ({
    projectId,
    at: outcome.attemptedAt,
  }));
  if (delivered.length > 0) await writeLastDelivered(tx, delivered);
  return { held, superseded };
}

/** The latest outcome of one kind for each project. */
function latestPerProject(
  settled: Settled<DeliveryOutcome>[],
  kind: DeliveryOutcome['outcome'],
): { projectId: string; outcome: DeliveryOutcome }[] {
  const latest = new Map<string, DeliveryOutcome>();
  for (const { message, outcome } of settled) {
    if (outcome.outcome !== kind) continue;
    const projectId = projectOf(message);
    const known = latest.get(projectId);
    if (!known || known.attemptedAt <= outcome.attemptedAt) latest.set(projectId, outcome);
  }
  return [...latest].map(([projectId, outcome]) => ({ projectId, outcome }));
}
