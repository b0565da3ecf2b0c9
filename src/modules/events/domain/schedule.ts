const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** The delays between attempts, before jitter: 5 s to 24 h; the last one repeats. */
const DELAYS_MS = [
  5_000,
  30_000,
  120_000,
  600_000,
  1_800_000,
  ...[1, 3, 6, 12, 24].map((hours) => hours * HOUR_MS),
];
/** Up to this fraction is added to a delay, so that events that failed together are not sent together. */
const JITTER = 0.1;

/** An event that is this old and not delivered has failed. */
export const DELIVERY_MAX_MS = 72 * HOUR_MS;

/**
 * The delay after the `tries`-th failed attempt (from 1), not before Retry-After. Probes of a held endpoint are
 * attempts that do not count. `random` is in [0, 1).
 */
export function eventDelayMs(tries: number, retryAfterMs: number | null, random: number): number {
  const delayMs = DELAYS_MS[Math.min(tries, DELAYS_MS.length) - 1] ?? 0;
  return Math.max(Math.round(delayMs * (1 + JITTER * random)), retryAfterMs ?? 0);
}

/** Days without a success on which owners get a mail; on the last one the endpoint is disabled. */
const MAIL_DAYS = [1, 3, 5];
const DISABLED_ON_DAY = 5;

/** What the time without a success requires; null: nothing. */
export interface FailingStep {
  /** The day of the mail. */
  day: number;
  disable: boolean;
}

/**
 * Judges an endpoint without a success since the failure at `since`. `mailedDay` is the day of the last mail, 0 if
 * none. Days that passed unnoticed lead to one mail.
 */
export function failingStep(since: Date, mailedDay: number, now: Date): FailingStep | null {
  const days = Math.floor((now.getTime() - since.getTime()) / DAY_MS);
  const day = MAIL_DAYS.findLast((each) => each <= days);
  return day === undefined || day <= mailedDay ? null : { day, disable: day >= DISABLED_ON_DAY };
}
