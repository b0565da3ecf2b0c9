import type { NamedSiteCountsResponse } from '../../client/types.gen';
import { t, translateCode } from '../../i18n/i18n';
import { languageName, regionName } from '../../shared/display-names';
import type { Column } from '../../shared/infinite-table';
import { type BarRow, BreakdownCard } from './breakdown-card';
import { siteMetric } from './metric-columns';
import { SITE_METRICS } from './metrics';
import type { SiteGrouping } from './site-groupings';
import type { SiteReports } from './use-reports';

type Row = BarRow & { counts: NamedSiteCountsResponse };

/** Visits by one thing, beside the period before. */
export function SiteBreakdown({ by, visits }: { by: SiteGrouping; visits: SiteReports }) {
  const before = new Map(visits.former[by].map((counts) => [counts.name, counts.visits]));
  // Names beyond the most frequent are under null, so a name that is not listed may be one of them.
  const isComplete = !before.has(null);
  const rows = visits.current[by].map((counts) => ({
    name: siteName(by, counts.name),
    now: counts.visits,
    before: before.get(counts.name) ?? (isComplete ? 0 : null),
    counts,
  }));
  return (
    <BreakdownCard
      title={t(`analytics.siteBy.${by}`)}
      metric={t('analytics.siteMetrics.visits')}
      rows={rows}
      columns={SITE_METRICS.filter((metric) => metric !== 'visits').map((metric): Column<Row> => ({
        title: t(`analytics.siteMetrics.${metric}`),
        numeric: true,
        cell: ({ counts }) => siteMetric(counts, metric),
      }))}
      empty={t('analytics.noVisits')}
    />
  );
}

function siteName(by: SiteGrouping, name: string | null): string {
  if (name === null) return t('analytics.unknownAndOthers');
  if (by === 'byDevice') return translateCode('analytics.devices', name) ?? name;
  if (by === 'byHostname') return name;
  return by === 'byRegion' ? regionName(name) : languageName(name);
}
