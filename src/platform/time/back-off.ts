/** How the waits between tries grow. */
export interface BackOff {
  /** The wait after the first try. */
  baseMs: number;
  /** The factor between one wait and the next. */
  factor: number;
  longestMs: number;
}

/** The wait after the n-th try, counted from 1: base, base × factor, base × factor² … the longest one at most. */
export function backOffMs(tries: number, { baseMs, factor, longestMs }: BackOff): number {
  return Math.min(longestMs, baseMs * factor ** (tries - 1));
}
