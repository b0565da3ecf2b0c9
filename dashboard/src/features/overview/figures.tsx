import { useQuery } from '@tanstack/react-query';
import { SkeletonRows } from '../../shared/endless-list';
import { number, percent } from '../../shared/format';
import { PlainList } from '../../shared/plain-list';
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
    <PlainList
      label={t('overview.figures')}
      items={[
        { key: t('overview.today'), ...today },
        { key: t('overview.month'), ...month },
      ]}
      idOf={({ key }) => key}
      columns={[
        { title: t('overview.period'), cell: ({ key }) => key },
        { title: t('overview.records'), number: true, cell: ({ now }) => number(now.records) },
        { title: t('overview.previous'), number: true, cell: ({ before }) => number(before.records) },
        { title: t('overview.optIn'), number: true, cell: ({ now }) => percent(now.optInRate) },
        { title: t('overview.previous'), number: true, cell: ({ before }) => percent(before.optInRate) },
      ]}
    />
  );
}
