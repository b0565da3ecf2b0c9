import type { PartitionedTable } from '../../database/partitions.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The halves of `delivery`. Failed deliveries are kept longer, because an owner may still resend them (design §4). */
export const DELIVERY_PARTITIONS: readonly (PartitionedTable & { daysKept: number })[] = [
  { name: 'delivery_settled', period: 'day', daysKept: 30 },
  { name: 'delivery_failed', period: 'day', daysKept: 90 },
];

export function deliveriesKeptSince(now: Date, { daysKept }: { daysKept: number }): Date {
  return new Date(now.getTime() - daysKept * DAY_MS);
}
