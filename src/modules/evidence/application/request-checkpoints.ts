import type { EntityManager } from '@mikro-orm/postgresql';
import type { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { CHECKPOINT_DUE, logMessage } from '../evidence.events.js';
import { markRequested } from '../infrastructure/checkpoint.rows.js';

/**
 * Requests checkpoints of logs, in the caller's transaction. Logs with a queued message are
 * skipped.
 */
export async function requestCheckpoints(
  tx: EntityManager,
  outbox: OutboxService,
  logs: readonly { log: string; size: number; checkpointSize: number }[],
): Promise<void> {
  const marked = await markRequested(tx, logs);
  await outbox.appendMany(
    tx,
    marked.map((log) => logMessage(CHECKPOINT_DUE, log)),
  );
}
