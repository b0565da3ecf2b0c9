import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { AnalyticsResponse, ConsentCountsAtResponse } from '../../client/types.gen';
import { DataTable } from '../../shared/data-table';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { t } from '../../i18n/i18n';
import { intervalText } from './interval-text';
import { rateColumns, recordsColumn } from './metric-columns';

const RateChart = lazy(() => import('./rate-chart'));
const SKELETON_ROWS = 7;

/** Rates of each day or hour as lines; the same numbers as a table at a click. */
export function RatesOverTime({ report }: { report: AnalyticsResponse }) {
  const [isTable, setTable] = useState(false);
  const { series, interval } = report;
  return (
    <div className="rates" data-wide={isTable || undefined}>
      <Section
        title={t('analytics.overTime')}
        aside={
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-expanded={isTable}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? t('analytics.hideTable') : t('analytics.showTable')}
          </Button>
        }
      >
        <div className="rates-frame">
          <Suspense fallback={<SkeletonRows rows={SKELETON_ROWS} />}>
            <RateChart series={series} interval={interval} />
          </Suspense>
        </div>
        {isTable && (
          <DataTable
            label={t(`analytics.perInterval.${interval}`)}
            items={series.toReversed()}
            rowKey={({ at }) => at}
            columns={[
              {
                title: t('analytics.time'),
                cell: ({ at }) => intervalText(at, interval, at === series.at(-1)?.at),
              },
              recordsColumn<ConsentCountsAtResponse>((counts) => counts),
              ...rateColumns<ConsentCountsAtResponse>((counts) => counts),
            ]}
          />
        )}
      </Section>
    </div>
  );
}
