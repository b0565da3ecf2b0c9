import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { formatNumber } from './format';
import { BRAND } from '../../../src/platform/identity/brand.js';

/** A page's heading with its acts, and the title of the window. */
export function Page({
  title,
  count,
  status,
  above,
  subtitle,
  actions: acts,
  children,
}: {
  title: string;
  /** Number of items that the title names. */
  count?: number | undefined;
  /** Beside the title. */
  status?: ReactNode;
  /** The way back, above the title. */
  above?: ReactNode;
  /** One line below the title. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · ${BRAND}`;
  }, [title]);
  return (
    <Stack gap="md">
      <Group justify="space-between" mih={32}>
        <div>
          {above}
          <Group gap="xs">
            <Title order={1}>{title}</Title>
            {count !== undefined && <span className="pill">{formatNumber(count)}</span>}
            {status}
          </Group>
          {subtitle && <Text c="dimmed">{subtitle}</Text>}
        </div>
        {acts && <Group gap="xs">{acts}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
