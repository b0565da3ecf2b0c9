/**
 * An answer that costs a query, asked for at most once in a while however many ask: a backlog is counted once for
 * all gauges of a scrape, and no more often than that however often somebody scrapes.
 */
export class RecentAnswer<T> {
  private answer: Promise<T | null> | null = null;
  private askedMs = -Infinity;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly ageMaxMs: number,
  ) {}

  /** The answer, or null where there is none: a database may be away, and the other metrics are wanted then more than ever. */
  get(): Promise<T | null> {
    if (!this.answer || performance.now() - this.askedMs > this.ageMaxMs) {
      this.askedMs = performance.now();
      this.answer = this.ask().catch(() => null);
    }
    return this.answer;
  }
}

/** A backlog is counted in the database at most this often, however often somebody scrapes. */
export const BACKLOG_AGE_MAX_MS = 5_000;
