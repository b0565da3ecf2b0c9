import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { t } from '../i18n/i18n';

/** A page's heading with its acts, and the title of the window. */
export function Page({
  title,
  actions: acts,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · ${t('shell.product')}`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" mih={32}>
        <Title order={1}>{title}</Title>
        {acts && <Group gap="xs">{acts}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
