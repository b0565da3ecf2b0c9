import { LRUCache } from 'lru-cache';

interface Window {
  count: number;
  /** On the clock that `count` is given. */
  endsAtMs: number;
}

/** What a rate window allows. */
export interface RateWindowLimits {
  /** Counted in one window of one key; what goes beyond is refused. */
  countMax: number;
  windowMs: number;
  /** Keys remembered at once; past it the one that was used longest ago is forgotten, and starts anew. */
  keysMax: number;
}

/**
 * Counts by key in fixed windows, each beginning with the key's first count. A key costs no timer, and there are
 * never more of them than `keysMax`: whoever makes keys up can lift a limit for a moment, but not fill the memory.
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
