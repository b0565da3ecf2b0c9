/** The drawing's own units; it is stretched to the width of its place. */
export const SPARK_WIDTH = 100;
export const SPARK_HEIGHT = 32;
/** So that the line is not cut at its extremes. */
const MARGIN = 2;

/** The values as points from left to right, 0 at the bottom. */
export function sparkPoints(values: readonly number[]): [x: number, y: number][] {
  const top = Math.max(...values, 0) || 1;
  const step = SPARK_WIDTH / (values.length - 1);
  return values.map((value, index) => [
    round(index * step),
    round(SPARK_HEIGHT - MARGIN - (value / top) * (SPARK_HEIGHT - 2 * MARGIN)),
  ]);
}

const round = (value: number): number => Math.round(value * 100) / 100;
