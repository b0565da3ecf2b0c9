import { lazy, Suspense } from 'react';
import type { ConsentAnalyticsView, ConsentCountsView } from '../../client/types.gen';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { formatNumber, formatPercent } from '../../shared/format';
import { DataTable } from '../../shared/data-table';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { Breakdown } from './breakdown';
import { RATES, rateColumns, recordsColumn } from './count-columns';
import { GROUPINGS } from './grouped';
import { intervalText } from './interval-text';

const RateChart = lazy(() => import('./rate-chart'));

export function ConsentFigures({
  current,
  former,
}: {
  current: ConsentAnalyticsView;
  former: ConsentAnalyticsView;
}) {
  return (
    <>
      <Section title={t('analytics.overTime')}>
        <Suspense fallback={<SkeletonRows rows={6} />}>
          <RateChart series={current.series} interval={current.interval} />
        </Suspense>
        <DataTable
          label={t('analytics.compared')}
          items={[
            {
              key: 'records' as const,
              now: formatNumber(current.totals.records),
              before: formatNumber(former.totals.records),
            },
            ...RATES.map((key) => ({
              key,
              now: formatPercent(current.totals.rates[key]),
              before: formatPercent(former.totals.rates[key]),
            })),
          ]}
          rowKey={({ key }) => key}
          columns={[
            { title: t('analytics.metric'), cell: ({ key }) => t(`analytics.metrics.${key}`) },
            { title: t('analytics.thisPeriod'), numeric: true, cell: (row) => row.now },
            { title: t('analytics.previousPeriod'), numeric: true, cell: (row) => row.before },
          ]}
        />
      </Section>
      {GROUPINGS.map((by) => (
        <Breakdown key={by} by={by} current={current} former={former} />
      ))}
      <Section title={t(`analytics.perInterval.${current.interval}`)}>
        <DataTable
          label={t(`analytics.perInterval.${current.interval}`)}
          items={current.series.toReversed()}
          rowKey={({ at }) => at}
          columns={[
            { title: t('analytics.time'), cell: ({ at }) => intervalText(at, current.interval) },
            recordsColumn<ConsentCountsView>((counts) => counts),
            ...rateColumns<ConsentCountsView>((counts) => counts),
          ]}
        />
      </Section>
    </>
  );
}
