/** Longest that an attempt is put off at once; it asks again then. */
export const PUT_OFF_MAX_MS = 60_000;

/** What is kept of one key. Times are of a monotonic clock, in milliseconds. */
interface Bounded {
  /** When the attempts so far would have ended at the bounded rate. */
  paidUntilMs: number;
  /** Where the last attempt that was put off stands in the line. */
  lineEndsMs: number;
}

/**
 * Bounds attempts by key to `burst` at once and then `perSecond`, by the generic cell rate algorithm. What is too
 * much is not refused but put off, each further one a little later, so that it does not come back as a burst.
 */
export class AttemptBound {
  /**
   * The key that was asked for last stands last. A map, because an `LRUCache` that loses its last entry clears all of
   * its places: with one receiver that was done for each attempt (4 % of a worker's time).
   */
  private readonly known = new Map<string, Bounded>();
  private readonly intervalMs: number;

  constructor(private readonly options: { burst: number; perSecond: number; keysMax: number }) {
    this.intervalMs = 1000 / options.perSecond;
  }

  /** Counts an attempt and returns 0, or returns for how many milliseconds it is put off. */
  take(key: string, nowMs: number): number {
    const { paidUntilMs, lineEndsMs } = this.known.get(key) ?? { paidUntilMs: 0, lineEndsMs: 0 };
    const paid = Math.max(paidUntilMs, nowMs) + this.intervalMs;
    if (paid - nowMs <= this.options.burst * this.intervalMs) {
      this.keep(key, { paidUntilMs: paid, lineEndsMs });
      return 0;
    }
    const placeMs = Math.min(Math.max(lineEndsMs, nowMs) + this.intervalMs, nowMs + PUT_OFF_MAX_MS);
    this.keep(key, { paidUntilMs, lineEndsMs: placeMs });
    return Math.ceil(placeMs - nowMs);
  }

  /** Counts an attempt that is made whatever was counted before. Later attempts wait longer for it, up to a minute. */
  charge(key: string, nowMs: number): void {
    const { paidUntilMs, lineEndsMs } = this.known.get(key) ?? { paidUntilMs: 0, lineEndsMs: 0 };
    const latestMs = nowMs + this.options.burst * this.intervalMs + PUT_OFF_MAX_MS;
    this.keep(key, {
      paidUntilMs: Math.min(Math.max(paidUntilMs, nowMs) + this.intervalMs, latestMs),
      lineEndsMs,
    });
  }

  /** Takes back one attempt that was counted. */
  refund(key: string): void {
    const known = this.known.get(key);
    if (known) known.paidUntilMs -= this.intervalMs;
  }

  /** Whether the key has used up its burst. */
  isExhausted(key: string, nowMs: number): boolean {
    const paidUntilMs = this.known.get(key)?.paidUntilMs ?? 0;
    return paidUntilMs + this.intervalMs - nowMs > this.options.burst * this.intervalMs;
  }

  /** How many keys with this beginning have used up their burst, for the metrics. */
  exhausted(nowMs: number, prefix = ''): number {
    return [...this.known.keys()].filter((key) => key.startsWith(prefix) && this.isExhausted(key, nowMs))
      .length;
  }

  private keep(key: string, bounded: Bounded): void {
    this.known.delete(key);
    this.known.set(key, bounded);
    const [oldest] = this.known.size > this.options.keysMax ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
  }
}
