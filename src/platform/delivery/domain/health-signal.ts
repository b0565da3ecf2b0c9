import type { TargetKind } from './endpoint-policy.js';
import { type Answer, type FailureCategory, isSuccess } from './outcome.js';

/** The health of a receiver, as implied by the outcome of one delivery. */
export type HealthSignal =
  | { kind: 'up' }
  /** Unavailable. `retryAfterMs` is the receiver's Retry-After, null if it sent none. */
  | { kind: 'down'; retryAfterMs: number | null }
  /** It rejected this one request, or the failure is not the receiver's. */
  | { kind: 'unclear' }
  /** Nothing was sent. */
  | { kind: 'untried' }
  /** The requests no longer go to this receiver. */
  | { kind: 'elsewhere' };

const DOWN_CATEGORIES: readonly FailureCategory[] = ['dns', 'connect', 'tls', 'timeout', 'reset'];
/** Statuses besides 5xx that open the circuit. A wrong token or path fails every record until the owner fixes it. */
const DOWN_STATUSES: readonly number[] = [401, 403, 404, 408, 410, 429];
/** Statuses whose Retry-After header is used. */
const RETRY_AFTER_STATUSES: readonly number[] = [429, 503];
/** Upper limit of Retry-After; longer values are reduced to it. */
const RETRY_AFTER_MAX_MS = 60 * 60_000;

/**
 * Classifies a response. One from an endpoint that was named in a request is no signal: visitors
 * choose that endpoint and must not be able to put a project on hold.
 */
export function healthSignalOf(answer: Answer, target: TargetKind, now: Date): HealthSignal {
  if (target === 'legacy') return { kind: 'elsewhere' };
  if (answer.kind === 'error')
    return DOWN_CATEGORIES.includes(answer.category)
      ? { kind: 'down', retryAfterMs: null }
      : { kind: 'unclear' };
  const { httpStatus } = answer;
  if (isSuccess(httpStatus)) return { kind: 'up' };
  const isDown = (httpStatus >= 500 && httpStatus <= 599) || DOWN_STATUSES.includes(httpStatus);
  if (!isDown) return { kind: 'unclear' };
  const header = RETRY_AFTER_STATUSES.includes(httpStatus) ? answer.retryAfter : undefined;
  return { kind: 'down', retryAfterMs: retryAfterMs(header, now) };
}

/** Parses `Retry-After` (RFC 9110 §10.2.3), seconds or a date, into at most an hour of milliseconds; null if invalid. */
export function retryAfterMs(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  const requestedMs = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - now.getTime();
  if (Number.isNaN(requestedMs)) return null;
  return Math.min(RETRY_AFTER_MAX_MS, Math.max(0, requestedMs));
}

/** An HTTP date begins with the day of the week; `Date.parse` accepts many more formats. */
function dateOf(text: string): number {
  return /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
}
