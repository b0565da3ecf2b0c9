import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import type { OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { type BackOff, backOffMs } from '../../../platform/time/back-off.js';
import type { ClassifiedOutcome } from './delivery-outcome.js';
import type { FailureCategory } from '../../../platform/delivery/domain/outcome.js';

export const RETRY_HOURS_MIN = 1;
export const RETRY_HOURS_MAX = 72;
export const RETRY_HOURS_DEFAULT = 24;

/** Delays between attempts, before jitter. */
const DELAYS: BackOff = { baseMs: 5_000, factor: 2, longestMs: 5 * 60_000 };
/** Up to this fraction is added to a delay, so that records that failed together are not retried together. */
const JITTER = 0.2;
const HOUR_MS = 60 * 60 * 1000;

const TEMPORARY_CATEGORIES: readonly FailureCategory[] = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'http_5xx',
  'worker_lost',
];
const TEMPORARY_STATUSES: readonly number[] = [401, 403, 404, 408, 410, 425, 429];

/** Whether failed deliveries are retried automatically, and for how long after the first attempt. */
export interface RetryFailures {
  enabled: boolean;
  hours: number;
}

/** The attempts of a record so far, as its outbox message carries them. */
export interface RetryState {
  /** The number of the attempt that the message is for. */
  attempt: number;
  firstAttemptAt: Date;
  /** When the record was first queued. */
  queuedAt: Date;
}

/** Whether the failure may pass without a change to the record or the endpoint's URL. */
export function isTemporary({
  outcome,
  category,
  httpStatus,
}: Pick<ClassifiedOutcome, 'outcome' | 'category' | 'httpStatus'>): boolean {
  if (outcome !== 'failed' || category === null) return false;
  if (TEMPORARY_CATEGORIES.includes(category)) return true;
  return httpStatus !== null && TEMPORARY_STATUSES.includes(httpStatus);
}

/**
 * The delay before the next attempt of a record; null: it has failed for good, because the failure is permanent, or the
 * next attempt would be after the end of the retry period. `attempt` is the number of the attempt that failed.
 */
export function retryDelayMs(
  outcome: ClassifiedOutcome,
  { attempt, firstAttemptAt }: Pick<RetryState, 'attempt' | 'firstAttemptAt'>,
  { retryFailures, now, random }: { retryFailures: RetryFailures; now: Date; random: number },
): number | null {
  // Visitors choose the other endpoints, so the service does not multiply requests to them.
  if (!retryFailures.enabled || outcome.health.kind === 'elsewhere' || !isTemporary(outcome)) return null;
  const waitMs = Math.min(DELAYS.longestMs, backOffMs(attempt, DELAYS) * (1 + JITTER * random));
  const requestedMs = outcome.health.kind === 'down' ? (outcome.health.retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(waitMs, requestedMs);
  return isRetryOver({ firstAttemptAt }, retryFailures, new Date(now.getTime() + delayMs)) ? null : delayMs;
}

/** Whether the retry period of a record is over. */
export function isRetryOver(
  { firstAttemptAt }: Pick<RetryState, 'firstAttemptAt'>,
  { hours }: Pick<RetryFailures, 'hours'>,
  now: Date,
): boolean {
  return now.getTime() >= firstAttemptAt.getTime() + hours * HOUR_MS;
}

/** The ordering key of a project's retries, with slots separate from first attempts. */
export function retryKey(projectId: string): string {
  return namedKey(`retry:${projectId}`);
}

export function retryPayload({ attempt, firstAttemptAt, queuedAt }: RetryState): Record<string, unknown> {
  return { attempt, firstAttemptAt: firstAttemptAt.toISOString(), queuedAt: queuedAt.toISOString() };
}

/** Reads the retry from its message; null: the message is for the first attempt. */
export function retryOf({ payload }: Pick<OutboxMessage, 'payload'>): RetryState | null {
  if (typeof payload?.['attempt'] !== 'number') return null;
  const { attempt, firstAttemptAt, queuedAt } = payload as Record<string, unknown> & { attempt: number };
  return {
    attempt,
    firstAttemptAt: new Date(String(firstAttemptAt)),
    queuedAt: new Date(String(queuedAt)),
  };
}
