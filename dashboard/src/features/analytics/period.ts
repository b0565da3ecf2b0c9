import type { Range } from './range';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

interface Span {
  from: string;
  to: string;
}

/**
 * The last `days` days, whole intervals in UTC as the API counts them, and as many before them. The running interval
 * is the last one of the period.
 */
export function period(days: Range, at: Date): { now: Span; before: Span; interval: 'hour' | 'day' } {
  const interval = days === 1 ? 'hour' : 'day';
  const intervalMs = interval === 'hour' ? HOUR_MS : DAY_MS;
  const end = (Math.floor(at.getTime() / intervalMs) + 1) * intervalMs;
  const span = (to: number): Span => ({
    from: new Date(to - days * DAY_MS).toISOString(),
    to: new Date(to).toISOString(),
  });
  return { now: span(end), before: span(end - days * DAY_MS), interval };
}
