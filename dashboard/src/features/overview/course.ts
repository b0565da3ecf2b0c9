import type { DailyRecordsResponse } from '../../client/types.gen';

/** Points of a sparkline at most. */
const POINTS_MAX = 30;

/** The finished days: of the running one a number would be read as a fall. */
export const finishedDays = (days: readonly DailyRecordsResponse[]): readonly DailyRecordsResponse[] =>
  days.slice(0, -1);

/** The opt-in rate of each day with consent requests. */
export const optInCourse = (days: readonly DailyRecordsResponse[]): number[] =>
  days.flatMap(({ asked, optedIn }) => (asked === 0 ? [] : [optedIn / asked]));

/** Sums of neighbors, so that at most 30 are left, each of as many values; an incomplete last sum is left out. */
export function condense(values: readonly number[]): number[] {
  const size = Math.max(1, Math.ceil(values.length / POINTS_MAX));
  return Array.from({ length: Math.floor(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size).reduce((sum, value) => sum + value, 0),
  );
}
