const INTERVAL_MS = 10;

/** Polls until `probe` gives something truthy, and returns it; fails after the deadline with what it waited for. */
export async function until<T>(
  what: string,
  probe: () => T | Promise<T>,
  deadlineMs = 10_000,
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > end) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((wake) => setTimeout(wake, INTERVAL_MS));
  }
}
