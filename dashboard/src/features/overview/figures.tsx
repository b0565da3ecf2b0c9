import { useQuery } from '@tanstack/react-query';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { formatNumber, formatPercent } from '../../shared/format';
import { DataTable } from '../../shared/data-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { overviewQueries } from './queries';

const LIVE_MS = 5_000;

/** Records and opt-in rate of today and this month, beside as much of the day and the month before. */
export function Figures({ projectId }: { projectId: string }) {
  const { zone } = useZone();
  const query = useQuery({ ...overviewQueries(projectId, zone).figures, refetchInterval: LIVE_MS });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={3} />;
  const { today, month } = query.data;
  return (
    <DataTable
      label={t('overview.figures')}
      items={[
        { key: t('overview.today'), ...today },
        { key: t('overview.month'), ...month },
      ]}
      rowKey={({ key }) => key}
      columns={[
        { title: t('overview.period'), cell: ({ key }) => key },
        { title: t('overview.records'), numeric: true, cell: ({ now }) => formatNumber(now.records) },
        { title: t('overview.previous'), numeric: true, cell: ({ before }) => formatNumber(before.records) },
        { title: t('overview.optIn'), numeric: true, cell: ({ now }) => formatPercent(now.optInRate) },
        {
          title: t('overview.previous'),
          numeric: true,
          cell: ({ before }) => formatPercent(before.optInRate),
        },
      ]}
    />
  );
}
