import type { ReactNode } from 'react';
import type { ConsentCountsResponse, SiteCountsResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import type { Column } from '../../shared/infinite-table';
import { Percent } from '../../shared/no-value';
import { t } from '../../i18n/i18n';
import { rateOf, RATES, type SITE_METRICS } from './metrics';

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
