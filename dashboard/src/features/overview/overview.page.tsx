import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ProjectResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { Page } from '../../shared/page';
import { Segments } from '../../shared/segments';
import { useProject } from '../../shared/use-project';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { UndeliveredNotice } from '../deliveries/undelivered-notice';
import { ConsentsPerDay } from './consents-per-day';
import { EmptyOverview, SetupProgress } from './empty-overview';
import { EndpointCard } from './endpoint-card';
import { KeyFigures } from './figures';
import { LatestRecords } from './latest-records';
import './overview.css';
import { PERIODS } from './period';
import { overviewQueries } from './queries';
import { RemainingSteps } from './setup-steps';

const route = getRouteApi('/signed-in/projects/$projectId/');

export function OverviewPage() {
  const project = useProject();
  const { zone } = useZone();
  const { period = 'month' } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = overviewQueries(project.id, zone);
  const isEmpty = useQuery(queries.records).data?.items.length === 0;
  const forwarding = useQuery(queries.forwarding).data;
  const features = useQuery(queries.tier).data?.features;
  if (isEmpty)
    return (
      <Page title={t('pages.overview')} actions={<SetupProgress project={project} />}>
        <EmptyOverview project={project} />
      </Page>
    );
  const isForwarding = forwarding?.available ?? true;
  return (
    <Page
      title={t('pages.overview')}
      actions={
        <Segments
          label={t('overview.period')}
          options={PERIODS}
          labelOf={(value) => t(`overview.${value}`)}
          value={period}
          onChange={(value) =>
            void navigate({ search: value === 'today' ? { period: value } : {}, replace: true })
          }
        />
      }
    >
      <UndeliveredNotice projectId={project.id} />
      <RemainingSteps project={project} />
      <KeyFigures
        project={project}
        period={period}
        hasForwarding={isForwarding}
        hasVisits={features?.analytics ?? true}
      />
      {isForwarding ? (
        <div className="columns">
          <ConsentsPerDay projectId={project.id} />
          <EndpointCard projectId={project.id} />
        </div>
      ) : (
        <ConsentsPerDay projectId={project.id} />
      )}
      <LatestRecords projectId={project.id} hasDelivery={isForwarding} />
      {features && !features.analytics && <MorePlans project={project} isForwarding={isForwarding} />}
    </Page>
  );
}

/** What other plans add to this page, in one line: parts that are not included are not drawn. */
function MorePlans({ project, isForwarding }: { project: ProjectResponse; isForwarding: boolean }) {
  return (
    <p className="more-plans">
      {t(isForwarding ? 'overview.moreOnBusiness' : 'overview.moreOnPaid')}{' '}
      <AnchorLink to="/projects/$projectId/settings/plan" params={{ projectId: project.id }}>
        {t('shared.seePlans')}
      </AnchorLink>
    </p>
  );
}
