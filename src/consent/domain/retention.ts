/** A month of records: `from` belongs to it, `to` no longer. */
export interface PartitionMonth {
  /** Ends the table's name, e.g. `202611`. */
  suffix: string;
  from: Date;
  to: Date;
}

/** The months from the one before `now` to `monthsAhead` behind it, in UTC. */
export function partitionMonths(now: Date, monthsAhead: number): PartitionMonth[] {
  return Array.from({ length: monthsAhead + 2 }, (_, index) => {
    const from = monthStart(now, index - 1);
    return { suffix: from.toISOString().slice(0, 7).replace('-', ''), from, to: monthStart(now, index) };
  });
}

/** Records made before this instant may go: whole months, so that each is kept for at least the retention. */
export function retentionStart(now: Date, retentionMonths: number): Date {
  return monthStart(now, -retentionMonths);
}

function monthStart(now: Date, monthsFromNow: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsFromNow, 1));
}
