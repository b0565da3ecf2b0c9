import { Anchor, Group, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  consentAnalyticsOptions,
  tierReadOptions,
  visitSiteOptions,
} from '../../client/@tanstack/react-query.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { period } from './period';
import { SiteFigures } from './site-figures';
import { RANGES, type Range } from './range';
import { Definitions, DEFINITIONS_ID } from './definitions';
import { ConsentFigures } from './consent-figures';

const route = getRouteApi('/signed-in/projects/$projectId/analytics');

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
          <Anchor href={`#${DEFINITIONS_ID}`}>{t('analytics.definitions')}</Anchor>
        </Group>
      </AccessFieldset>
      {failed && <ProblemAlert error={failed.error} retry={() => void failed.refetch()} />}
      {!failed && open && !(current.data && former.data) && <SkeletonRows rows={8} />}
      {current.data && former.data && <ConsentFigures current={current.data} former={former.data} />}
      {site.data && formerSite.data && <SiteFigures current={site.data} former={formerSite.data} />}
      {current.data && former.data && <Definitions />}
      {tier && !open && <Definitions />}
    </Page>
  );
}
