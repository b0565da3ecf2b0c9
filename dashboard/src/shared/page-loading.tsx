import { Skeleton, Stack } from '@mantine/core';
import { t } from '../i18n/i18n';

const ROWS = 12;

/** Placeholder of a page until its first responses arrive. */
export function PageLoading() {
  return (
    <Stack gap="md" aria-busy="true" aria-label={t('list.loading')} role="status">
      <Skeleton height={32} width={200} />
      {Array.from({ length: ROWS }, (_, row) => (
        <Skeleton key={row} height={32} />
      ))}
    </Stack>
  );
}
