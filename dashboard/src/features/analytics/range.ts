/** The period of analytics in days, as in the address. */
export const RANGES = [1, 7, 30, 90] as const;
export type Range = (typeof RANGES)[number];

export function analyticsRange(search: Record<string, unknown>): { days: Range } {
  return { days: RANGES.find((days) => days === search['days']) ?? 30 };
}
