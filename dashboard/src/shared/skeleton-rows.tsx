import { Skeleton, Stack } from '@mantine/core';
import { t } from '../i18n/i18n';

export const ROW_HEIGHT = 36;

export function SkeletonRows({ rows }: { rows: number }) {
  return (
    <Stack gap={4} aria-busy="true" aria-label={t('list.loading')} role="status">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={ROW_HEIGHT - 4} />
      ))}
    </Stack>
  );
}
