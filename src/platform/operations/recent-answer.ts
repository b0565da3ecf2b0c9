/**
 * Caches the result of a query for a short time: a backlog is counted once for all gauges of a
 * scrape, at any scrape rate.
 */
export class RecentAnswer<T> {
  private answer: Promise<T | null> | null = null;
  private queriedMs = -Infinity;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly ageMaxMs: number,
  ) {}

  /**
   * The result, or null if it failed: with an unavailable database, the other metrics are still
   * needed.
   */
  get(): Promise<T | null> {
    if (!this.answer || performance.now() - this.queriedMs > this.ageMaxMs) {
      this.queriedMs = performance.now();
      this.answer = this.ask().catch(() => null);
    }
    return this.answer;
  }
}

/** A backlog is counted in the database at most this often, at any scrape rate. */
export const BACKLOG_AGE_MAX_MS = 5_000;
