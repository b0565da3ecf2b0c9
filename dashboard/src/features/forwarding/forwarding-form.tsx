import { Alert, Button, Group, PasswordInput, Radio, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, etagFor } from '../../api/etags';
import { forwardingReadOptions } from '../../client/@tanstack/react-query.gen';
import { forwardingMakeToken, forwardingSave } from '../../client/sdk.gen';
import type { ForwardingSettingsDto } from '../../client/types.gen';
import { CopyableCode } from '../../shared/copyable-code';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';

/** Switch, endpoint, authentication mode, token and word of erasures, saved together. */
export function ForwardingForm({
  projectId,
  settings,
}: {
  projectId: string;
  settings: ForwardingSettingsDto;
}) {
  const form = useForm({
    initialValues: {
      enabled: settings.enabled,
      endpointUrl: settings.endpointUrl ?? '',
      authMode: settings.authMode,
      forwardErasures: settings.forwardErasures,
      bearerToken: '',
    },
  });
  const { enabled, endpointUrl, authMode, forwardErasures, bearerToken: token } = form.values;
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
            // Absent keeps the stored one.
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
          <Stack gap="xs">
            <StatusLabel status={settings.tokenConfigured ? 'good' : 'waiting'}>
              {settings.tokenConfigured ? (
                <span>
                  {t('forwarding.tokenSince')}{' '}
                  {settings.tokenUpdatedAt && <AbsoluteTime at={settings.tokenUpdatedAt} />}
                </span>
              ) : (
                t('forwarding.noToken')
              )}
            </StatusLabel>
            <Group align="flex-end" gap="xs" wrap="nowrap">
              <PasswordInput
                style={{ flex: 1 }}
                label={t('forwarding.token')}
                description={t('forwarding.tokenHint')}
                autoComplete="off"
                {...form.getInputProps('bearerToken')}
                visibilityToggleFocusable
                visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
              />
              <Button
                variant="default"
                size="sm"
                loading={generate.isPending}
                onClick={() => generate.mutate(undefined)}
              >
                {t('forwarding.generate')}
              </Button>
            </Group>
            {generate.data && token === generate.data.bearerToken && (
              <Stack gap={4} role="status">
                <Text>{t('forwarding.tokenOnce')}</Text>
                <CopyableCode text={token} label={t('forwarding.token')} />
              </Stack>
            )}
          </Stack>
        )}
        <Switch
          label={t('forwarding.forwardErasures')}
          description={t('forwarding.forwardErasuresHint')}
          {...form.getInputProps('forwardErasures', { type: 'checkbox' })}
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
