/** The first instant of the month that is the given number of months after that of `now`, in UTC. */
export function monthStart(now: Date, monthsFromNow: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsFromNow, 1));
}
