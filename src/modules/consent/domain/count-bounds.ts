import { type AnalyticsInterval, intervalStarts } from './consent-counts.js';

/**
 * Where the counts of a period's end come from: whole intervals before `intervalsTo`, whole hours from there before
 * `hoursTo`, and single records from there before `to`.
 */
export interface CountBounds {
  intervalsTo: Date;
  hoursTo: Date;
  to: Date;
}

/**
 * A period that ended in the past is counted to the instant, so that periods of equal length can be compared while one
 * of them is still running. For one that has not ended, the rollups hold nothing after its end.
 */
export function countBounds(to: Date, interval: AnalyticsInterval, now: Date): CountBounds {
  if (to >= now) return { intervalsTo: to, hoursTo: to, to };
  return { intervalsTo: startOf(to, interval), hoursTo: startOf(to, 'hour'), to };
}

/** Start of the interval that contains an instant, in UTC. */
function startOf(at: Date, interval: AnalyticsInterval): Date {
  return intervalStarts(at, new Date(at.getTime() + 1), interval)[0] ?? at;
}
