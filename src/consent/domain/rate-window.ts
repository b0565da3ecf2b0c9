import { LRUCache } from 'lru-cache';

interface Window {
  count: number;
  /** On the clock that `count` is given. */
  endsAtMs: number;
}

/** The limits of a rate window. */
export interface RateWindowLimits {
  /** Count allowed per key and window. */
  countMax: number;
  windowMs: number;
  /**
   * Number of keys that are remembered. Beyond it the least recently used key is forgotten and
   * starts again.
   */
  keysMax: number;
}

/**
 * Counts by key in fixed windows, each starting with the key's first count. A key needs no timer,
 * and there are at most `keysMax`: a client that invents keys can lift a limit for a moment but
 * can't fill the memory.
 */
export class RateWindow {
  private readonly windows: LRUCache<string, Window>;

  constructor(private readonly limits: RateWindowLimits) {
    this.windows = new LRUCache({ max: limits.keysMax });
  }

  /** Adds `cost`; returns 0 where that was within the limit, else the milliseconds until the window ends. */
  add(key: string, nowMs: number, cost = 1): number {
    const window = this.windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      this.windows.set(key, { count: cost, endsAtMs: nowMs + this.limits.windowMs });
      return cost <= this.limits.countMax ? 0 : this.limits.windowMs;
    }
    window.count += cost;
    return window.count <= this.limits.countMax ? 0 : window.endsAtMs - nowMs;
  }

  get size(): number {
    return this.windows.size;
  }
}
