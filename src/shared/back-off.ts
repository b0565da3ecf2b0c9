/** How the waits between tries grow. */
export interface BackOff {
  /** The wait after the first try. */
  baseMs: number;
  /** Each further wait is so many times as long. */
  factor: number;
  longestMs: number;
}

/** The wait after the n-th try, counted from 1: base, base × factor, base × factor² … the longest one at most. */
export function backOffMs(tries: number, { baseMs, factor, longestMs }: BackOff): number {
  return Math.min(longestMs, baseMs * factor ** (tries - 1));
}
