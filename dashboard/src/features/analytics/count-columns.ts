import type { ConsentCountsView } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { formatNumber, formatPercent } from '../../shared/format';
import { t } from '../../i18n/i18n';

export const RATES = [
  'analytics',
  'marketing',
  'preferences',
  'fullAccept',
  'rejection',
  'withdrawal',
] as const;

/** The number of records, right-aligned. */
export function recordsColumn<T>(countsOf: (item: T) => ConsentCountsView): Column<T> {
  return {
    title: t('analytics.metrics.records'),
    numeric: true,
    cell: (item) => formatNumber(countsOf(item).records),
  };
}

/** Each rate, right-aligned. */
export function rateColumns<T>(countsOf: (item: T) => ConsentCountsView): Column<T>[] {
  return RATES.map((rate) => ({
    title: t(`analytics.metrics.${rate}`),
    numeric: true,
    cell: (item: T) => formatPercent(countsOf(item).rates[rate]),
  }));
}
