import type { Range } from './range';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface Span {
  from: string;
  to: string;
}

/** The periods that the page compares, each pair of equal length. */
export interface Periods {
  now: Span;
  before: Span;
  /** Visits are counted by hour, so only hours that have ended can be compared. */
  finishedHours: { now: Span; before: Span };
  interval: 'hour' | 'day';
}

/**
 * The last `days` days in UTC, as the API counts them, with the running day (or hour) as the last one; and the period
 * before, up to the same elapsed time. Stable for a minute.
 */
export function period(days: Range, at: Date): Periods {
  const interval = days === 1 ? 'hour' : 'day';
  const intervalMs = interval === 'hour' ? HOUR_MS : DAY_MS;
  const ms = at.getTime();
  const from = (Math.floor(ms / intervalMs) + 1) * intervalMs - days * DAY_MS;
  // The end of the running minute: the newest records count, and both periods end at the same point.
  const to = (Math.floor(ms / MINUTE_MS) + 1) * MINUTE_MS;
  const hoursTo = Math.floor(ms / HOUR_MS) * HOUR_MS;
  const span = (end: number, earlierMs: number): Span => ({
    from: new Date(from - earlierMs).toISOString(),
    to: new Date(end - earlierMs).toISOString(),
  });
  const pair = (end: number) => ({ now: span(end, 0), before: span(end, days * DAY_MS) });
  return { ...pair(to), finishedHours: pair(hoursTo), interval };
}
