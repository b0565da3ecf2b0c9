import { Stack, Text } from '@mantine/core';
import { CopyLine } from '../../shared/copy-line';
import { t } from '../../i18n/i18n';

/** A newly created key: it cannot be shown again. */
export function KeyOnce({ name, apiKey }: { name: string; apiKey: string }) {
  return (
    <Stack gap={4} role="status">
      <Text fw={600}>{t('apiKeys.copyNow', { name })}</Text>
      <CopyLine text={apiKey} label={t('apiKeys.key')} />
    </Stack>
  );
}
