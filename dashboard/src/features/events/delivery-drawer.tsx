import { Button, Drawer, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Send from 'lucide-react/icons/send';
import { eventEndpointDeliveriesOptions, eventReadOptions } from '../../client/@tanstack/react-query.gen';
import { eventEndpointResend, eventEndpointResponseBody, eventEndpointSkip } from '../../client/sdk.gen';
import type {
  EventAttemptResponse,
  EventDetailsResponse,
  EventEndpointResponse,
  ProjectResponse,
} from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Step } from '../../shared/step';
import { AbsoluteTime, Countdown } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import '../../shared/record-drawer.css';
import { DeliveryStateLabel } from '../consents/delivery-state';
import { outcomeStatus } from '../deliveries/outcome';
import { PlainText } from '../deliveries/plain-text';
import { ResponseBody } from '../deliveries/response-body';
import { attemptSentence } from './attempt-columns';
import { typeName } from './endpoint-state';
import { eventRequest } from './event-request';

const LIVE_MS = 1_500;
/** Attempts shown of one event. */
const ATTEMPTS_MAX = 50;

interface Props {
  project: ProjectResponse;
  endpoint: EventEndpointResponse;
  disabled: boolean;
}

/** The delivery of one event to one endpoint, beside the list of attempts. */
export function DeliveryDrawer(props: Props & { eventId: string | undefined; onClose: () => void }) {
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
          {t('events.delivery')} {eventId !== undefined && <CopyId id={eventId} hasIcon />}
        </>
      }
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {eventId !== undefined && <Delivery key={eventId} {...others} eventId={eventId} />}
    </Drawer>
  );
}

function Delivery({ project, endpoint, eventId, disabled }: Props & { eventId: string }) {
  const path = { projectId: project.id };
  const event = useQuery({
    ...eventReadOptions({ path: { ...path, eventId } }),
    refetchInterval: ({ state }) => (state.error ? false : LIVE_MS),
  });
  const attempts = useQuery({
    ...eventEndpointDeliveriesOptions({
      path: { ...path, endpointId: endpoint.id },
      query: { eventId, limit: ATTEMPTS_MAX },
    }),
    refetchInterval: LIVE_MS,
  });
  const error = event.error ?? attempts.error;
  if (error)
    return (
      <ProblemAlert error={error} retry={() => void Promise.all([event.refetch(), attempts.refetch()])} />
    );
  if (!event.data || !attempts.data) return <SkeletonRows rows={8} />;
  const delivery = event.data.deliveries.find(({ endpointId }) => endpointId === endpoint.id);
  const items = attempts.data.items.toReversed();
  const latest = attempts.data.items.find(
    ({ outcome, category }) => outcome !== 'skipped' && category !== 'expired',
  );
  return (
    <Stack gap="lg">
      <div className="record-summary">
        <span className="mono">{event.data.type}</span>
        {delivery && <DeliveryStateLabel state={delivery.state} />}
        <span className="record-time">
          <AbsoluteTime at={event.data.timestamp} />
        </span>
      </div>
      <section aria-label={t('events.attempts')} className="record-part">
        <Title order={3}>{t('events.attempts')}</Title>
        <ol className="steps">
          <Step status="good" title={typeName(event.data.type)} at={event.data.timestamp}>
            {items.length === 0 && t('events.noAttempts')}
          </Step>
          {items.map((attempt) => (
            <AttemptStep key={attempt.id} project={project} endpoint={endpoint} attempt={attempt} />
          ))}
          {delivery?.state === 'pending' && (
            <NextStep endpoint={endpoint} nextAttemptAt={delivery.nextAttemptAt} />
          )}
        </ol>
      </section>
      {latest && (
        <section aria-label={t('deliveries.requestSent')} className="record-part">
          <Title order={3}>{t('deliveries.request')}</Title>
          <PlainText
            label={t('deliveries.request')}
            text={eventRequest(event.data, { url: endpoint.url, attemptedAt: latest.attemptedAt })}
          />
          <Text c="dimmed" size="xs">
            {t('events.requestHint')}
          </Text>
        </section>
      )}
      <DeliveryActions projectId={project.id} endpoint={endpoint} event={event.data} disabled={disabled} />
    </Stack>
  );
}

function AttemptStep({
  project,
  endpoint,
  attempt,
}: Omit<Props, 'disabled'> & { attempt: EventAttemptResponse }) {
  const { outcome, hasResponseBody, id, attempt: number } = attempt;
  const path = { projectId: project.id, endpointId: endpoint.id, deliveryId: id };
  return (
    <Step status={outcomeStatus(outcome)} title={t(`outcomes.${outcome}`)} at={attempt.attemptedAt}>
      {number > 1 && `${t('deliveries.attempt', { attempt: number })}: `}
      {attemptSentence(attempt, new URL(endpoint.url).host)}
      {hasResponseBody && (
        <ResponseBody
          project={project}
          attemptId={id}
          hint={t('events.bodyHint')}
          load={async () => (await eventEndpointResponseBody({ path })).data.responseBody}
        />
      )}
    </Step>
  );
}

function NextStep({
  endpoint,
  nextAttemptAt,
}: {
  endpoint: EventEndpointResponse;
  nextAttemptAt: string | null;
}) {
  return (
    <Step status="waiting" title={t('events.nextTry')}>
      {endpoint.state === 'disabled' && t('events.whenEnabled')}
      {endpoint.state === 'held' && t('events.withProbe')}
      {endpoint.state === 'active' && nextAttemptAt !== null && <Countdown at={nextAttemptAt} />}
    </Step>
  );
}

function DeliveryActions({
  projectId,
  endpoint,
  event,
  disabled,
}: {
  projectId: string;
  endpoint: EventEndpointResponse;
  event: EventDetailsResponse;
  disabled: boolean;
}) {
  const path = { projectId, endpointId: endpoint.id, eventId: event.id };
  const invalidates = ['eventRead', 'eventEndpointDeliveries', 'eventEndpointRead'] as const;
  const resend = useApiMutation({
    request: async () => (await eventEndpointResend({ path })).data,
    successMessage: ({ queued }) => t(queued > 0 ? 'events.queued' : 'events.alreadyQueued'),
    invalidates,
  });
  const skip = useApiMutation({
    request: async () => (await eventEndpointSkip({ path })).data,
    successMessage: ({ skipped }) => t(skipped > 0 ? 'events.skipped' : 'events.notSkipped'),
    invalidates,
  });
  const isPending = event.deliveries.some(
    ({ endpointId, state }) => endpointId === endpoint.id && state === 'pending',
  );
  return (
    <>
      <ProblemAlert error={resend.error ?? skip.error} />
      <div className="record-actions">
        <Button
          leftSection={<Send className="icon" aria-hidden />}
          disabled={disabled || !endpoint.enabled}
          loading={resend.isPending}
          onClick={() => resend.mutate(undefined)}
        >
          {t('events.resend')}
        </Button>
        {isPending && (
          <Button
            variant="default"
            disabled={disabled}
            loading={skip.isPending}
            onClick={() => skip.mutate(undefined)}
          >
            {t('events.skip')}
          </Button>
        )}
        <span className="record-hint">{t('events.keepsId')}</span>
      </div>
    </>
  );
}
