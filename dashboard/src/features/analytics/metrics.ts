import type { ConsentCountsResponse } from '../../client/types.gen';

export const CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;
/** All shares of the choices (`asked`), in the order of tables. */
export const RATES = ['optIn', ...CATEGORIES, 'fullAccept', 'rejection', 'withdrawal'] as const;
export type Rate = (typeof RATES)[number];
export const SITE_METRICS = ['visits', 'shown', 'chosen', 'ignored', 'interactionRate'] as const;

/** A share of the choices, from 0 to 1; null without any. */
export function rateOf({ rates, ...counts }: ConsentCountsResponse, rate: Rate): number | null {
  if (rate !== 'optIn') return rates[rate];
  const { asked, rejection, withdrawal } = counts;
  return asked === 0 ? null : (asked - rejection - withdrawal) / asked;
}
