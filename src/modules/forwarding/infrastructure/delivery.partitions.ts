import type { PartitionedTable } from '../../../platform/database/partitions.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Failed deliveries are kept longer, because an owner may still resend them (design §4). */
export const FAILED_DAYS_KEPT = 90;

/** The two partitioned halves of `delivery`. */
export const DELIVERY_PARTITIONS: readonly (PartitionedTable & { daysKept: number })[] = [
  { name: 'delivery_settled', period: 'day', daysKept: 30 },
  { name: 'delivery_failed', period: 'day', daysKept: FAILED_DAYS_KEPT },
];

export function deliveriesKeptSince(now: Date, { daysKept }: { daysKept: number }): Date {
  return new Date(now.getTime() - daysKept * DAY_MS);
}
