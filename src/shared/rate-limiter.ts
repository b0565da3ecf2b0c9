import { LRUCache } from 'lru-cache';

interface Window {
  consumed: number;
  /** On the clock of `nowMs`. */
  endsAtMs: number;
}

export interface RateLimit {
  /** Points per key and window. */
  points: number;
  windowMs: number;
  /** Keys that are remembered. Beyond it, the least recently used key is forgotten and starts again. */
  keysMax: number;
}

/**
 * Limits a rate by key in this process, in fixed windows that start with the first point of a key. Unlike
 * `RateLimiterMemory` of rate-limiter-flexible it needs no timer per key and remembers at most `keysMax`: a client that
 * invents keys can lift a limit for a moment, but can't fill the memory.
 */
export class RateLimiter {
  private readonly windows: LRUCache<string, Window>;

  constructor(private readonly limit: RateLimit) {
    this.windows = new LRUCache({ max: limit.keysMax });
  }

  /** Consumes points. Returns 0 if that was within the limit, else the milliseconds until the window ends. */
  consume(key: string, nowMs: number, points = 1): number {
    const window = this.windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      this.windows.set(key, { consumed: points, endsAtMs: nowMs + this.limit.windowMs });
      return points <= this.limit.points ? 0 : this.limit.windowMs;
    }
    window.consumed += points;
    return window.consumed <= this.limit.points ? 0 : window.endsAtMs - nowMs;
  }

  get size(): number {
    return this.windows.size;
  }
}
