export type PartitionPeriod = 'day' | 'month';

/** The first instant, in UTC, of the period that is `offset` periods after the one that contains `at`. */
export function periodStart(period: PartitionPeriod, at: Date, offset = 0): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return new Date(period === 'month' ? Date.UTC(year, month + offset) : Date.UTC(year, month, day + offset));
}
