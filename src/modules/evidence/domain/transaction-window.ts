/** Bounds of a window, in transactions: the sequencer reads and sorts all records of a window. */
const WINDOW_MIN = 100;
const WINDOW_MAX = 1_000_000;
export const FIRST_WINDOW = 1_000;

/** The result of reading a window of transactions. */
export interface WindowScanned {
  window: number;
  /** Records found, and the maximum of a batch. */
  found: number;
  batchMax: number;
  /** Transactions that the records of the batch span. */
  sequenced: number;
}

/**
 * How many transactions the next batch reads. A full batch shows that the window was too long, and how long it should
 * have been. A batch with few records, as after a night without visitors, doubles it.
 */
export function nextWindow({ window, found, batchMax, sequenced }: WindowScanned): number {
  if (found >= batchMax) return Math.max(WINDOW_MIN, Math.min(window, sequenced));
  return found < batchMax / 4 ? Math.min(WINDOW_MAX, window * 2) : window;
}
