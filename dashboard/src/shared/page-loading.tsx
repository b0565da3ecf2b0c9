import { Group, Skeleton, Stack } from '@mantine/core';
import { SkeletonRows } from './skeleton-rows';

const ROWS = 10;

/** Placeholder of a page until its first responses arrive: a heading with its action, and a list. */
export function PageLoading() {
  return (
    <Stack gap="md">
      <Group justify="space-between" mih={32}>
        <Skeleton height={20} width={160} />
        <Skeleton height={32} width={120} radius="md" />
      </Group>
      <div className="card page-loading">
        <SkeletonRows rows={ROWS} />
      </div>
    </Stack>
  );
}
