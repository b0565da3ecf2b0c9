export const PERIODS = ['today', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** Reads the period of an address; the current month is left out of it. */
export function overviewPeriod(search: Record<string, unknown>): { period?: 'today' } {
  return search['period'] === 'today' ? { period: 'today' } : {};
}
