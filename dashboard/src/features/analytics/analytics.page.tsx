import { Anchor, Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import {
  consentAnalyticsOptions,
  tierReadOptions,
  visitSiteOptions,
} from '../../client/@tanstack/react-query.gen';
import type { ConsentAnalyticsView, ConsentCountsView } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { SkeletonRows } from '../../shared/infinite-table';
import { formatNumber, formatPercent } from '../../shared/format';
import { Page } from '../../shared/page';
import { DataTable } from '../../shared/data-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { Breakdown } from './breakdown';
import { RATES, rateColumns, recordsColumn } from './count-columns';
import { GROUPINGS } from './grouped';
import { intervalText } from './interval-text';
import { period } from './period';
import { SITE_DEFINITIONS, SiteFigures } from './site-figures';
import { RANGES, type Range } from './range';

const route = getRouteApi('/signed-in/projects/$projectId/analytics');

/** Where the page says what its figures mean. */
const DEFINITIONS = 'definitions';

const RateChart = lazy(() => import('./rate-chart'));

export function AnalyticsPage() {
  const project = useProject();
  const path = { projectId: project.id };
  const { days } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: tier } = useQuery(tierReadOptions({ path }));
  const open = tier?.features.analytics ?? false;
  const { now, before, interval } = period(days, new Date());
  const current = useQuery({
    ...consentAnalyticsOptions({ path, query: { ...now, interval } }),
    enabled: open,
  });
  const former = useQuery({
    ...consentAnalyticsOptions({ path, query: { ...before, interval } }),
    enabled: open,
  });
  const site = useQuery({ ...visitSiteOptions({ path, query: { ...now, interval } }), enabled: open });
  const formerSite = useQuery({
    ...visitSiteOptions({ path, query: { ...before, interval } }),
    enabled: open,
  });
  const failed = [current, former, site, formerSite].find(({ isError }) => isError);
  const refusal = tier ? checkAccess(project, { feature: { open, tier: 'Business' } }) : null;
  return (
    <Page title={t('pages.analytics')}>
      <AccessFieldset refusal={refusal} projectId={project.id}>
        <Group justify="space-between">
          <SegmentedControl
            size="xs"
            aria-label={t('analytics.range')}
            value={String(days)}
            disabled={refusal !== null}
            onChange={(value) => void navigate({ search: { days: Number(value) as Range } })}
            data={RANGES.map((value) => ({ value: String(value), label: t(`analytics.ranges.${value}`) }))}
          />
          <Anchor href={`#${DEFINITIONS}`}>{t('analytics.definitions')}</Anchor>
        </Group>
      </AccessFieldset>
      {failed && <ProblemAlert error={failed.error} retry={() => void failed.refetch()} />}
      {!failed && open && !(current.data && former.data) && <SkeletonRows rows={8} />}
      {current.data && former.data && <Figures current={current.data} former={former.data} />}
      {site.data && formerSite.data && <SiteFigures current={site.data} former={formerSite.data} />}
      {current.data && former.data && <Definitions />}
      {tier && !open && <Definitions />}
    </Page>
  );
}

function Figures({ current, former }: { current: ConsentAnalyticsView; former: ConsentAnalyticsView }) {
  return (
    <>
      <Section title={t('analytics.overTime')}>
        <Suspense fallback={<SkeletonRows rows={6} />}>
          <RateChart series={current.series} interval={current.interval} />
        </Suspense>
        <DataTable
          label={t('analytics.compared')}
          items={[
            {
              key: 'records' as const,
              now: formatNumber(current.totals.records),
              before: formatNumber(former.totals.records),
            },
            ...RATES.map((key) => ({
              key,
              now: formatPercent(current.totals.rates[key]),
              before: formatPercent(former.totals.rates[key]),
            })),
          ]}
          rowKey={({ key }) => key}
          columns={[
            { title: t('analytics.metric'), cell: ({ key }) => t(`analytics.metrics.${key}`) },
            { title: t('analytics.thisPeriod'), numeric: true, cell: (row) => row.now },
            { title: t('analytics.previousPeriod'), numeric: true, cell: (row) => row.before },
          ]}
        />
      </Section>
      {GROUPINGS.map((by) => (
        <Breakdown key={by} by={by} current={current} former={former} />
      ))}
      <Section title={t(`analytics.perInterval.${current.interval}`)}>
        <DataTable
          label={t(`analytics.perInterval.${current.interval}`)}
          items={current.series.toReversed()}
          rowKey={({ at }) => at}
          columns={[
            { title: t('analytics.time'), cell: ({ at }) => intervalText(at, current.interval) },
            recordsColumn<ConsentCountsView>((counts) => counts),
            ...rateColumns<ConsentCountsView>((counts) => counts),
          ]}
        />
      </Section>
    </>
  );
}

function Definitions() {
  return (
    <Section title={t('analytics.definitions')} id={DEFINITIONS}>
      <dl className="facts">
        {(['records', ...RATES] as const).map((key) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{t(`analytics.metrics.${key}`)}</dt>
            <dd>{t(`analytics.metricDefinitions.${key}`)}</dd>
          </div>
        ))}
        {(['region', 'language'] as const).map((key) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{t(`analytics.by.${key}`)}</dt>
            <dd>{t(`analytics.byDefinitions.${key}`)}</dd>
          </div>
        ))}
        {SITE_DEFINITIONS.map((key) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{t(`analytics.siteMetrics.${key}`)}</dt>
            <dd>{t(`analytics.siteDefinitions.${key}`)}</dd>
          </div>
        ))}
      </dl>
      <Anchor href="/docs">{t('shell.apiDocs')}</Anchor>
    </Section>
  );
}
