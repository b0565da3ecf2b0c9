import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { visitSiteOptions } from '../../client/@tanstack/react-query.gen';
import type { PeriodComparisonResponse } from '../../client/types.gen';
import { Figure } from '../../shared/figure';
import { formatNumber, formatPercent } from '../../shared/format';
import { changeOf } from '../../shared/trend';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { condense } from './course';
import { visitPeriods } from './visit-periods';

const LIVE_MS = 60_000;

/** Page visits. They are counted by hour, so the running hour is not compared. */
export function VisitsFigure({
  projectId,
  comparison,
}: {
  projectId: string;
  comparison: PeriodComparisonResponse;
}) {
  const path = { projectId };
  const { now: clock } = useZone();
  const { now, before } = visitPeriods(comparison, clock);
  const current = useQuery({
    ...visitSiteOptions({ path, query: { ...now, interval: 'hour' } }),
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
  const former = useQuery({
    ...visitSiteOptions({ path, query: { ...before, interval: 'hour' } }),
    enabled: before.from < before.to,
  });
  const { totals, series = [] } = current.data ?? {};
  const hours = series.slice(0, -1).map(({ visits }) => visits);
  const finished = hours.reduce((sum, visits) => sum + visits, 0);
  return (
    <Figure
      title={t('overview.visits')}
      value={totals ? formatNumber(totals.visits) : '–'}
      trend={former.data && changeOf(finished, former.data.totals.visits)}
      note={
        totals &&
        totals.interactionRate !== null &&
        t('overview.chosen', { share: formatPercent(totals.interactionRate) })
      }
      course={condense(hours)}
    />
  );
}
