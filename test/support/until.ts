import { startClock } from './elapsed.js';

const INTERVAL_MS = 10;

/**
 * Polls until `probe` returns something truthy, and returns that; fails after the deadline with what it waited for. Time
 * in which a busy machine did not let this process run is not counted.
 */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  deadlineMs = 10_000,
): Promise<NonNullable<T>> {
  const elapsedMs = startClock();
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (elapsedMs() > deadlineMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((wake) => setTimeout(wake, INTERVAL_MS));
  }
}
