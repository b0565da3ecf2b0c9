import type { ReactNode } from 'react';
import type { ConsentCountsResponse, SiteCountsResponse } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { formatNumber } from '../../shared/format';
import { Percent } from '../../shared/no-value';
import { t } from '../../i18n/i18n';

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

/** The number of records, right-aligned. */
export function recordsColumn<T>(countsOf: (item: T) => ConsentCountsResponse): Column<T> {
  return {
    title: t('analytics.metrics.records'),
    numeric: true,
    cell: (item) => formatNumber(countsOf(item).records),
  };
}

/** Each rate, right-aligned. */
export function rateColumns<T>(countsOf: (item: T) => ConsentCountsResponse): Column<T>[] {
  return RATES.map((rate) => ({
    title: t(`analytics.columns.${rate}`),
    numeric: true,
    cell: (item: T) => <Percent share={rateOf(countsOf(item), rate)} reason={t('analytics.noChoices')} />,
  }));
}

/** A site metric; a dash without shown banners. */
export function siteMetric(counts: SiteCountsResponse, metric: (typeof SITE_METRICS)[number]): ReactNode {
  if (metric !== 'interactionRate') return formatNumber(counts[metric]);
  return <Percent share={counts.interactionRate} reason={t('analytics.noneShown')} />;
}
