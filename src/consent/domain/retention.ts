import { monthStart } from '../../shared/months.js';

/** The starts of the months from the one before `now` to `monthsAhead` after it, in UTC. */
export function partitionMonths(now: Date, monthsAhead: number): Date[] {
  return Array.from({ length: monthsAhead + 2 }, (_, index) => monthStart(now, index - 1));
}

/**
 * Records from before this instant may be deleted. Retention counts whole months, so each record is
 * kept for at least that long.
 */
export function retentionStart(now: Date, retentionMonths: number): Date {
  return monthStart(now, -retentionMonths);
}
