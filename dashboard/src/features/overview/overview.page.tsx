import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../shared/page';
import { Segments } from '../../shared/segments';
import { useProject } from '../../shared/use-project';
import { t } from '../../i18n/i18n';
import { UndeliveredNotice } from '../deliveries/undelivered-notice';
import { ConsentsPerDay } from './consents-per-day';
import { EndpointCard } from './endpoint-card';
import { KeyFigures } from './figures';
import { LatestRecords } from './latest-records';
import './overview.css';
import { PERIODS } from './period';
import { SetupChecklist } from './setup-checklist';

const route = getRouteApi('/signed-in/projects/$projectId/');

export function OverviewPage() {
  const project = useProject();
  const { period = 'month' } = route.useSearch();
  const navigate = route.useNavigate();
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
      <SetupChecklist project={project} />
      <KeyFigures project={project} period={period} />
      <div className="columns">
        <ConsentsPerDay projectId={project.id} />
        <EndpointCard projectId={project.id} />
      </div>
      <LatestRecords projectId={project.id} />
    </Page>
  );
}
