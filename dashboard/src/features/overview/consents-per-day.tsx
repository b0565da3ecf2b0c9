import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { DailyRecordsResponse } from '../../client/types.gen';
import { DataTable } from '../../shared/data-table';
import { formatNumber, formatPercent } from '../../shared/format';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import type { Zone } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { formatDay } from './day';
import { overviewQueries } from './queries';

const DailyChart = lazy(() => import('./daily-chart'));

const LIVE_MS = 60_000;
const SKELETON_ROWS = 7;

/** The last 30 days as a picture, or as a table. */
export function ConsentsPerDay({ projectId }: { projectId: string }) {
  const { zone } = useZone();
  const [isTable, setTable] = useState(false);
  const query = useQuery({ ...overviewQueries(projectId, zone).daily, refetchInterval: LIVE_MS });
  const days = query.data?.days;
  return (
    <Section
      title={t('overview.perDay')}
      aside={
        <div className="legend">
          {!isTable && <Legend hasBefore={days?.some(({ recordsBefore }) => recordsBefore > 0) ?? false} />}
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setTable(!isTable)}>
            {isTable ? t('overview.showChart') : t('overview.showTable')}
          </Button>
        </div>
      }
    >
      {query.isError && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <SkeletonRows rows={SKELETON_ROWS} />}
      {days && !isTable && (
        <div className="chart-frame">
          <Suspense fallback={<SkeletonRows rows={SKELETON_ROWS} />}>
            <DailyChart days={days} />
          </Suspense>
        </div>
      )}
      {days && isTable && <DayTable days={days} zone={zone} />}
    </Section>
  );
}

/** The names of the lines: the picture itself has a text alternative. */
function Legend({ hasBefore }: { hasBefore: boolean }) {
  const lines = [
    ['all', t('overview.all')],
    ['optedIn', t('overview.optedIn')],
    ...(hasBefore ? ([['before', t('overview.previous')]] as const) : []),
    ['today', t('overview.todaySoFar')],
  ] as const;
  return lines.map(([kind, name]) => (
    <span key={kind} aria-hidden>
      <span className="legend-line" data-kind={kind} />
      {name}
    </span>
  ));
}

function DayTable({ days, zone }: { days: DailyRecordsResponse[]; zone: Zone }) {
  return (
    <DataTable
      label={t('overview.perDay')}
      items={days.toReversed()}
      rowKey={({ at }) => at}
      columns={[
        { title: t('overview.day'), cell: ({ at }) => formatDay(at, zone) },
        { title: t('overview.all'), numeric: true, cell: ({ records }) => formatNumber(records) },
        { title: t('overview.optedIn'), numeric: true, cell: ({ optedIn }) => formatNumber(optedIn) },
        {
          title: t('overview.optIn'),
          numeric: true,
          cell: ({ asked, optedIn }) => formatPercent(asked === 0 ? null : optedIn / asked),
        },
        {
          title: t('overview.daysBefore'),
          numeric: true,
          cell: ({ recordsBefore }) => formatNumber(recordsBefore),
        },
      ]}
    />
  );
}
