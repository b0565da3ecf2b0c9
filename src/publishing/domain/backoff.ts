const FIRST_MS = 500;
const LONGEST_MS = 30_000;
/** Beyond this many the exponent says nothing more. */
const DOUBLINGS_MAX = 10;

/**
 * How long to leave a storage alone that failed so many times in a row: 0.5 s, 1 s, 2 s, … 30 s. There is no
 * last attempt: what is not published stays to be published.
 */
export function backoffMs(failures: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(DOUBLINGS_MAX, Math.max(0, failures - 1)));
}
