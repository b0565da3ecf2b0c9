import { Alert, Button, Group, Radio, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, etagFor } from '../../api/etags';
import { forwardingReadOptions } from '../../client/@tanstack/react-query.gen';
import { forwardingMakeToken, forwardingSave } from '../../client/sdk.gen';
import type { ForwardingSettingsResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { BearerTokenField } from './bearer-token-field';

/** Bounds of the API. */
const RETRY_HOURS = { min: 1, max: 72 };

/** The on switch, endpoint, authentication, erasures, retries and response bodies, saved together. */
export function ForwardingForm({
  projectId,
  settings,
}: {
  projectId: string;
  settings: ForwardingSettingsResponse;
}) {
  const form = useForm({
    initialValues: {
      enabled: settings.enabled,
      endpointUrl: settings.endpointUrl ?? '',
      authMode: settings.authMode,
      forwardErasures: settings.forwardErasures,
      retryFailures: settings.retryFailures,
      keepResponseBodies: settings.keepResponseBodies,
      bearerToken: '',
    },
  });
  const { enabled, endpointUrl, authMode, forwardErasures, retryFailures, keepResponseBodies } = form.values;
  const token = form.values.bearerToken;
  const [basedOn, setBasedOn] = useState(() => etagFor(`${projectId}/forwarding`));
  const path = { projectId };
  const save = useApiMutation({
    form,
    request: async () =>
      (
        await forwardingSave({
          path,
          headers: ifMatch(basedOn),
          body: {
            enabled,
            endpointUrl: endpointUrl.trim() || null,
            authMode,
            allowCustomEndpoint: settings.allowCustomEndpoint,
            forwardErasures,
            retryFailures,
            keepResponseBodies,
            // Omitting it keeps the stored token.
            ...(token !== '' && { bearerToken: token }),
          },
        })
      ).data,
    successMessage: t('shared.saved'),
    invalidates: ['projectRead'],
    onSuccess: (saved) => {
      form.setFieldValue('bearerToken', '');
      setBasedOn(etagFor(`${projectId}/forwarding`));
      generate.reset();
      queryClient.setQueryData(forwardingReadOptions({ path }).queryKey, saved);
    },
  });
  const generate = useApiMutation({
    request: async () => (await forwardingMakeToken({ path })).data,
    onSuccess: ({ bearerToken }) => form.setFieldValue('bearerToken', bearerToken),
    notifiesError: true,
  });
  return (
    <form onSubmit={form.onSubmit(() => save.mutate(undefined))}>
      <Stack gap="md" maw={620}>
        <Switch label={t('forwarding.enabled')} {...form.getInputProps('enabled', { type: 'checkbox' })} />
        <TextInput
          label={t('forwarding.endpoint')}
          description={t('forwarding.endpointHint')}
          placeholder="https://consents.example.com/hook"
          type="url"
          inputMode="url"
          required={enabled}
          {...form.getInputProps('endpointUrl')}
        />
        <Radio.Group label={t('forwarding.authMode')} {...form.getInputProps('authMode')}>
          <Group mt={4}>
            <Radio value="bearer" label={t('forwarding.bearer')} />
            <Radio value="none" label={t('forwarding.noAuth')} />
          </Group>
        </Radio.Group>
        {authMode === 'none' ? (
          <Alert color="yellow" variant="outline" role="note">
            <Text>{t('forwarding.noAuthWarning')}</Text>
          </Alert>
        ) : (
          <BearerTokenField
            settings={settings}
            inputProps={form.getInputProps('bearerToken')}
            token={token}
            generatedToken={generate.data?.bearerToken}
            isGenerating={generate.isPending}
            onGenerate={() => generate.mutate(undefined)}
          />
        )}
        <Switch
          label={t('forwarding.forwardErasures')}
          description={t('forwarding.forwardErasuresHint')}
          {...form.getInputProps('forwardErasures', { type: 'checkbox' })}
        />
        <Switch
          label={t('forwarding.retryFailures')}
          description={t('forwarding.retryFailuresHint')}
          {...form.getInputProps('retryFailures.enabled', { type: 'checkbox' })}
        />
        {retryFailures.enabled && (
          <TextInput
            label={t('forwarding.retryHours')}
            description={t('forwarding.retryHoursHint')}
            type="number"
            min={RETRY_HOURS.min}
            max={RETRY_HOURS.max}
            required
            maw={260}
            {...form.getInputProps('retryFailures.hours')}
            value={Number.isNaN(retryFailures.hours) ? '' : retryFailures.hours}
            onChange={({ currentTarget }) =>
              form.setFieldValue('retryFailures.hours', currentTarget.valueAsNumber)
            }
          />
        )}
        <Switch
          label={t('forwarding.keepResponseBodies')}
          description={t('forwarding.keepResponseBodiesHint')}
          {...form.getInputProps('keepResponseBodies', { type: 'checkbox' })}
        />
        <ProblemAlert error={save.error} />
        <div>
          <Button type="submit" loading={save.isPending}>
            {t('shared.save')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
