import { type BackOff, backOffMs } from '../../time/back-off.js';

/** When a message is retried after its handler threw, and when it becomes a dead letter. */
export interface RetrySchedule {
  /** Failures after which the message becomes a dead letter. */
  readonly failuresMax: number;
  /** Claims without an outcome (each a dead worker) after which the handler discards the message (design §6.5). */
  readonly abandonedAttemptsMax: number;
  /** The delay after the n-th failure. */
  delayMs(failures: number): number;
}

/** Throws after which a message becomes a dead letter. */
const OUTBOX_FAILURES_MAX = 8;
const SOON: BackOff = { baseMs: 1_000, factor: 2, longestMs: 5 * 60_000 };

/** For topics whose handlers throw only because of bugs: two minutes of retries, then an operator must act. */
export const BUG_SCHEDULE: RetrySchedule = {
  failuresMax: OUTBOX_FAILURES_MAX,
  abandonedAttemptsMax: 3,
  delayMs: (failures) => backOffMs(failures, SOON),
};
