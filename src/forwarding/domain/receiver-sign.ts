import type { Destination } from './destination.js';
import type { Answer, DeliveryOutcome, FailureCategory, SkipReason } from './outcome.js';

/** What the outcome of a record says about its project's receiver. */
export type ReceiverSign =
  | { kind: 'up' }
  /** Plainly unavailable; `retryAfterMs` is how long it asked to be left alone, null where it did not. */
  | { kind: 'down'; retryAfterMs: number | null }
  /** It answered about one record, or the failure is not its own. */
  | { kind: 'unclear' }
  /** Nothing was sent for this one record. */
  | { kind: 'untried' }
  /** The project's records do not go to its own receiver any more. */
  | { kind: 'elsewhere' };

/** An outcome, and what it says about the receiver. */
export type SignedOutcome = DeliveryOutcome & { sign: ReceiverSign };

const DOWN_CATEGORIES: readonly FailureCategory[] = ['dns', 'connect', 'tls', 'timeout', 'reset'];
/** Beside 5xx. A wrong token or path is mended by the owner, too, and costs every record meanwhile. */
const DOWN_STATUSES: readonly number[] = [401, 403, 404, 408, 410, 429];
/** The answers whose Retry-After is obeyed. */
const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];
/** A receiver that asks for more is asked again after this. */
export const RETRY_AFTER_MAX_MS = 60 * 60_000;

/**
 * What an answer says. One from an endpoint that came with a request says nothing: visitors name it, and must not be
 * able to hold a project's records.
 */
export function signOf(answer: Answer, destination: Destination['kind'], now: Date): ReceiverSign {
  if (destination === 'legacy') return { kind: 'elsewhere' };
  if (answer.kind === 'error') {
    return DOWN_CATEGORIES.includes(answer.category)
      ? { kind: 'down', retryAfterMs: null }
      : { kind: 'unclear' };
  }
  const { httpStatus } = answer;
  if (httpStatus >= 200 && httpStatus <= 299) return { kind: 'up' };
  const isDown = (httpStatus >= 500 && httpStatus <= 599) || DOWN_STATUSES.includes(httpStatus);
  if (!isDown) return { kind: 'unclear' };
  const obeyed = RETRY_AFTER_STATUSES.includes(httpStatus) ? answer.retryAfter : undefined;
  return { kind: 'down', retryAfterMs: retryAfterMs(obeyed, now) };
}

/** What a skip says: that the project does not forward, or nothing. */
export function signOfSkip(reason: SkipReason): ReceiverSign {
  switch (reason) {
    case 'disabled':
    case 'no_endpoint':
    case 'tier':
      return { kind: 'elsewhere' };
    case 'preview_hostname':
    case 'record_gone':
      return { kind: 'untried' };
  }
}

/** `Retry-After` (RFC 9110 §10.2.3) in milliseconds, seconds or a date, at most an hour; null where it says nothing. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  const askedMs = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now.getTime();
  if (Number.isNaN(askedMs)) return null;
  return Math.min(RETRY_AFTER_MAX_MS, Math.max(0, askedMs));
}

/** An HTTP date begins with the day of the week; `Date.parse` takes much more than that. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
}
