import { type BackOff, backOffMs } from '../../shared/back-off.js';

/** When a message is tried again after its handler threw, and when no more. */
export interface RetrySchedule {
  /** After so many failures it is buried as a dead letter. */
  readonly failuresMax: number;
  /** After so many claims without an outcome, each the death of a worker, its handler gives it up (design §6.5). */
  readonly abandonedAttemptsMax: number;
  /** The wait after the n-th failure. */
  delayMs(failures: number): number;
}

/** After so many throws a message is buried. */
const OUTBOX_FAILURES_MAX = 8;
const SOON: BackOff = { baseMs: 1_000, factor: 2, longestMs: 5 * 60_000 };

/** For what throws by a bug alone, because expected failures are outcomes: two minutes in all, then somebody has to look. */
export const BUG_SCHEDULE: RetrySchedule = {
  failuresMax: OUTBOX_FAILURES_MAX,
  abandonedAttemptsMax: 3,
  delayMs: (failures) => backOffMs(failures, SOON),
};
