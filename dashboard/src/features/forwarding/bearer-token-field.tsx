import { Button, Group, PasswordInput, type PasswordInputProps, Stack, Text } from '@mantine/core';
import type { ForwardingSettingsResponse } from '../../client/types.gen';
import { CopyableCode } from '../../shared/copyable-code';
import { StatusLabel } from '../../shared/status-label';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';

/** The bearer token: typed, or generated and shown until it is saved. */
export function BearerTokenField({
  settings,
  inputProps,
  token,
  generatedToken,
  isGenerating,
  onGenerate,
}: {
  settings: ForwardingSettingsResponse;
  inputProps: PasswordInputProps;
  token: string;
  generatedToken: string | undefined;
  isGenerating: boolean;
  onGenerate: () => void;
}) {
  return (
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
          {...inputProps}
          visibilityToggleFocusable
          visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
        />
        <Button variant="default" size="sm" loading={isGenerating} onClick={onGenerate}>
          {t('forwarding.generate')}
        </Button>
      </Group>
      {generatedToken !== undefined && token === generatedToken && (
        <Stack gap={4} role="status">
          <Text>{t('forwarding.tokenOnce')}</Text>
          <CopyableCode text={token} label={t('forwarding.token')} />
        </Stack>
      )}
    </Stack>
  );
}
