import type { Logger } from '@nestjs/common';
import { DomainError } from '../../shared/domain-error.js';

const RETRY_AFTER_SECONDS = 5;

/** What is read from storage. @throws DomainError `temporarily_unavailable` (503) where storage does not answer. */
export async function orUnavailable<T>(logger: Logger, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    logger.warn({ err: error }, 'what is published could not be read');
    throw new DomainError('temporarily_unavailable', 'The configuration cannot be read now. Try again.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
