import type { NamedSiteCountsView, SiteAnalyticsView, SiteCountsView } from '../../client/types.gen';
import type { Column } from '../../shared/endless-list';
import { number, percent } from '../../shared/format';
import { PlainList } from '../../shared/plain-list';
import { Section } from '../../shared/section';
import { locale, t, translateCode } from '../../i18n/i18n';

const FIGURES = ['visits', 'shown', 'chosen', 'ignored', 'interactionRate'] as const;
const BREAKDOWNS = ['byHostname', 'byRegion', 'byLanguage', 'byDevice'] as const;

/** Page visits, and what became of the banner on them. */
export function SiteFigures({ current, former }: { current: SiteAnalyticsView; former: SiteAnalyticsView }) {
  return (
    <>
      <Section title={t('analytics.site')}>
        <PlainList
          label={t('analytics.site')}
          items={[...FIGURES]}
          idOf={(figure) => figure}
          columns={[
            { title: t('analytics.metric'), cell: (figure) => t(`analytics.siteMetrics.${figure}`) },
            {
              title: t('analytics.thisPeriod'),
              number: true,
              cell: (figure) => valueOf(current.totals, figure),
            },
            {
              title: t('analytics.previousPeriod'),
              number: true,
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
            <PlainList
              label={t(`analytics.siteBy.${by}`)}
              items={current[by]}
              idOf={({ name }) => name ?? ''}
              columns={[
                { title: t('analytics.name'), cell: ({ name }) => nameOf(by, name) },
                ...FIGURES.map((figure): Column<NamedSiteCountsView> => ({
                  title: t(`analytics.siteMetrics.${figure}`),
                  number: true,
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
  return figure === 'interactionRate' ? percent(counts.interactionRate) : number(counts[figure]);
}

function nameOf(by: (typeof BREAKDOWNS)[number], name: string | null): string {
  if (name === null) return t('analytics.unknownAndOthers');
  if (by === 'byDevice') return translateCode('analytics.devices', name) ?? name;
  if (by === 'byHostname') return name;
  const names = new Intl.DisplayNames(locale, { type: by === 'byRegion' ? 'region' : 'language' });
  return names.of(name) ?? name;
}
