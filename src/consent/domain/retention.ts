import { monthStart } from '../../shared/months.js';

/**
 * Records from before this instant may be deleted. Retention counts whole months, so each record is
 * kept for at least that long.
 */
export function retentionStart(now: Date, retentionMonths: number): Date {
  return monthStart(now, -retentionMonths);
}
