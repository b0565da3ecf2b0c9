import { useQuery } from '@tanstack/react-query';
import type {
  ConsentOverviewResponse,
  PeriodComparisonResponse,
  ProjectResponse,
} from '../../client/types.gen';
import { Figure, Figures } from '../../shared/figure';
import { formatNumber, formatPercent } from '../../shared/format';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { changeOf, pointsOf } from '../../shared/trend';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { finishedDays, optInCourse } from './course';
import type { Period } from './period';
import { overviewQueries } from './queries';
import { UndeliveredFigure } from './undelivered-figure';
import { VisitsFigure } from './visits-figure';

const LIVE_MS = 5_000;

/** The main figures of a project, each compared with the same time of the previous day or month. */
export function KeyFigures(props: {
  project: ProjectResponse;
  period: Period;
  /** Figures that the plan does not include are left out. */
  hasForwarding: boolean;
  hasVisits: boolean;
}) {
  const { project, period, hasForwarding, hasVisits } = props;
  const { zone } = useZone();
  const queries = overviewQueries(project.id, zone);
  const query = useQuery({ ...queries.figures, refetchInterval: LIVE_MS });
  const days = finishedDays(useQuery(queries.daily).data?.days ?? []);
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={4} />;
  const comparison = query.data[period];
  const { now, before } = comparison;
  return (
    <Figures label={t('overview.figures')}>
      <Figure
        title={t('overview.records')}
        value={formatNumber(now.records)}
        trend={changeOf(now.records, before.records)}
        note={beforeNote(comparison, period)}
        course={days.map(({ records }) => records)}
      />
      <Figure
        title={t('overview.optIn')}
        value={formatPercent(now.optInRate)}
        trend={pointsOf(now.optInRate, before.optInRate, t('overview.points'))}
        note={t('overview.asked', { count: now.asked })}
        course={optInCourse(days)}
      />
      {!hasForwarding && <OtherPeriod data={query.data} period={period === 'today' ? 'month' : 'today'} />}
      {hasForwarding && <UndeliveredFigure projectId={project.id} />}
      {hasVisits && <VisitsFigure projectId={project.id} comparison={comparison} />}
    </Figures>
  );
}

/** The comparison value; empty for a project without an earlier period. */
function beforeNote({ before }: PeriodComparisonResponse, period: Period): string {
  return before.records === 0
    ? t('overview.noneBefore')
    : t(`overview.before.${period}`, { value: formatNumber(before.records) });
}

/** The consents of the period that is not selected. */
function OtherPeriod({ data, period }: { data: ConsentOverviewResponse; period: Period }) {
  const { now, before } = data[period];
  return (
    <Figure
      title={t(`overview.recordsOf.${period}`)}
      value={formatNumber(now.records)}
      trend={changeOf(now.records, before.records)}
      note={beforeNote(data[period], period)}
    />
  );
}
