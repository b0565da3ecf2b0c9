import { Alert, Button, Group, PasswordInput, Radio, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { queryClient } from '../../api/query-client';
import { ifMatch, tagOf } from '../../api/tags';
import { forwardingReadOptions } from '../../client/@tanstack/react-query.gen';
import { forwardingMakeToken, forwardingSave } from '../../client/sdk.gen';
import type { ForwardingSettingsDto } from '../../client/types.gen';
import { CopyLine } from '../../shared/copy-line';
import { ProblemAlert } from '../../shared/problem-alert';
import { State } from '../../shared/state';
import { useAct } from '../../shared/use-act';
import { Instant } from '../../shared/when';
import { t } from '../../i18n/i18n';

/** Switch, endpoint, authentication mode, token and word of erasures, saved together. */
export function ForwardingForm({
  projectId,
  settings,
}: {
  projectId: string;
  settings: ForwardingSettingsDto;
}) {
  const [enabled, setEnabled] = useState(settings.enabled);
  const [endpointUrl, setEndpointUrl] = useState(settings.endpointUrl ?? '');
  const [authMode, setAuthMode] = useState(settings.authMode);
  const [forwardErasures, setForwardErasures] = useState(settings.forwardErasures);
  const [token, setToken] = useState('');
  const [basedOn, setBasedOn] = useState(() => tagOf(`${projectId}/forwarding`));
  const path = { projectId };
  const save = useAct({
    run: async () =>
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
    done: t('shared.saved'),
    refreshes: ['projectRead'],
    then: (saved) => {
      setToken('');
      setBasedOn(tagOf(`${projectId}/forwarding`));
      generate.reset();
      queryClient.setQueryData(forwardingReadOptions({ path }).queryKey, saved);
    },
  });
  const generate = useAct({
    run: async () => (await forwardingMakeToken({ path })).data,
    then: ({ bearerToken }) => setToken(bearerToken),
    tellsFailure: true,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.run(undefined);
      }}
    >
      <Stack gap="md" maw={620}>
        <Switch
          label={t('forwarding.enabled')}
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
          error={save.fields['enabled']}
        />
        <TextInput
          label={t('forwarding.endpoint')}
          description={t('forwarding.endpointHint')}
          placeholder="https://consents.example.com/hook"
          type="url"
          inputMode="url"
          required={enabled}
          value={endpointUrl}
          onChange={(event) => setEndpointUrl(event.currentTarget.value)}
          error={save.fields['endpointUrl']}
        />
        <Radio.Group
          label={t('forwarding.authMode')}
          value={authMode}
          onChange={(value) => setAuthMode(value as typeof authMode)}
          error={save.fields['authMode']}
        >
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
            <State is={settings.tokenConfigured ? 'good' : 'waiting'}>
              {settings.tokenConfigured ? (
                <span>
                  {t('forwarding.tokenSince')}{' '}
                  {settings.tokenUpdatedAt && <Instant at={settings.tokenUpdatedAt} />}
                </span>
              ) : (
                t('forwarding.noToken')
              )}
            </State>
            <Group align="flex-end" gap="xs" wrap="nowrap">
              <PasswordInput
                style={{ flex: 1 }}
                label={t('forwarding.token')}
                description={t('forwarding.tokenHint')}
                autoComplete="off"
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
                error={save.fields['bearerToken']}
                visibilityToggleFocusable
                visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
              />
              <Button
                variant="default"
                size="sm"
                loading={generate.pending}
                onClick={() => generate.run(undefined)}
              >
                {t('forwarding.generate')}
              </Button>
            </Group>
            {generate.result && token === generate.result.bearerToken && (
              <Stack gap={4} role="status">
                <Text>{t('forwarding.tokenOnce')}</Text>
                <CopyLine text={token} label={t('forwarding.token')} />
              </Stack>
            )}
          </Stack>
        )}
        <Switch
          label={t('forwarding.forwardErasures')}
          description={t('forwarding.forwardErasuresHint')}
          checked={forwardErasures}
          onChange={(event) => setForwardErasures(event.currentTarget.checked)}
        />
        <ProblemAlert error={save.error} />
        <div>
          <Button type="submit" loading={save.pending}>
            {t('shared.save')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
