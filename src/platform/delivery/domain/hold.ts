import type { ClaimThrottle } from '../../outbox/domain/claim-throttle.js';
import { type BackOff, backOffMs } from '../../time/back-off.js';
import type { HealthSignal } from './health-signal.js';

/** Consecutive failures caused by the receiver that make it suspect … */
export const FAILURES_IN_A_ROW = 5;
/** … and open the circuit if they span at least this time. */
const FAILING_MS = 5_000;
/** The delays between probes, before jitter. */
const PROBES: BackOff = { baseMs: 5_000, factor: 2, longestMs: 5 * 60_000 };
/** Up to this fraction is added to a delay, so that projects that failed together are not probed together. */
const JITTER = 0.2;
/** The first batch after a hold, in records … */
const HALF_OPEN_START = 2;
/** … which doubles up to this size before the circuit closes: a worker's share of one project (a quarter of 256 slots). */
const HALF_OPEN_MAX = 64;
/** Time between two batches, so 126 records take 6 s. */
const HALF_OPEN_STEP_MS = 1_000;
/** Records older than the hold limit are sent in batches of at most this size … */
export const OVERDUE_MAX = 20;
/** … at this interval: the rate of a failing host (`TargetRateLimiter`). */
const OVERDUE_STEP_MS = 1_000;

/**
 * The states of a circuit breaker, and one before it opens. `closed`: records are sent. `suspect`:
 * the receiver failed five times within five seconds; the first record after those seconds decides.
 * `open`: the project is held, and one record at a time is sent as a probe. `half_open`: a probe
 * succeeded, and batches double until all records are sent.
 */
export const HOLD_PHASES = ['closed', 'suspect', 'open', 'half_open'] as const;
export type HoldPhase = (typeof HOLD_PHASES)[number];

/** State of a project's receiver. Times are those of the database. */
export interface Hold {
  phase: HoldPhase;
  /** Consecutive failures caused by the receiver. */
  failures: number;
  /** When the first of them was settled; null: none. */
  failingSince: Date | null;
  /** When the hold began, kept until owners are notified of its end; null: none. */
  heldSince: Date | null;
  heldReason: string | null;
  /** null until it ends. */
  endedAt: Date | null;
  /** When the owners were notified of it; null if they were not. */
  notifiedAt: Date | null;
  /** Failed probes since the hold began or a user requested one. */
  probes: number;
  /** Batch size while half open. */
  batchLimit: number;
  /** The last probe with an outcome; other outcomes of its batch do not reschedule. */
  answeredProbe: number;
  /** Records that failed during the outage. */
  lost: number;
  /** Records queued at the end of the hold and delivered since. */
  sent: number;
}

/** A healthy receiver, with no pending notification. */
export const ALL_WELL: Hold = {
  phase: 'closed',
  failures: 0,
  failingSince: null,
  heldSince: null,
  heldReason: null,
  endedAt: null,
  notifiedAt: null,
  probes: 0,
  batchLimit: 1,
  answeredProbe: 0,
  lost: 0,
  sent: 0,
};

/** The outcome of one record, as input to the hold. */
export interface HoldOutcome {
  health: HealthSignal;
  /** A sentence if it failed; else null. */
  reason: string | null;
  /** The claim of the throttle that released it; null if it was claimed before. */
  probeNumber: number | null;
  /** When the record was queued. */
  createdAt: Date;
  /** Whether the record is retried, so it is not lost. */
  isRetried?: boolean;
}

/** The hold and throttle after an outcome. */
export interface HoldChange {
  hold: Hold;
  /** The new throttle; null removes it; absent keeps it. */
  throttle?: ClaimThrottle | null;
}

/** Inputs of the rules besides outcomes. */
export interface HoldTerms {
  now: Date;
  /** Queued records older than this are sent anyway; 0 disables holds. */
  holdMs: number;
  /** In [0, 1): the jitter. */
  random: number;
}

/**
 * Applies the outcome of one record to the hold of its project (ADR 0024). Outcomes are in
 * settlement order. The first outcome of a batch schedules the next one.
 */
export function afterOutcome(hold: Hold, outcome: HoldOutcome, terms: HoldTerms): HoldChange {
  if (terms.holdMs === 0) return { hold: ALL_WELL, throttle: null };
  const { probeNumber } = outcome;
  // A new throttle counts from the beginning, so outcomes of an earlier one do not schedule it.
  const isAnswer = hold.phase !== 'closed' && probeNumber !== null && probeNumber !== hold.answeredProbe;
  const change = changeAfter(
    isAnswer ? { ...hold, answeredProbe: probeNumber } : hold,
    outcome,
    terms,
    isAnswer,
  );
  return change.throttle === null ? { ...change, hold: { ...change.hold, answeredProbe: 0 } } : change;
}

