import { Drawer, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { eventReadOptions } from '../../client/@tanstack/react-query.gen';
import type { EventDetailsResponse, EventEndpointResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { CopyId } from '../../shared/copy-id';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import '../../shared/record-drawer.css';
import { DeliveryStateLabel } from '../consents/delivery-state';
import { PlainText } from '../deliveries/plain-text';
import { shortUrl, typeName } from './endpoint-state';
import { eventBody } from './event-request';

const LIVE_MS = 2_000;

interface Props {
  projectId: string;
  endpoints: EventEndpointResponse[];
}

/** One event with its JSON, and where its deliveries are. */
export function EventDrawer(props: Props & { eventId: string | undefined; onClose: () => void }) {
  const { eventId, onClose, ...others } = props;
  return (
    <Drawer
      opened={eventId !== undefined}
      onClose={onClose}
      position="right"
      size={576}
      className="record-drawer"
      title={
        <>
          {t('events.event')} {eventId !== undefined && <CopyId id={eventId} hasIcon />}
        </>
      }
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {eventId !== undefined && <EventDetails key={eventId} {...others} eventId={eventId} />}
    </Drawer>
  );
}

function EventDetails({ projectId, endpoints, eventId }: Props & { eventId: string }) {
  const query = useQuery({
    ...eventReadOptions({ path: { projectId, eventId } }),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ state: each }) => each === 'pending') ? LIVE_MS : false,
  });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={8} />;
  const event = query.data;
  return (
    <Stack gap="lg" pb="md">
      <div className="record-summary">
        <b>{typeName(event.type)}</b>
        <span className="mono">{event.type}</span>
        <span className="record-time">
          <AbsoluteTime at={event.timestamp} />
        </span>
      </div>
      <section aria-label={t('events.deliveries')} className="record-part">
        <Title order={3}>{t('events.deliveries')}</Title>
        {event.deliveries.length === 0 && <Text c="dimmed">{t('events.noEndpoints')}</Text>}
        <ul className="event-deliveries">
          {event.deliveries.map((delivery) => (
            <EventDelivery
              key={delivery.endpointId}
              projectId={projectId}
              eventId={event.id}
              delivery={delivery}
              endpoint={endpoints.find(({ id }) => id === delivery.endpointId)}
            />
          ))}
        </ul>
      </section>
      <div className="record-part">
        <Title order={3}>{t('events.body')}</Title>
        <PlainText label={t('events.body')} text={eventBody(event)} />
        <Text c="dimmed" size="xs">
          {t('events.bodyText')}
        </Text>
      </div>
    </Stack>
  );
}

function EventDelivery({
  projectId,
  eventId,
  delivery: { endpointId, state, attempts },
  endpoint,
}: {
  projectId: string;
  eventId: string;
  delivery: EventDetailsResponse['deliveries'][number];
  endpoint: EventEndpointResponse | undefined;
}) {
  return (
    <li>
      <AnchorLink
        to="/projects/$projectId/settings/events/$endpointId"
        params={{ projectId, endpointId }}
        search={{ open: eventId }}
      >
        {endpoint ? shortUrl(endpoint.url) : endpointId}
      </AnchorLink>
      <span className="quiet">{t('events.attemptCount', { count: attempts })}</span>
      <DeliveryStateLabel state={state} />
    </li>
  );
}
