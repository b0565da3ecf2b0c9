import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import Send from 'lucide-react/icons/send';
import { useState } from 'react';
import { eventEndpointReadOptions } from '../../client/@tanstack/react-query.gen';
import { eventEndpointTest } from '../../client/sdk.gen';
import type { EventEndpointResponse, EventTestResponse, ProjectResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { AnchorLink } from '../../shared/anchor-link';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { shortId } from '../../shared/short-id';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useProject } from '../../shared/use-project';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { failureSentence } from '../deliveries/outcome';
import { EndpointDeliveries } from './endpoint-deliveries';
import { EndpointFigures, EndpointSettings } from './endpoint-facts';
import { ENDPOINT_DIALOGS, type EndpointAction, EndpointMenu } from './endpoint-menu';
import { EndpointNotice } from './endpoint-notice';
import { EndpointState, shortUrl } from './endpoint-state';
import './events.css';

const route = getRouteApi('/signed-in/projects/$projectId/settings/events/$endpointId');

const LIVE_MS = 2_000;

/** One endpoint: its health, its deliveries and its settings. */
export function EndpointPage() {
  const project = useProject();
  const { endpointId } = route.useParams();
  const query = useQuery({
    ...eventEndpointReadOptions({ path: { projectId: project.id, endpointId } }),
    refetchInterval: ({ state }) => (state.error ? false : LIVE_MS),
  });
  if (query.data) return <Endpoint key={endpointId} project={project} endpoint={query.data} />;
  return (
    <Page title={t('events.endpoint')} above={<WayBack projectId={project.id} />}>
      {query.isError ? (
        <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      ) : (
        <SkeletonRows rows={8} />
      )}
    </Page>
  );
}

function Endpoint({ project, endpoint }: { project: ProjectResponse; endpoint: EventEndpointResponse }) {
  const path = { projectId: project.id, endpointId: endpoint.id };
  const refusal = checkAccess(project, { role: 'editor' });
  const [action, setAction] = useState<EndpointAction | null>(null);
  const Dialog = action && ENDPOINT_DIALOGS[action];
  const test = useApiMutation({
    request: async () => (await eventEndpointTest({ path })).data,
    invalidates: ['eventEndpointRead', 'eventEndpointDeliveries'],
  });
  return (
    <div className="endpoint-page">
      <Page
        title={shortUrl(endpoint.url)}
        status={<EndpointState endpoint={endpoint} />}
        above={<WayBack projectId={project.id} />}
        subtitle={<Subtitle endpoint={endpoint} />}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<Send className="icon" aria-hidden />}
              disabled={refusal !== null}
              loading={test.isPending}
              onClick={() => test.mutate(undefined)}
            >
              {t('events.test')}
            </Button>
            <EndpointMenu endpoint={endpoint} disabled={refusal !== null} onAction={setAction} />
          </>
        }
      >
        <AccessNote refusal={refusal} projectId={project.id} />
        <EndpointNotice
          projectId={project.id}
          endpoint={endpoint}
          disabled={refusal !== null}
          onEnable={() => setAction('enable')}
        />
        <ProblemAlert error={test.error} />
        {test.data && <TestResult result={test.data} />}
        <EndpointFigures endpoint={endpoint} />
        <EndpointDeliveries
          project={project}
          endpoint={endpoint}
          disabled={refusal !== null}
          onRecover={() => setAction('recover')}
        />
        <EndpointSettings
          projectId={project.id}
          endpoint={endpoint}
          disabled={refusal !== null}
          onAction={setAction}
        />
      </Page>
      {Dialog && <Dialog projectId={project.id} endpoint={endpoint} onClose={() => setAction(null)} />}
    </div>
  );
}

function WayBack({ projectId }: { projectId: string }) {
  return (
    <AnchorLink to="/projects/$projectId/settings/events" params={{ projectId }} className="more way-back">
      <ChevronLeft className="icon" aria-hidden />
      {t('pages.events')}
    </AnchorLink>
  );
}

function Subtitle({ endpoint: { description, eventTypes } }: { endpoint: EventEndpointResponse }) {
  return (
    <>
      {description !== '' && (
        <>
          <VisibleText text={description} /> ·{' '}
        </>
      )}
      {t('events.typeCount', { count: eventTypes.length })}
    </>
  );
}

/** The outcome of a `test.ping`, and the way to its request. */
function TestResult({ result }: { result: EventTestResponse }) {
  const { delivered, httpStatus, durationMs, eventId } = result;
  return (
    <div className="card endpoint-line" role="status">
      <StatusLabel status={delivered ? 'good' : 'bad'}>
        {delivered
          ? t('events.testDelivered', { status: `${httpStatus ?? 0}`, ms: durationMs })
          : `${t('events.testFailed')} ${failureSentence(result)}`}
      </StatusLabel>{' '}
      <AnchorLink
        from="/projects/$projectId/settings/events/$endpointId"
        search={(search) => ({ ...search, open: eventId })}
      >
        {t('events.testEvent')} {shortId(eventId)}
      </AnchorLink>
    </div>
  );
}
