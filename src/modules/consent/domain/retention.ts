import { monthStart } from '../../../platform/time/instant.js';

/**
 * Records older than this may be deleted. Retention counts whole months, so each record is kept for
 * at least that long.
 */
export function retentionStart(now: Date, retentionMonths: number): Date {
  return monthStart(now, -retentionMonths);
}