function changeAfter(known: Hold, outcome: HoldOutcome, terms: HoldTerms, isAnswer: boolean): HoldChange {
  switch (outcome.health.kind) {
    case 'up':
      return afterSuccess(known, outcome, terms, isAnswer);
    case 'down':
      return afterFailure(known, { ...outcome, health: outcome.health }, terms, isAnswer);
    case 'unclear':
      return isAnswer
        ? { hold: { ...known, probes: 0 }, throttle: throttleAgain(known, terms) }
        : { hold: known };
    case 'untried':
      return isAnswer
        ? { hold: known, throttle: { nextClaimAt: terms.now, batchLimit: batchLimitOf(known) } }
        : { hold: known };
    case 'elsewhere':
      return {
        hold: known.heldSince ? recovered(ended(known, terms.now), 'closed') : ALL_WELL,
        throttle: null,
      };
  }
}

/** Whether its row can be deleted. */
export function isAllWell(hold: Hold): boolean {
  return (
    hold.phase === 'closed' && hold.failures === 0 && (hold.heldSince === null || hold.notifiedAt === null)
  );
}

/** Closes a half-open circuit whose backlog is empty. */
export function afterBacklog(hold: Hold): Hold {
  return hold.phase === 'half_open' ? { ...hold, phase: 'closed', batchLimit: 1, answeredProbe: 0 } : hold;
}

/** The throttle of a held project, adjusted for overdue records; considers at most `OVERDUE_MAX` oldest records. */
export function throttleForOverdue(
  throttle: ClaimThrottle,
  oldest: readonly Date[],
  { now, holdMs }: HoldTerms,
): ClaimThrottle {
  const overdue = oldest.filter((createdAt) => createdAt.getTime() + holdMs <= now.getTime()).length;
  if (overdue > 0) {
    const soonMs = now.getTime() + OVERDUE_STEP_MS;
    return {
      nextClaimAt: new Date(Math.min(throttle.nextClaimAt.getTime(), soonMs)),
      batchLimit: Math.min(overdue, OVERDUE_MAX),
    };
  }
  const dueMs = (oldest[0]?.getTime() ?? Number.POSITIVE_INFINITY) + holdMs;
  return dueMs < throttle.nextClaimAt.getTime() ? { nextClaimAt: new Date(dueMs), batchLimit: 1 } : throttle;
}

function afterSuccess(
  hold: Hold,
  { createdAt }: HoldOutcome,
  { now }: HoldTerms,
  isAnswer: boolean,
): HoldChange {
  switch (hold.phase) {
    case 'closed':
      return { hold: counted(recovered(hold, 'closed'), createdAt) };
    case 'suspect':
      return { hold: counted(recovered(hold, 'closed'), createdAt), throttle: null };
    case 'open': {
      const eased = recovered(ended(hold, now), 'half_open');
      return {
        hold: counted({ ...eased, batchLimit: HALF_OPEN_START }, createdAt),
        throttle: { nextClaimAt: now, batchLimit: HALF_OPEN_START },
      };
    }
    case 'half_open': {
      const well = counted(recovered(hold, 'half_open'), createdAt);
      if (!isAnswer) return { hold: well };
      const batchLimit = hold.batchLimit * 2;
      if (batchLimit > HALF_OPEN_MAX)
        return { hold: { ...well, phase: 'closed', batchLimit: 1 }, throttle: null };
      return {
        hold: { ...well, batchLimit },
        throttle: { nextClaimAt: later(now, HALF_OPEN_STEP_MS), batchLimit },
      };
    }
  }
}

function afterFailure(
  hold: Hold,
  { health, reason, isRetried = false }: HoldOutcome & { health: Extract<HealthSignal, { kind: 'down' }> },
  terms: HoldTerms,
  isAnswer: boolean,
): HoldChange {
  const { now } = terms;
  const failures = hold.failures + 1;
  const failingSince = hold.failingSince ?? now;
  const failing: Hold = { ...hold, failures, failingSince, lost: hold.lost + (isRetried ? 0 : 1) };
  if (hold.phase === 'open') {
    if (!isAnswer) return { hold: failing };
    const probes = hold.probes + 1;
    return { hold: { ...failing, probes }, throttle: nextProbe(probes, health.retryAfterMs, terms) };
  }
  if (failures < FAILURES_IN_A_ROW) {
    if (hold.phase !== 'half_open' || !isAnswer) return { hold: failing };
    const batchLimit = Math.max(HALF_OPEN_START, Math.floor(hold.batchLimit / 2));
    return {
      hold: { ...failing, batchLimit },
      throttle: { nextClaimAt: later(now, HALF_OPEN_STEP_MS), batchLimit },
    };
  }
  const certainAt = later(failingSince, FAILING_MS);
  if (now < certainAt) {
    const suspect: Hold = { ...failing, phase: 'suspect' };
    if (hold.phase === 'suspect') return { hold: suspect };
    const nextClaimAt = later(now, Math.max(certainAt.getTime() - now.getTime(), health.retryAfterMs ?? 0));
    return { hold: suspect, throttle: { nextClaimAt, batchLimit: 1 } };
  }
  // A new outage before owners are notified of the end continues the old one.
  const goesOn = hold.heldSince !== null && hold.notifiedAt !== null;
  const held: Hold = {
    ...failing,
    phase: 'open',
    heldSince: goesOn ? hold.heldSince : now,
    heldReason: reason,
    endedAt: null,
    probes: 0,
    batchLimit: 1,
  };
  return { hold: held, throttle: nextProbe(0, health.retryAfterMs, terms) };
}

