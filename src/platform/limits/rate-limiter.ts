interface Window {
  consumed: number;
  /** On the clock of `nowMs`. */
  endsAtMs: number;
}

export interface RateLimit {
  /** Points per key and window. */
  points: number;
  windowMs: number;
  /** Most keys in memory. Beyond it, the least recently used key is dropped and starts again. */
  keysMax: number;
}

/**
 * Limits a rate by key in this process, in fixed windows that start with the first point of a key.
 * Unlike `RateLimiterMemory` of rate-limiter-flexible it needs no timer per key and stores at most
 * `keysMax`: a client that makes up keys can lift a limit for a moment, but can't fill the memory.
 */
export class RateLimiter {
  /** In order of use, the latest key last. An `LRUCache` would reserve memory for all `keysMax` keys at the start. */
  private readonly windows = new Map<string, Window>();

  constructor(private readonly limit: RateLimit) {}

  /** Consumes points. Returns 0 if that was within the limit, else the milliseconds until the window ends. */
  consume(key: string, nowMs: number, points = 1): number {
    const known = this.windows.get(key);
    const window =
      known && known.endsAtMs > nowMs ? known : { consumed: 0, endsAtMs: nowMs + this.limit.windowMs };
    window.consumed += points;
    this.keep(key, window);
    return window.consumed <= this.limit.points ? 0 : window.endsAtMs - nowMs;
  }

  get size(): number {
    return this.windows.size;
  }

  private keep(key: string, window: Window): void {
    this.windows.delete(key);
    this.windows.set(key, window);
    const [oldest] = this.windows.size > this.limit.keysMax ? this.windows.keys() : [];
    if (oldest !== undefined) this.windows.delete(oldest);
  }
}
