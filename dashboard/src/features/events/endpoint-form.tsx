import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useState } from 'react';
import { etagFor, ifMatch } from '../../api/etags';
import { eventEndpointCreate, eventEndpointUpdate } from '../../client/sdk.gen';
import type { EventEndpointResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { CopyableCode } from '../../shared/copyable-code';
import { FormDialog } from '../../shared/form-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import type { EventType } from './search';
import { TypePicker } from './type-picker';

const DIALOG_WIDTH = 640;
const DESCRIPTION_CHARACTERS_MAX = 200;
const REFRESHES = ['eventEndpointList', 'eventEndpointRead'] as const;

interface Fields {
  url: string;
  description: string;
  eventTypes: EventType[];
  keepResponseBodies: boolean;
}
const EMPTY: Fields = { url: '', description: '', eventTypes: [], keepResponseBodies: false };

function useEndpointForm({ url, description, eventTypes, keepResponseBodies }: Fields) {
  return useForm<Fields>({
    initialValues: { url, description, eventTypes, keepResponseBodies },
    validate: { eventTypes: (types) => (types.length === 0 ? t('events.typesRequired') : null) },
  });
}

const bodyOf = ({ url, description, ...fields }: Fields) => ({
  ...fields,
  url: url.trim(),
  description: description.trim(),
});

/** Adds an endpoint, and then shows its secret once. */
export function CreateEndpointDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const form = useEndpointForm(EMPTY);
  const mutation = useApiMutation({
    form,
    request: async () => (await eventEndpointCreate({ path: { projectId }, body: bodyOf(form.values) })).data,
    invalidates: REFRESHES,
  });
  const { data: created } = mutation;
  return (
    <FormDialog
      title={created ? t('events.added') : t('events.add')}
      size={DIALOG_WIDTH}
      confirmLabel={created ? null : t('events.add')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => form.onSubmit(() => mutation.mutate(undefined))()}
    >
      {created ? (
        <>
          <NewSecret secret={created.secret} />
          <div>
            <ButtonLink
              to="/projects/$projectId/settings/events/$endpointId"
              params={{ projectId, endpointId: created.id }}
            >
              {t('events.openEndpoint')}
            </ButtonLink>
          </div>
        </>
      ) : (
        <EndpointFields form={form} />
      )}
    </FormDialog>
  );
}

/** Changes an endpoint; refused if someone else has changed it since the dialog opened. */
export function ChangeEndpointDialog({
  projectId,
  endpoint,
  onClose,
}: {
  projectId: string;
  endpoint: EventEndpointResponse;
  onClose: () => void;
}) {
  const form = useEndpointForm(endpoint);
  const [basedOn] = useState(() => etagFor(`${projectId}/event-endpoints/${endpoint.id}`));
  const mutation = useApiMutation({
    form,
    request: async () =>
      (
        await eventEndpointUpdate({
          path: { projectId, endpointId: endpoint.id },
          headers: ifMatch(basedOn),
          body: bodyOf(form.values),
        })
      ).data,
    successMessage: t('shared.saved'),
    invalidates: REFRESHES,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={t('events.editTitle')}
      size={DIALOG_WIDTH}
      confirmLabel={t('shared.save')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => form.onSubmit(() => mutation.mutate(undefined))()}
    >
      <EndpointFields form={form} />
    </FormDialog>
  );
}

function EndpointFields({ form }: { form: UseFormReturnType<Fields> }) {
  return (
    <>
      <TextInput
        label={t('events.url')}
        description={t('events.urlHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        type="url"
        required
        data-autofocus
        placeholder="https://hooks.example.com/events"
        {...form.getInputProps('url')}
      />
      <TextInput
        label={t('events.description')}
        description={t('events.descriptionHint')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        maxLength={DESCRIPTION_CHARACTERS_MAX}
        {...form.getInputProps('description')}
      />
      <TypePicker
        value={form.values.eventTypes}
        onChange={(types) => form.setFieldValue('eventTypes', types)}
        error={form.errors['eventTypes']}
      />
      <Checkbox
        size="xs"
        label={t('events.keepBodies')}
        description={t('events.keepBodiesHint')}
        {...form.getInputProps('keepResponseBodies', { type: 'checkbox' })}
      />
    </>
  );
}

/** A new signing secret: it cannot be shown again. */
export function NewSecret({ secret }: { secret: string }) {
  return (
    <Stack gap={4} role="status">
      <Text fw={600}>{t('events.secretOnce')}</Text>
      <CopyableCode text={secret} label={t('events.secret')} />
    </Stack>
  );
}
