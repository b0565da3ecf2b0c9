import type { DeliveryResponse } from '../../client/types.gen';

type Attempt = Pick<DeliveryResponse, 'id' | 'attempt' | 'attemptedAt' | 'outcome'>;

/**
 * The time range in which a resend was requested: after the previous attempt, and before its own.
 */
interface Span {
  after: string;
  until: string;
}

/**
 * The requested ones among a record's attempts (oldest first), by id: automatic retries continue
 * the numbering of the first attempt, and a resend restarts at 1.
 */
export function resendsOf(attempts: readonly Attempt[]): Map<string, Span> {
  return new Map(
    attempts.flatMap(({ id, attempt, attemptedAt }, index) => {
      const before = attempts[index - 1];
      return before && attempt === 1 ? [[id, { after: before.attemptedAt, until: attemptedAt }]] : [];
    }),
  );
}
