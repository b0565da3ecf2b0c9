import { monthStart } from '../../shared/months.js';

/** The beginnings of the months from the one before `now` to `monthsAhead` behind it, in UTC. */
export function partitionMonths(now: Date, monthsAhead: number): Date[] {
  return Array.from({ length: monthsAhead + 2 }, (_, index) => monthStart(now, index - 1));
}

/** Records made before this instant may go: whole months, so that each is kept for at least the retention. */
export function retentionStart(now: Date, retentionMonths: number): Date {
  return monthStart(now, -retentionMonths);
}