/** The next probe after that many failures, not before Retry-After. */
function nextProbe(probes: number, retryAfterMs: number | null, { now, random }: HoldTerms): ClaimThrottle {
  const waitMs = backOffMs(probes + 1, PROBES) * (1 + JITTER * random);
  const boundedMs = Math.min(PROBES.longestMs, waitMs);
  return { nextClaimAt: later(now, Math.max(boundedMs, retryAfterMs ?? 0)), batchLimit: 1 };
}

/** After an outcome that proves neither up nor down: the receiver responds, so the next record follows soon. */
function throttleAgain(hold: Hold, terms: HoldTerms): ClaimThrottle | null {
  switch (hold.phase) {
    case 'closed':
      return null;
    case 'suspect':
    case 'half_open':
      return { nextClaimAt: later(terms.now, HALF_OPEN_STEP_MS), batchLimit: batchLimitOf(hold) };
    case 'open':
      return nextProbe(0, null, terms);
  }
}

function batchLimitOf({ phase, batchLimit }: Hold): number {
  return phase === 'half_open' ? batchLimit : 1;
}

/** Resets the failure count, and the lost records unless a notification is pending. */
function recovered(hold: Hold, phase: HoldPhase): Hold {
  const lost = hold.heldSince === null ? 0 : hold.lost;
  return { ...hold, phase, failures: 0, failingSince: null, lost };
}

function ended(hold: Hold, now: Date): Hold {
  return { ...hold, endedAt: hold.endedAt ?? now, probes: 0, batchLimit: 1 };
}

/** Counts a delivered record that was queued when the hold ended. */
function counted(hold: Hold, createdAt: Date): Hold {
  return hold.endedAt !== null && createdAt <= hold.endedAt ? { ...hold, sent: hold.sent + 1 } : hold;
}

function later(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms);
}

/** Owners are notified of a hold that lasts this long, and then of its end. */
const NOTIFY_AFTER_MS = 5 * 60_000;
/** Interval of checks of the backlog, whose size is part of the report of the end. */
const BACKLOG_LOOK_MS = 30_000;
/** The end is reported after this time even with a backlog. */
const BACKLOG_MAX_MS = 24 * 60 * 60_000;

/** A notification: the hold, and whether it began or ended. */
export interface HoldNews {
  kind: 'began' | 'ended';
  heldSince: Date;
}

/** `nothing`: it is outdated or was already sent. */
export type NewsVerdict = { kind: 'tell' } | { kind: 'wait'; afterMs: number } | { kind: 'nothing' };

/**
 * Decides about a notification. `backlogSince` is when the oldest record that is queued or in progress was queued;
 * null: none.
 */
export function judgeNews(
  news: HoldNews,
  { hold, backlogSince, now }: { hold: Hold | null; backlogSince: Date | null; now: Date },
): NewsVerdict {
  if (hold?.heldSince?.getTime() !== news.heldSince.getTime()) return { kind: 'nothing' };
  if (news.kind === 'began') {
    if (hold.phase !== 'open' || hold.notifiedAt !== null) return { kind: 'nothing' };
    const afterMs = news.heldSince.getTime() + NOTIFY_AFTER_MS - now.getTime();
    return afterMs > 0 ? { kind: 'wait', afterMs } : { kind: 'tell' };
  }
  // If the project is held again, the next end has its own message.
  if (hold.endedAt === null || hold.notifiedAt === null) return { kind: 'nothing' };
  const isSent = backlogSince === null || backlogSince > hold.endedAt;
  const isLate = now.getTime() >= hold.endedAt.getTime() + BACKLOG_MAX_MS;
  return isSent || isLate ? { kind: 'tell' } : { kind: 'wait', afterMs: BACKLOG_LOOK_MS };
}

/** The notification after outcomes changed a hold; null: none. */
export function newsOf(before: Hold, after: Hold): HoldNews | null {
  const { heldSince } = after;
  if (heldSince === null) return null;
  const isNew = before.heldSince?.getTime() !== heldSince.getTime();
  if (after.phase === 'open' && isNew && after.notifiedAt === null) return { kind: 'began', heldSince };
  const hasEnded = before.endedAt === null && after.endedAt !== null;
  return hasEnded && after.notifiedAt !== null ? { kind: 'ended', heldSince } : null;
}
