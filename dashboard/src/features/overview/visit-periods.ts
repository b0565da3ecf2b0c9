import type { PeriodComparisonResponse } from '../../client/types.gen';

const HOUR_MS = 60 * 60 * 1_000;

/** Two periods of whole hours, as the API takes them. */
interface VisitPeriods {
  /** Up to the end of the running hour. */
  now: { from: string; to: string };
  /** As many hours of the previous period as have ended of this one. */
  before: { from: string; to: string };
}

/** The hours to count of a day or month that has begun, and of the one before it. Stable for an hour. */
export function visitPeriods({ now, before }: PeriodComparisonResponse, clock: Date): VisitPeriods {
  const hourStart = Math.floor(clock.getTime() / HOUR_MS) * HOUR_MS;
  const elapsedMs = Math.max(0, hourStart - Date.parse(now.from));
  const end = Math.min(Date.parse(before.from) + elapsedMs, Date.parse(now.from));
  return {
    now: { from: now.from, to: new Date(hourStart + HOUR_MS).toISOString() },
    before: { from: before.from, to: new Date(end).toISOString() },
  };
}
