import type { EntityManager } from '@mikro-orm/postgresql';
import { projectOf, type Settled } from '../../../platform/outbox/domain/outbox-message.js';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import type { ClassifiedOutcome } from '../domain/delivery-outcome.js';
import type { DeliveryOutcome } from '../domain/delivery-outcome.js';
import { isTemporary, retryDelayMs, type RetryFailures, retryOf, type RetryState } from '../domain/retry.js';
import {
  insertDeliveries,
  insertLateDeliveries,
  lockRepeats,
  readDelivered,
  type SettledDelivery,
  supersedeFailures,
} from '../infrastructure/delivery.rows.js';
import { writeLastDelivered, writeLastFailures } from '../infrastructure/last-outcomes.rows.js';
import {
  deleteRetries,
  type NewRetry,
  postponeRetries,
  readRetrySettings,
  type RecordRef,
  writeRetries,
} from '../infrastructure/retry.rows.js';

/** Results of `settleDeliveries`. */
export interface LoggedDeliveries {
  /** The projects that have a hold. */
  held: Set<string>;
  /** Failed repeats of delivered attempts. */
  superseded: ReadonlySet<Settled<DeliveryOutcome>>;
}

/**
 * Writes the outcomes of a batch: a delivery row each, and each project's last failure and last success once
 * (spec §3.3, §2.2). Locks rows in the order of project ids, so that two batches cannot deadlock.
 */
export async function settleDeliveries(
  tx: EntityManager,
  settled: Settled<DeliveryOutcome>[],
): Promise<LoggedDeliveries> {
  if (settled.length === 0) return { held: new Set(), superseded: new Set() };
  const superseded = await deliveredBefore(tx, settled);
  const held = await insertDeliveries(tx, settled, superseded);
  const failures = latestPerProject(settled, 'failed').map(({ projectId, outcome }) => {
    const { reason, category, httpStatus, attemptedAt: at } = outcome;
    return { projectId, reason: reason ?? '', category, httpStatus, at };
  });
  if (failures.length > 0) await writeLastFailures(tx, failures);
  const delivered = latestPerProject(settled, 'delivered').map(({ projectId, outcome }) => ({
    projectId,
    at: outcome.attemptedAt,
  }));
  if (delivered.length > 0) await writeLastDelivered(tx, delivered);
  return { held, superseded };
}

/** The latest outcome of one kind for each project. */
function latestPerProject(
  settled: Settled<DeliveryOutcome>[],
  kind: DeliveryOutcome['outcome'],
): { projectId: string; outcome: DeliveryOutcome }[] {
  const latest = new Map<string, DeliveryOutcome>();
  for (const { message, outcome } of settled) {
    if (outcome.outcome !== kind) continue;
    const projectId = projectOf(message);
    const known = latest.get(projectId);
    if (!known || known.attemptedAt <= outcome.attemptedAt) latest.set(projectId, outcome);
  }
  return [...latest].map(([projectId, outcome]) => ({ projectId, outcome }));
}

/**
 * Returns the failed repeats among the outcomes whose message an earlier attempt has delivered: a
 * success that was logged late. Locks their projects against `logLateDeliveries`, so that no
 * success logged now is missed.
 */
async function deliveredBefore(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
): Promise<Set<SettledDelivery>> {
  const repeats = settled.filter(
    ({ message, outcome }) =>
      (message.abandonedAttempts > 0 || retryOf(message) !== null) && outcome.outcome === 'failed',
  );
  if (repeats.length === 0) return new Set();
  await lockRepeats(tx, repeats);
  const delivered = await readDelivered(tx, repeats);
  return new Set(repeats.filter(({ message }) => delivered.has(messageKey(message))));
}

/**
 * Logs attempts whose lease expired before their outcome was written, beside the attempts that repeated them.
 * A success supersedes the failures of the same message and ends its retries. Returns the newly logged ones.
 */
export async function logLateDeliveries(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
): Promise<SettledDelivery[]> {
  await lockRepeats(tx, settled);
  const delivered = await readDelivered(tx, settled);
  const superseded = settled.filter(
    ({ message, outcome }) => outcome.outcome === 'failed' && delivered.has(messageKey(message)),
  );
  const inserted = await insertLateDeliveries(tx, settled, new Set(superseded));
  const successes = settled.filter(({ outcome }) => outcome.outcome === 'delivered');
  await supersedeFailures(tx, successes);
  await deleteRetries(tx, successes.map(recordOf));
  return settled.filter(({ outcome }) => inserted.has(outcome.id));
}

function messageKey({ projectId, subjectId }: SettledDelivery['message']): string {
  return consentKey({ projectId: projectId ?? '', consentId: subjectId });
}

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
function recordOf({ message }: Settled<unknown>): RecordRef {
  return { projectId: projectOf(message), consentId: message.subjectId };
}
