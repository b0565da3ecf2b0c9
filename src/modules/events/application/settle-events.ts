import type { EntityManager } from '@mikro-orm/postgresql';
import type { EndpointOutcome } from '../../../platform/delivery/endpoint-requests.js';
import { afterOutcome } from '../../../platform/delivery/domain/hold.js';
import {
  type OutboxMessage,
  projectOf,
  type Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import { DELIVERY_MAX_MS, eventDelayMs } from '../domain/schedule.js';
import {
  type DeliveryRef,
  makeDue,
  type NewAttempt,
  postpone,
  writeAttempt,
} from '../infrastructure/delivery.rows.js';
import { type EndpointCircuit, lockCircuits, toHold, writeCircuit } from '../infrastructure/endpoint.rows.js';

/** The result of a message. */
export type EventAttemptEnd =
  /** `tries` is the number of attempts before that decide the next delay. */
  | { kind: 'attempted'; id: string; tries: number; outcome: EndpointOutcome }
  /** The endpoint is held or failing: the scheduler queues the delivery again. */
  | { kind: 'postponed' }
  /** It is delivered, skipped or deleted already. */
  | { kind: 'ended' };

/** The part of an attempt that decides about a hold. */
interface JudgedAttempt {
  outcome: EndpointOutcome;
  /** The batch of a held endpoint; null: it was not held. */
  probeNumber: number | null;
  /** When the event was queued. */
  createdAt: Date;
}

/**
 * Writes the outcomes of a batch: lines of the log, deliveries, and the circuit breakers of their endpoints, in the
 * transaction that deletes the messages.
 */
export async function settleEvents(tx: EntityManager, settled: Settled<EventAttemptEnd>[]): Promise<void> {
  const open = settled.filter(({ outcome }) => outcome.kind !== 'ended');
  if (open.length === 0) return;
  const refs = open.map(({ message }) => deliveryOf(message));
  const states = await lockCircuits(
    tx,
    refs.map(({ projectId, endpointId }) => ({ projectId, id: endpointId })),
  );
  const ofEndpoint = Map.groupBy(open, ({ message }) => message.orderingKey);
  for (const state of states) await settleEndpoint(tx, state, ofEndpoint.get(state.id) ?? []);
}

async function settleEndpoint(
  tx: EntityManager,
  before: EndpointCircuit,
  settled: Settled<EventAttemptEnd>[],
): Promise<void> {
  let state = before;
  let deliveredAt: Date | null = null;
  let failedAt: Date | null = null;
  const postponed: DeliveryRef[] = [];
  for (const { message, outcome } of settled) {
    const ref = deliveryOf(message);
    if (outcome.kind === 'postponed') postponed.push(ref);
    if (outcome.kind !== 'attempted') continue;
    const { outcome: ended, id, tries } = outcome;
    const probeNumber = probeOf(message);
    const delivered = ended.judgement.outcome === 'delivered';
    if (delivered) [deliveredAt, failedAt] = [ended.attemptedAt, null];
    else failedAt ??= ended.attemptedAt;
    // A probe does not count: its delivery waits for the end of the hold.
    const retryAfterMs = delivered || probeNumber !== null ? null : delayAfter(ended, tries);
    await writeAttempt(tx, newAttempt(ref, id, ended), { retryAfterMs, counts: probeNumber === null });
    state = afterAttempt(state, { outcome: ended, probeNumber, createdAt: message.createdAt });
    if (retryAfterMs !== null) state = wakenAt(state, new Date(state.now.getTime() + retryAfterMs));
  }
  if (postponed.length > 0) await postpone(tx, postponed);
  const hasRecovered = before.phase === 'open' && state.phase !== 'open';
  if (hasRecovered) await makeDue(tx, before);
  if (hasRecovered || postponed.length > 0) state = wakenAt(state, state.now);
  await writeCircuit(tx, state, { deliveredAt, failedAt });
}

function delayAfter({ health }: EndpointOutcome, tries: number): number {
  const retryAfterMs = health.kind === 'down' ? health.retryAfterMs : null;
  return eventDelayMs(tries + 1, retryAfterMs, Math.random());
}

/** The endpoint after an attempt: its circuit breaker, and when waiting deliveries are sent. */
function afterAttempt(state: EndpointCircuit, { outcome, ...attempt }: JudgedAttempt): EndpointCircuit {
  const { judgement, health } = outcome;
  const reason = judgement.outcome === 'failed' ? judgement.reason : null;
  const change = afterOutcome(
    toHold(state),
    { ...attempt, health, reason },
    { now: state.now, holdMs: DELIVERY_MAX_MS, random: Math.random() },
  );
  const next = { ...state, ...pickHold(change.hold) };
  const { throttle } = change;
  if (throttle === undefined) return next;
  if (throttle === null)
    return state.phase === 'closed'
      ? { ...next, nextClaimAt: null }
      : wakenAt({ ...next, nextClaimAt: null, probeNumber: 0 }, state.now);
  const { nextClaimAt, batchLimit } = throttle;
  return { ...next, nextClaimAt, claimLimit: batchLimit, wakeAt: nextClaimAt };
}

function pickHold(hold: ReturnType<typeof toHold>) {
  const { phase, failures, failingSince, heldSince, heldReason, probes, batchLimit, answeredProbe } = hold;
  return { phase, failures, failingSince, heldSince, heldReason, probes, batchLimit, answeredProbe };
}

/** The scheduler looks at the endpoint then, unless it does so before, or a batch is scheduled. */
function wakenAt(state: EndpointCircuit, at: Date): EndpointCircuit {
  if (state.phase !== 'closed' && state.nextClaimAt !== null) return { ...state, wakeAt: state.nextClaimAt };
  return state.wakeAt !== null && state.wakeAt <= at ? state : { ...state, wakeAt: at };
}

/** The line of the log. */
export function newAttempt(ref: DeliveryRef, id: string, ended: EndpointOutcome): NewAttempt {
  const { judgement, durationMs, attemptedAt, responseBody = null } = ended;
  const failed = judgement.outcome === 'failed' ? judgement : null;
  return {
    ...ref,
    id,
    outcome: judgement.outcome,
    httpStatus: judgement.httpStatus,
    category: failed?.category ?? null,
    reason: failed?.reason ?? null,
    durationMs,
    attemptedAt,
    responseBody,
  };
}

/** The delivery that a message is about. */
export function deliveryOf(message: OutboxMessage): {
  projectId: string;
  endpointId: string;
  eventId: string;
} {
  return { projectId: projectOf(message), endpointId: message.orderingKey, eventId: message.subjectId };
}

/** The batch of a held endpoint that the message belongs to; null: none. */
export function probeOf({ payload }: OutboxMessage): number | null {
  return typeof payload?.probe === 'number' ? payload.probe : null;
}
