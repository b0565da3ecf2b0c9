import type { NamedSiteCountsView, SiteAnalyticsView, SiteCountsView } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { formatNumber, formatPercent } from '../../shared/format';
import { DataTable } from '../../shared/data-table';
import { Section } from '../../shared/section';
import { locale, t, translateCode } from '../../i18n/i18n';

const FIGURES = ['visits', 'shown', 'chosen', 'ignored', 'interactionRate'] as const;
const BREAKDOWNS = ['byHostname', 'byRegion', 'byLanguage', 'byDevice'] as const;

/** Page visits, and what became of the banner on them. */
export function SiteFigures({ current, former }: { current: SiteAnalyticsView; former: SiteAnalyticsView }) {
  return (
    <>
      <Section title={t('analytics.site')}>
        <DataTable
          label={t('analytics.site')}
          items={[...FIGURES]}
          rowKey={(figure) => figure}
          columns={[
            { title: t('analytics.metric'), cell: (figure) => t(`analytics.siteMetrics.${figure}`) },
            {
              title: t('analytics.thisPeriod'),
              numeric: true,
              cell: (figure) => valueOf(current.totals, figure),
            },
            {
              title: t('analytics.previousPeriod'),
              numeric: true,
              cell: (figure) => valueOf(former.totals, figure),
            },
          ]}
        />
      </Section>
      {BREAKDOWNS.map((by) => (
        <Section key={by} title={t(`analytics.siteBy.${by}`)}>
          {current[by].length === 0 ? (
            t('analytics.noVisits')
          ) : (
            <DataTable
              label={t(`analytics.siteBy.${by}`)}
              items={current[by]}
              rowKey={({ name }) => name ?? ''}
              columns={[
                { title: t('analytics.name'), cell: ({ name }) => nameOf(by, name) },
                ...FIGURES.map((figure): Column<NamedSiteCountsView> => ({
                  title: t(`analytics.siteMetrics.${figure}`),
                  numeric: true,
                  cell: (counts) => valueOf(counts, figure),
                })),
              ]}
            />
          )}
        </Section>
      ))}
    </>
  );
}

/** What the figures mean, for the page's list of definitions. */
export const SITE_DEFINITIONS = FIGURES;

function valueOf(counts: SiteCountsView, figure: (typeof FIGURES)[number]): string {
  return figure === 'interactionRate' ? formatPercent(counts.interactionRate) : formatNumber(counts[figure]);
}

function nameOf(by: (typeof BREAKDOWNS)[number], name: string | null): string {
  if (name === null) return t('analytics.unknownAndOthers');
  if (by === 'byDevice') return translateCode('analytics.devices', name) ?? name;
  if (by === 'byHostname') return name;
  const names = new Intl.DisplayNames(locale, { type: by === 'byRegion' ? 'region' : 'language' });
  return names.of(name) ?? name;
}
