import { createHash } from 'node:crypto';
import { DAY_MS } from './scan-limits.js';

/** How often a project is scanned. Without a schedule: `off`. */
export const SCAN_FREQUENCIES = ['weekly', 'monthly'] as const;
export type ScanFrequency = (typeof SCAN_FREQUENCIES)[number];

/** Why a schedule starts nothing at the moment. */
export type ScheduleInactivity = 'tier' | 'no_address';

/** Sentences of the API. */
export const INACTIVITY_SENTENCES: Readonly<Record<ScheduleInactivity, string>> = {
  tier: 'Your plan does not include scheduled scans. The schedule continues after an upgrade.',
  no_address: 'The project has no domain to scan. Add one.',
};

/** The last day that every month has. */
const LAST_DAY_OF_EVERY_MONTH = 28;

/** The first time of a new schedule: the project's time of day, within 24 hours. */
export function firstScanAt(projectId: string, now: Date): Date {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const today = midnight + timeOfDayMs(projectId);
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}

/** The first time of the series after `now`. One scan replaces all missed ones. */
export function nextScanAt(due: Date, { frequency, now }: { frequency: ScanFrequency; now: Date }): Date {
  let next = due;
  do next = frequency === 'weekly' ? new Date(next.getTime() + 7 * DAY_MS) : aMonthAfter(next);
  while (next <= now);
  return next;
}

/** Spreads the projects over the day: always the same time for one project. */
function timeOfDayMs(projectId: string): number {
  return createHash('sha256').update(projectId).digest().readUInt32BE() % DAY_MS;
}

function aMonthAfter(at: Date): Date {
  const next = new Date(at);
  next.setUTCMonth(at.getUTCMonth() + 1, Math.min(at.getUTCDate(), LAST_DAY_OF_EVERY_MONTH));
  return next;
}
