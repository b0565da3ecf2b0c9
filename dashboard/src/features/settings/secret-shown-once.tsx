import { Stack, Text } from '@mantine/core';
import { CopyableCode } from '../../shared/copyable-code';
import { t } from '../../i18n/i18n';

/** A newly created key: it cannot be shown again. */
export function SecretShownOnce({ name, apiKey }: { name: string; apiKey: string }) {
  return (
    <Stack gap={4} role="status">
      <Text fw={600}>{t('apiKeys.copyNow', { name })}</Text>
      <CopyableCode text={apiKey} label={t('apiKeys.key')} />
    </Stack>
  );
}
