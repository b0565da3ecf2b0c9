import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import Plus from 'lucide-react/icons/plus';
import { eventEndpointListOptions } from '../../client/@tanstack/react-query.gen';
import type { EventEndpointResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ButtonLink } from '../../shared/button-link';
import { EmptyState } from '../../shared/empty-state';
import { Notice } from '../../shared/notice';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useProject } from '../../shared/use-project';
import { t } from '../../i18n/i18n';
import { CreateEndpointDialog } from './endpoint-form';
import { EndpointList } from './endpoint-list';
import { heldSentence, needsAttention, shortUrl, waitingSentence } from './endpoint-state';
import { EventLog } from './event-log';
import './events.css';

const LIVE_MS = 3_000;
const ENDPOINTS_MAX = 10;

export function EventsPage() {
  const project = useProject();
  const [opened, dialog] = useDisclosure(false);
  const query = useQuery({
    ...eventEndpointListOptions({ path: { projectId: project.id } }),
    refetchInterval: LIVE_MS,
  });
  const endpoints = query.data?.items ?? [];
  const refusal = checkAccess(project, { role: 'editor' });
  const isFull = endpoints.length >= ENDPOINTS_MAX;
  const add = (
    <Button
      leftSection={<Plus className="icon" aria-hidden />}
      disabled={refusal !== null || isFull}
      onClick={dialog.open}
    >
      {t('events.add')}
    </Button>
  );
  const isEmpty = query.data !== undefined && endpoints.length === 0;
  return (
    <Page title={t('pages.events')} subtitle={t('events.subtitle')} actions={!isEmpty && add}>
      <AccessNote refusal={refusal} projectId={project.id} />
      <EndpointNotice projectId={project.id} endpoints={endpoints.filter(needsAttention)} />
      <ProblemAlert error={query.error} retry={() => void query.refetch()} />
      {query.isPending && <SkeletonRows rows={3} />}
      {isEmpty && (
        <div className="card">
          <EmptyState title={t('events.none')} text={t('events.noneText')} action={add} />
        </div>
      )}
      {endpoints.length > 0 && <EndpointList projectId={project.id} endpoints={endpoints} />}
      {isFull && <div className="quiet">{t('events.full', { count: ENDPOINTS_MAX })}</div>}
      <EventLog project={project} endpoints={endpoints} />
      {opened && <CreateEndpointDialog projectId={project.id} onClose={dialog.close} />}
    </Page>
  );
}

/** Endpoints that are held, or that were disabled for want of a success; nothing without one. */
function EndpointNotice({ projectId, endpoints }: { projectId: string; endpoints: EventEndpointResponse[] }) {
  const [first] = endpoints;
  if (!first) return null;
  const host = shortUrl(first.url);
  return (
    <Notice
      action={
        endpoints.length === 1 && (
          <ButtonLink
            to="/projects/$projectId/settings/events/$endpointId"
            params={{ projectId, endpointId: first.id }}
          >
            {t('events.open')}
          </ButtonLink>
        )
      }
    >
      {endpoints.length > 1 ? (
        <b>{t('events.attention', { count: endpoints.length })}</b>
      ) : (
        <>
          <b>{t(first.state === 'held' ? 'events.heldAt' : 'events.disabledAt', { host })}</b>{' '}
          <span className="notice-reason">
            {first.state === 'held' && `${heldSentence(first)} `}
            {first.waiting > 0 && `${waitingSentence(first.waiting)}.`}
          </span>
        </>
      )}
    </Notice>
  );
}
