import type { EntityManager } from '@mikro-orm/postgresql';
import { projectOf, type Settled } from '../../../platform/outbox/domain/outbox-message.js';
import type { ClassifiedOutcome } from '../domain/health-signal.js';
import { isTemporary, type RetryFailures, retryDelayMs, retryOf, type RetryState } from '../domain/retry.js';
import {
  deleteRetries,
  type NewRetry,
  postponeRetries,
  readRetrySettings,
  type RecordRef,
  writeRetries,
} from '../infrastructure/retry.rows.js';

type SettledAttempt = Settled<ClassifiedOutcome>;

/**
 * Schedules retries for temporary failures, in the transaction that logs them, and deletes retries
 * that are no longer needed. Returns the outcomes that are retried. Runs no query while everything
 * succeeds at the first attempt. `superseded` are failed repeats of a delivered attempt.
 */
export async function settleRetries(
  tx: EntityManager,
  settled: readonly SettledAttempt[],
  superseded: ReadonlySet<Settled<unknown>>,
): Promise<Set<SettledAttempt>> {
  const retries = await planRetries(
    tx,
    settled.filter((one) => isTemporary(one.outcome) && !superseded.has(one)),
  );
  await writeRetries(tx, [...retries.values()]);
  const others = settled.filter((one) => retryOf(one.message) !== null && !retries.has(one));
  const postponed = others.filter(({ outcome }) => outcome.notAttempted === 'postponed');
  await postponeRetries(tx, postponed.map(recordOf));
  await deleteRetries(tx, others.filter((one) => !postponed.includes(one)).map(recordOf));
  return new Set(retries.keys());
}

async function planRetries(
  tx: EntityManager,
  failed: readonly SettledAttempt[],
): Promise<Map<SettledAttempt, NewRetry>> {
  if (failed.length === 0) return new Map();
  const projectIds = [...new Set(failed.map(({ message }) => projectOf(message)))];
  const { now, retryFailures } = await readRetrySettings(tx, projectIds);
  const retries = new Map<SettledAttempt, NewRetry>();
  for (const one of failed) {
    const settings = retryFailures.get(projectOf(one.message));
    const retry = settings && planRetry(one, settings, now);
    if (retry) retries.set(one, retry);
  }
  return retries;
}

function planRetry(one: SettledAttempt, retryFailures: RetryFailures, now: Date): NewRetry | null {
  const { message, outcome } = one;
  const state: RetryState = retryOf(message) ?? {
    attempt: 1,
    firstAttemptAt: outcome.attemptedAt,
    queuedAt: message.createdAt,
  };
  const delayMs = retryDelayMs(outcome, state, { retryFailures, now, random: Math.random() });
  if (delayMs === null) return null;
  return {
    ...recordOf(one),
    attempts: state.attempt,
    deliveryId: outcome.id,
    queuedSince: state.queuedAt,
    firstAttemptAt: state.firstAttemptAt,
    delayMs,
  };
}

/** The record of a message. */
export function recordOf({ message }: Settled<unknown>): RecordRef {
  return { projectId: projectOf(message), consentId: message.subjectId };
}
