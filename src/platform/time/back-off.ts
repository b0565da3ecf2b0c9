/** The growth of the waits between tries. */
export interface BackOff {
  /** The wait after the first try. */
  baseMs: number;
  /** The factor between one wait and the next. */
  factor: number;
  longestMs: number;
}

/**
 * The wait after the n-th try, counted from 1: base, base × factor, base × factor² … up to the
 * longest one.
 */
export function backOffMs(tries: number, { baseMs, factor, longestMs }: BackOff): number {
  return Math.min(longestMs, baseMs * factor ** (tries - 1));
}
