import type { Logger } from '@nestjs/common';
import { DomainError } from '../errors/domain-error.js';

const RETRY_AFTER_SECONDS = 5;

/**
 * The result of a read from storage; `what` is its name, at the start of a sentence.
 *
 * @throws DomainError `temporarily_unavailable` (503) if storage fails.
 */
export async function orUnavailable<T>(logger: Logger, what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    logger.warn({ err: error }, `failed to read ${what} from storage`);
    throw new DomainError('temporarily_unavailable', `${what} is temporarily unavailable. Try again.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
}
