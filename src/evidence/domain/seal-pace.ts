/** Shortest and longest stretch of time of which one step reads the records: what lies in it is read to be sorted. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 60 * 60_000;

/**
 * How much time the next step reads. A step that found as many as it may take had too long a stretch; one that found
 * few, as after a night without visitors, could have had a longer one.
 */
export function nextStretchMs(stretchMs: number, found: number, foundMax: number): number {
  if (found >= foundMax) return Math.max(SHORTEST_MS, stretchMs / 2);
  return found < foundMax / 4 ? Math.min(LONGEST_MS, stretchMs * 2) : stretchMs;
}
