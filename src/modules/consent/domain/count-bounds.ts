import { type AnalyticsInterval, intervalStarts } from './consent-counts.js';

/**
 * Sources of the counts at the end of a period: whole intervals before `intervalsTo`, then whole
 * hours before `hoursTo`, then single records before `to`.
 */
export interface CountBounds {
  intervalsTo: Date;
  hoursTo: Date;
  to: Date;
}

/**
 * A period that ended in the past is counted up to its exact end, so that a current period can be
 * compared with an equally long past one. For a current period, the rollups hold nothing after its
 * end.
 */
export function countBounds(to: Date, interval: AnalyticsInterval, now: Date): CountBounds {
  if (to >= now) return { intervalsTo: to, hoursTo: to, to };
  return { intervalsTo: startOf(to, interval), hoursTo: startOf(to, 'hour'), to };
}

/** Start of the interval that contains an instant, in UTC. */
function startOf(at: Date, interval: AnalyticsInterval): Date {
  return intervalStarts(at, new Date(at.getTime() + 1), interval)[0] ?? at;
}
