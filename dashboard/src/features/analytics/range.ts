/** How far back analytics look, in days; what the address says. */
export const RANGES = [1, 7, 30, 90] as const;
export type Range = (typeof RANGES)[number];

export function analyticsRange(search: Record<string, unknown>): { days: Range } {
  return { days: RANGES.find((days) => days === search['days']) ?? 30 };
}
