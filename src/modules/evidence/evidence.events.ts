import type { EntityManager } from '@mikro-orm/postgresql';
import { namedKey } from '../../platform/outbox/domain/ordering-key.js';
import type { NewOutboxMessage } from '../../platform/outbox/domain/outbox-message.js';
import type { OutboxService } from '../../platform/outbox/outbox.service.js';
import { ROOT_LOG } from './domain/log.js';
import { markRequested } from './infrastructure/checkpoint.rows.js';

/** New records and erasures must be sequenced; belongs to no project. */
export const SEQUENCING_DUE = 'sequencing.due';
/** A log needs a new signed checkpoint; its subject is the log. */
export const CHECKPOINT_DUE = 'checkpoint.due';
/** A project was deleted, so its log must be deleted from storage; its subject is the log. */
export const LOG_DELETED = 'log.deleted';

/** A checkpoint of the root log must be timestamped; belongs to no project. */
export const TIMESTAMP_DUE = 'timestamp.due';

const SEQUENCING_KEY = namedKey('sequencing');
export const TIMESTAMP_KEY = namedKey('timestamp');

export const sequencingMessage = (): NewOutboxMessage => ({
  orderingKey: SEQUENCING_KEY,
  projectId: null,
  topic: SEQUENCING_DUE,
  subjectId: ROOT_LOG,
});

export const timestampMessage = (): NewOutboxMessage => ({
  orderingKey: TIMESTAMP_KEY,
  projectId: null,
  topic: TIMESTAMP_DUE,
  subjectId: ROOT_LOG,
});

export const logMessage = (
  topic: typeof CHECKPOINT_DUE | typeof LOG_DELETED,
  log: string,
): NewOutboxMessage => ({
  orderingKey: namedKey(`log:${log}`),
  // Messages that name a project are deleted with it.
  projectId: topic === LOG_DELETED || log === ROOT_LOG ? null : log,
  topic,
  subjectId: log,
});

/** Requests checkpoints of logs, in the caller's transaction. Logs with a queued message are skipped. */
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
