import { type OutboxMessage, projectOf } from '../../outbox/domain/outbox-message.js';

/** Topic of the message by which a receiver is told that a record was erased; its subject is the consent id. */
export const RECORD_ERASED = 'record.erased';

/** What a receiver is told of a record that was erased. */
export interface ErasedRecord {
  id: string;
  projectId: string;
  erasedAt: Date;
}

/** What a message says of the record that it is about. */
export function erasedOf(message: OutboxMessage): ErasedRecord {
  const { subjectId: id, payload, createdAt } = message;
  const erasedAt = typeof payload?.erasedAt === 'string' ? new Date(payload.erasedAt) : createdAt;
  return { id, projectId: projectOf(message), erasedAt };
}
