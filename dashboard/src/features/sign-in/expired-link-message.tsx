import { Text } from '@mantine/core';
import { t } from '../../i18n/i18n';

/** Shown where the address has no token: to the person this is an expired link. */
export function ExpiredLinkMessage({ shown }: { shown: unknown }) {
  if (!shown) return null;
  return (
    <Text c="var(--mantine-color-error)" role="alert">
      {t('problems.link_ended')}
    </Text>
  );
}
