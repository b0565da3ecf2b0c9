import { startClock } from './elapsed.js';

/** Between two looks: a twentieth of the time waited so far, so that long waits leave the processor to others. */
const INTERVAL_MIN_MS = 10;
const INTERVAL_MAX_MS = 100;
const LOOKS = 20;
/** A net for conditions that never come true, not a measure. */
const DEADLINE_MS = 300_000;

/**
 * Polls until `probe` returns something truthy, and returns that; fails after the deadline with a
 * description of it. Time in which a busy machine did not let this process run is not counted.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<NonNullable<T>> {
  const elapsedMs = startClock();
  for (;;) {
    const value = await probe();
    if (value) return value;
    const waitedMs = elapsedMs();
    if (waitedMs > deadlineMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    const intervalMs = Math.min(INTERVAL_MAX_MS, Math.max(INTERVAL_MIN_MS, waitedMs / LOOKS));
    await new Promise((wake) => setTimeout(wake, intervalMs));
  }
}
