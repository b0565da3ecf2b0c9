import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { tierReadOptions, visitSiteOptions } from '../../client/@tanstack/react-query.gen';
import type { PeriodComparisonResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { Figure } from '../../shared/figure';
import { formatNumber, formatPercent } from '../../shared/format';
import { changeOf } from '../../shared/trend';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { condense } from './course';
import { visitPeriods } from './visit-periods';

const LIVE_MS = 60_000;

/** Page visits, where the plan includes analytics. They are counted by hour, so the running hour is not compared. */
export function VisitsFigure({
  projectId,
  comparison,
}: {
  projectId: string;
  comparison: PeriodComparisonResponse;
}) {
  const path = { projectId };
  const { now: clock } = useZone();
  const { data: tier } = useQuery(tierReadOptions({ path }));
  const isOpen = tier?.features.analytics ?? false;
  const { now, before } = visitPeriods(comparison, clock);
  const current = useQuery({
    ...visitSiteOptions({ path, query: { ...now, interval: 'hour' } }),
    enabled: isOpen,
    refetchInterval: LIVE_MS,
    placeholderData: keepPreviousData,
  });
  const former = useQuery({
    ...visitSiteOptions({ path, query: { ...before, interval: 'hour' } }),
    enabled: isOpen && before.from < before.to,
  });
  if (tier && !isOpen)
    return (
      <Figure
        title={t('overview.visits')}
        value="–"
        note={
          <>
            {t('shared.needsTier', { tier: 'Business' })}{' '}
            <AnchorLink to="/projects/$projectId/settings/plan" params={{ projectId }}>
              {t('shared.seePlans')}
            </AnchorLink>
          </>
        }
      />
    );
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
