/**
 * Caches the result of a query for a short time: a backlog is counted once for all gauges of a scrape, however often
 * metrics are scraped.
 */
export class RecentAnswer<T> {
  private answer: Promise<T | null> | null = null;
  private queriedMs = -Infinity;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly ageMaxMs: number,
  ) {}

  /** The answer, or null where there is none: a database may be away, and the other metrics matter most then. */
  get(): Promise<T | null> {
    if (!this.answer || performance.now() - this.queriedMs > this.ageMaxMs) {
      this.queriedMs = performance.now();
      this.answer = this.ask().catch(() => null);
    }
    return this.answer;
  }
}

/** A backlog is counted in the database at most this often, however often metrics are scraped. */
export const BACKLOG_AGE_MAX_MS = 5_000;
