import { namedKey } from '../outbox/domain/ordering-key.js';
import type { NewOutboxMessage } from '../outbox/domain/outbox-message.js';
import { ROOT_LOG } from './domain/log.js';

/** What was stored is to be given its places; about no project. */
export const SEAL_DUE = 'seal.due';
/** A log has leaves that no signed checkpoint covers; its subject is the log. */
export const LOG_GROWN = 'log.grown';
/** A project is gone, and its log with it; its subject is the log. */
export const LOG_GONE = 'log.gone';

/** A checkpoint of the root log is to be stamped by another clock than ours; about no project. */
export const STAMP_DUE = 'stamp.due';

const SEAL_KEY = namedKey('seal');
export const STAMP_KEY = namedKey('stamp');

export const sealMessage = (): NewOutboxMessage => ({
  orderingKey: SEAL_KEY,
  projectId: null,
  topic: SEAL_DUE,
  subjectId: ROOT_LOG,
});

export const stampMessage = (): NewOutboxMessage => ({
  orderingKey: STAMP_KEY,
  projectId: null,
  topic: STAMP_DUE,
  subjectId: ROOT_LOG,
});

export const logMessage = (topic: typeof LOG_GROWN | typeof LOG_GONE, log: string): NewOutboxMessage => ({
  orderingKey: namedKey(`log:${log}`),
  // Of a project that is gone nothing would stay that names it.
  projectId: topic === LOG_GONE || log === ROOT_LOG ? null : log,
  topic,
  subjectId: log,
});
