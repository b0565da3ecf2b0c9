/** Fewest and most transactions whose records one step reads: all that lies in them is read to be sorted. */
const FEWEST = 100;
const MOST = 1_000_000;
export const FIRST_STRETCH = 1_000;

/** What one step has found. */
export interface StepFound {
  /** How many transactions it was to read. */
  stretch: number;
  /** How many records it found, and may take at most. */
  found: number;
  foundMax: number;
  /** How many transactions the records that it took lie in. */
  taken: number;
}

/**
 * How many transactions the next step reads. A step that found as many records as it may take had too long a stretch;
 * what it took says how long it should have been. A step that found few, as after a night without visitors, could have
 * had a longer one.
 */
export function nextStretch({ stretch, found, foundMax, taken }: StepFound): number {
  if (found >= foundMax) return Math.max(FEWEST, Math.min(stretch, taken));
  return found < foundMax / 4 ? Math.min(MOST, stretch * 2) : stretch;
}
