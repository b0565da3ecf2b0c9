import { type OutboxMessage, projectOf } from '../../../platform/outbox/domain/outbox-message.js';

/** Topic of notifications about erased records; the subject is the consent id. */
export const RECORD_ERASED = 'record.erased';

/** The notification about an erased record. */
export interface ErasedRecord {
  id: string;
  projectId: string;
  erasedAt: Date;
}

export function erasedOf(message: OutboxMessage): ErasedRecord {
  const { subjectId: id, payload, createdAt } = message;
  const erasedAt = typeof payload?.erasedAt === 'string' ? new Date(payload.erasedAt) : createdAt;
  return { id, projectId: projectOf(message), erasedAt };
}
