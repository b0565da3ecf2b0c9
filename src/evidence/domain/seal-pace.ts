/** Shortest and longest stretch of time of which one step reads the records: what lies in it is read to be sorted. */
const SHORTEST_MS = 1_000;
const LONGEST_MS = 60 * 60_000;

/** What one step has found. */
export interface StepFound {
  /** How much time it was to read. */
  stretchMs: number;
  /** How many it found, and may take at most. */
  found: number;
  foundMax: number;
  /** How much time those that it took lie in. */
  takenMs: number;
}

/**
 * How much time the next step reads. A step that found as many as it may take had too long a stretch, and what it took says
 * how long it should have been: what lies behind it was read in vain. One that found few, as after a night without
 * visitors, could have had a longer one.
 */
export function nextStretchMs({ stretchMs, found, foundMax, takenMs }: StepFound): number {
  if (found >= foundMax) return Math.max(SHORTEST_MS, Math.min(stretchMs, takenMs));
  return found < foundMax / 4 ? Math.min(LONGEST_MS, stretchMs * 2) : stretchMs;
}
