import { Checkbox, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  eventEndpointRecover,
  eventEndpointRemove,
  eventEndpointRotateSecret,
  eventEndpointUpdate,
} from '../../client/sdk.gen';
import type { EventEndpointResponse, RecoverEventsResponse } from '../../client/types.gen';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { DateFilter } from '../../shared/filter-fields';
import { FormDialog } from '../../shared/form-dialog';
import { dayStart, dayText } from '../../shared/time';
import { AbsoluteTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { NewSecret } from './endpoint-form';
import { shortUrl } from './endpoint-state';

const REFRESHES = ['eventEndpointRead', 'eventEndpointList', 'eventEndpointDeliveries'] as const;
const DAY_MS = 86_400_000;
/** The API takes 14 days; the first of these days is whole. */
const RECOVER_DAYS = 13;

export interface EndpointDialog {
  projectId: string;
  endpoint: EventEndpointResponse;
  onClose: () => void;
}

/** Replaces the signing secret, and shows the new one once. */
export function RotateDialog({ projectId, endpoint, onClose }: EndpointDialog) {
  const path = { projectId, endpointId: endpoint.id };
  const mutation = useApiMutation({
    request: async () => (await eventEndpointRotateSecret({ path })).data,
    invalidates: REFRESHES,
  });
  const { data: rotated } = mutation;
  return (
    <FormDialog
      title={t('events.rotate')}
      confirmLabel={rotated ? null : t('events.rotate')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate(undefined)}
    >
      {rotated ? (
        <>
          <NewSecret secret={rotated.secret} />
          {rotated.formerSecretValidUntil && (
            <Text>
              {t('events.secretUntil')} <AbsoluteTime at={rotated.formerSecretValidUntil} />.
            </Text>
          )}
        </>
      ) : (
        <Text>{t('events.rotateText')}</Text>
      )}
    </FormDialog>
  );
}

export function DisableDialog({ projectId, endpoint, onClose }: EndpointDialog) {
  const path = { projectId, endpointId: endpoint.id };
  const mutation = useApiMutation({
    request: async () => (await eventEndpointUpdate({ path, body: { enabled: false } })).data,
    successMessage: t('events.disabledToast'),
    invalidates: REFRESHES,
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('events.disableTitle')}
      confirmLabel={t('events.disable')}
      isPending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onConfirm={() => mutation.mutate(undefined)}
    >
      <Text>{t('events.disableText')}</Text>
    </ConfirmDialog>
  );
}

/** Enables an endpoint, and offers to send the events that it missed. */
export function EnableDialog({ projectId, endpoint, onClose }: EndpointDialog) {
  const path = { projectId, endpointId: endpoint.id };
  const [recovers, setRecovers] = useState(true);
  const since = useSince(endpoint);
  const mutation = useApiMutation({
    request: async () => {
      await eventEndpointUpdate({ path, body: { enabled: true } });
      if (!recovers || since.at === null) return null;
      return (await eventEndpointRecover({ path, body: { since: since.at } })).data;
    },
    successMessage: (result) =>
      [t('events.enabledToast'), result && recoveredSentence(result)].filter(Boolean).join(' '),
    invalidates: REFRESHES,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={t('events.enableTitle')}
      confirmLabel={t('events.enable')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate(undefined)}
    >
      <Text>{t('events.enableText')}</Text>
      <Checkbox
        size="xs"
        label={t('events.recoverToo')}
        description={t('events.recoverHint')}
        checked={recovers}
        onChange={(event) => setRecovers(event.currentTarget.checked)}
      />
      {recovers && <SinceField since={since} error={mutation.fieldErrors['since']} />}
    </FormDialog>
  );
}

/** Sends the events that an endpoint missed. */
export function RecoverDialog({ projectId, endpoint, onClose }: EndpointDialog) {
  const path = { projectId, endpointId: endpoint.id };
  const since = useSince(endpoint);
  const mutation = useApiMutation({
    request: async (at: string) => (await eventEndpointRecover({ path, body: { since: at } })).data,
    successMessage: recoveredSentence,
    invalidates: REFRESHES,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={t('events.recoverTitle')}
      confirmLabel={t('events.recoverNow')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => since.at !== null && mutation.mutate(since.at)}
    >
      <Text>{t('events.recoverText')}</Text>
      <SinceField since={since} error={mutation.fieldErrors['since']} />
      <Text c="dimmed">{t('events.recoverHint')}</Text>
    </FormDialog>
  );
}

export function DeleteDialog({ projectId, endpoint, onClose }: EndpointDialog) {
  const path = { projectId, endpointId: endpoint.id };
  const navigate = useNavigate();
  const mutation = useApiMutation({
    request: async () => (await eventEndpointRemove({ path })).data,
    successMessage: t('events.deleted'),
    invalidates: ['eventEndpointList'],
    onSuccess: () =>
      void navigate({ to: '/projects/$projectId/settings/events', params: { projectId }, search: {} }),
  });
  return (
    <ConfirmDialog
      title={t('events.deleteTitle')}
      confirmLabel={t('events.deleteTitle')}
      isPending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onConfirm={() => mutation.mutate(undefined)}
    >
      <Text>{t('events.deleteText', { host: shortUrl(endpoint.url) })}</Text>
    </ConfirmDialog>
  );
}

function recoveredSentence({ queued, more }: RecoverEventsResponse): string {
  return t(more ? 'events.recoveredMore' : 'events.recovered', { count: queued });
}

interface Since {
  day: string;
  setDay: (day: string) => void;
  /** The start of the day, or the creation of the endpoint, which missed nothing before; null: it is no day. */
  at: string | null;
}

/** The first day to recover: that of the last success, or as far back as possible. */
function useSince({ lastDeliveredAt, createdAt }: EventEndpointResponse): Since {
  const { zone, now } = useZone();
  const earliest = new Date(now.getTime() - RECOVER_DAYS * DAY_MS);
  const known = new Date(lastDeliveredAt ?? createdAt);
  const [day, setDay] = useState(() => dayText(known < earliest ? earliest : known, zone));
  const start = dayStart(day, zone);
  const created = new Date(createdAt);
  return { day, setDay, at: start && (start < created ? created : start).toISOString() };
}

function SinceField({ since, error }: { since: Since; error: string | undefined }) {
  return (
    <div>
      <DateFilter
        label={t('events.recoverSince')}
        value={since.day}
        onChange={(day) => since.setDay(day ?? '')}
      />
      {error !== undefined && (
        <Text c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </div>
  );
}
