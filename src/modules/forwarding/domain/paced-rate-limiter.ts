/** Longest returned wait. The caller tries again after it. */
export const SNOOZE_MAX_MS = 60_000;

/** State of a key. Times are of a monotonic clock, in milliseconds. */
interface Pace {
  /** When the attempts so far would have ended at the limited rate. */
  paidUntilMs: number;
  /** When the last snoozed attempt is due. */
  queueEndsMs: number;
}

/**
 * Limits attempts by key to `burst` at once and then `perSecond`, with the generic cell rate
 * algorithm. Attempts over the limit are not refused but spaced out, so that they do not return as
 * a burst.
 */
export class PacedRateLimiter {
  /**
   * In order of use, the latest key last. Not an `LRUCache`: it clears its whole array when its
   * last entry is deleted, which with one receiver happened on each attempt (4 % of a worker's
   * time).
   */
  private readonly known = new Map<string, Pace>();
  private readonly intervalMs: number;

  constructor(private readonly options: { burst: number; perSecond: number; keysMax: number }) {
    this.intervalMs = 1000 / options.perSecond;
  }

  /** Counts an attempt and returns 0, or returns how many milliseconds to wait. */
  consume(key: string, nowMs: number): number {
    const { paidUntilMs, queueEndsMs } = this.known.get(key) ?? { paidUntilMs: 0, queueEndsMs: 0 };
    const paid = Math.max(paidUntilMs, nowMs) + this.intervalMs;
    if (paid - nowMs <= this.options.burst * this.intervalMs) {
      this.keep(key, { paidUntilMs: paid, queueEndsMs });
      return 0;
    }
    const dueMs = Math.min(Math.max(queueEndsMs, nowMs) + this.intervalMs, nowMs + SNOOZE_MAX_MS);
    this.keep(key, { paidUntilMs, queueEndsMs: dueMs });
    return Math.ceil(dueMs - nowMs);
  }

  /** Counts an attempt that is made even if it exceeds the limit. Later attempts wait longer, up to a minute. */
  charge(key: string, nowMs: number): void {
    const { paidUntilMs, queueEndsMs } = this.known.get(key) ?? { paidUntilMs: 0, queueEndsMs: 0 };
    const latestMs = nowMs + this.options.burst * this.intervalMs + SNOOZE_MAX_MS;
    this.keep(key, {
      paidUntilMs: Math.min(Math.max(paidUntilMs, nowMs) + this.intervalMs, latestMs),
      queueEndsMs,
    });
  }

  /** Undoes one counted attempt. */
  refund(key: string): void {
    const known = this.known.get(key);
    if (known) known.paidUntilMs -= this.intervalMs;
  }

  /** Whether the key has used up its burst. */
  isExhausted(key: string, nowMs: number): boolean {
    const paidUntilMs = this.known.get(key)?.paidUntilMs ?? 0;
    return paidUntilMs + this.intervalMs - nowMs > this.options.burst * this.intervalMs;
  }

  /** Keys with this prefix that have used up their burst, for the metrics. */
  exhausted(nowMs: number, prefix = ''): number {
    return [...this.known.keys()].filter((key) => key.startsWith(prefix) && this.isExhausted(key, nowMs))
      .length;
  }

  private keep(key: string, pace: Pace): void {
    this.known.delete(key);
    this.known.set(key, pace);
    const [oldest] = this.known.size > this.options.keysMax ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
  }
}
