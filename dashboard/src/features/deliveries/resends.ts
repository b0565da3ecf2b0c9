import type { DeliveryDto } from '../../client/types.gen';

type Attempt = Pick<DeliveryDto, 'id' | 'attempt' | 'attemptedAt' | 'outcome'>;

/** When a resend was asked for: after the attempt before it, and before it was made. */
interface Span {
  after: string;
  until: string;
}

/**
 * Of a record's attempts, oldest first, those that a person requested, by their ids: automatic retries count on from the
 * first attempt, and a resend begins again with 1.
 */
export function resendsOf(attempts: readonly Attempt[]): Map<string, Span> {
  return new Map(
    attempts.flatMap(({ id, attempt, attemptedAt }, index) => {
      const before = attempts[index - 1];
      return before && attempt === 1 ? [[id, { after: before.attemptedAt, until: attemptedAt }]] : [];
    }),
  );
}
