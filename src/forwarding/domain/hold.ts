import { type BackOff, backOffMs } from '../../shared/back-off.js';
import type { ClaimThrottle } from '../../outbox/domain/claim-throttle.js';
import type { HealthSignal } from './health-signal.js';

/** So many attempts in a row that failed by the receiver's fault make it doubtful … */
export const FAILURES_IN_A_ROW = 5;
/** … and, where they failed over at least this time, hold what waits. */
export const FAILING_MS = 5_000;
/** The waits between probes, before the jitter. */
const PROBES: BackOff = { baseMs: 5_000, factor: 2, longestMs: 5 * 60_000 };
/** Up to this part is added to a wait, so that what went away together is not probed together. */
const JITTER = 0.2;
/** The first batch after a hold, in records … */
export const HALF_OPEN_START = 2;
/** … which doubles up to this size before the circuit closes: a worker's share of one project (a quarter of 256 slots). */
export const HALF_OPEN_MAX = 64;
/** Time between two batches, so 126 records take 6 s. */
export const HALF_OPEN_STEP_MS = 1_000;
/** Records that waited for longer than a hold may last get their attempts so many at a time … */
export const OVERDUE_MAX = 20;
/** … and so far apart: as much as a host gets that answers nothing but failures (`TargetGate`). */
export const OVERDUE_STEP_MS = 1_000;

/**
 * The states of a circuit breaker, and one before it opens. `closed`: records are sent. `suspect`: the receiver failed
 * five times within five seconds; the first record after those seconds decides. `open`: the project is held, and one
 * record at a time is sent as a probe. `half_open`: a probe succeeded, and batches double until all records are sent.
 */
export const HOLD_PHASES = ['closed', 'suspect', 'open', 'half_open'] as const;
export type HoldPhase = (typeof HOLD_PHASES)[number];

/** What is known of a project's receiver. Instants are the database's. */
export interface Hold {
  phase: HoldPhase;
  /** Attempts in a row that failed by the receiver's fault. */
  failures: number;
  /** When the first of them was settled; null where there are none. */
  failingSince: Date | null;
  /** When the hold began; stays until its end was told. null: there is none. */
  heldSince: Date | null;
  heldReason: string | null;
  /** null: it has not ended. */
  endedAt: Date | null;
  /** When the owners were told that it began; null: they were not. */
  notifiedAt: Date | null;
  /** Probes that failed since the hold began, or since somebody asked for one. */
  probes: number;
  /** Batch size while half open. */
  batchLimit: number;
  /** The last opening of the throttle that had an answer: what else it let through changes no time. */
  answeredProbe: number;
  /** Records whose attempt failed for the outage. */
  lost: number;
  /** Records that waited when the hold ended, and were delivered. */
  sent: number;
}

/** Nothing is wrong, and nothing is to be told. */
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

/** The outcome of one record, as far as a hold is concerned. */
export interface HoldOutcome {
  health: HealthSignal;
  /** A sentence where it failed; null else. */
  reason: string | null;
  /** By which opening of the throttle it was let through; null: by none, it was claimed before. */
  probeNumber: number | null;
  /** When the record was announced. */
  createdAt: Date;
}

/** What an outcome makes of a hold. */
export interface HoldChange {
  hold: Hold;
  /** How the throttle stands now; null: there is none; absent: as it stood. */
  throttle?: ClaimThrottle | null;
}

/** What the rules depend on beside the outcomes. */
export interface HoldTerms {
  now: Date;
  /** After this a waiting record gets its attempt all the same; 0: nothing is held. */
  holdMs: number;
  /** At least 0, below 1: the jitter. */
  random: number;
}

/**
 * What the outcome of one record makes of the hold of its project (ADR 0024). Outcomes come in the order in which they
 * are settled. Of those that one opening of the throttle let through the first decides when it opens next.
 */
export function afterOutcome(hold: Hold, outcome: HoldOutcome, terms: HoldTerms): HoldChange {
  if (terms.holdMs === 0) return { hold: ALL_WELL, throttle: null };
  const { probeNumber } = outcome;
  // A throttle that was put up anew counts from the beginning; what an earlier one let through is no answer to it.
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

/** Whether nothing of it need be kept. */
export function isAllWell(hold: Hold): boolean {
  return (
    hold.phase === 'closed' && hold.failures === 0 && (hold.heldSince === null || hold.notifiedAt === null)
  );
}

/** Nothing waits any more behind the throttle of a receiver that is back: nobody has to be careful with what comes. */
export function afterBacklog(hold: Hold): Hold {
  return hold.phase === 'half_open' ? { ...hold, phase: 'closed', batchLimit: 1, answeredProbe: 0 } : hold;
}

/** The throttle of a held project, with regard to what waited too long: at most `OVERDUE_MAX` oldest records are looked at. */
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
  { health, reason }: HoldOutcome & { health: Extract<HealthSignal, { kind: 'down' }> },
  terms: HoldTerms,
  isAnswer: boolean,
): HoldChange {
  const { now } = terms;
  const failures = hold.failures + 1;
  const failingSince = hold.failingSince ?? now;
  const failing: Hold = { ...hold, failures, failingSince, lost: hold.lost + 1 };
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
  // One that comes back before the owners were told of its end is the same outage to them.
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

/** The next probe after so many failed ones, and no earlier than the receiver asked for. */
function nextProbe(probes: number, retryAfterMs: number | null, { now, random }: HoldTerms): ClaimThrottle {
  const waitMs = backOffMs(probes + 1, PROBES) * (1 + JITTER * random);
  const boundedMs = Math.min(PROBES.longestMs, waitMs);
  return { nextClaimAt: later(now, Math.max(boundedMs, retryAfterMs ?? 0)), batchLimit: 1 };
}

/** After an answer that neither continues nor ends anything: the receiver answers, so the next record goes soon. */
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

/** No failure in a row any more. What was lost is forgotten, but for a hold of which something is still to be told. */
function recovered(hold: Hold, phase: HoldPhase): Hold {
  const lost = hold.heldSince === null ? 0 : hold.lost;
  return { ...hold, phase, failures: 0, failingSince: null, lost };
}

function ended(hold: Hold, now: Date): Hold {
  return { ...hold, endedAt: hold.endedAt ?? now, probes: 0, batchLimit: 1 };
}

/** Counts a delivered record that waited when the hold ended. */
function counted(hold: Hold, createdAt: Date): Hold {
  return hold.endedAt !== null && createdAt <= hold.endedAt ? { ...hold, sent: hold.sent + 1 } : hold;
}

function later(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms);
}
