import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Section({
  title,
  text,
  id,
  mark,
  aside,
  className,
  children,
}: {
  title: string;
  text?: string;
  /** By which the page's address may lead to it. */
  id?: string;
  /** Right behind the title, such as a pill. */
  mark?: ReactNode;
  /** Beside the title: a state, a switch, a link to more. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} id={id} className={className}>
      <Stack gap="sm" className="section-body">
        <Group className="section-head" justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <div>
            <Group gap="xs">
              <Title order={2}>{title}</Title>
              {mark}
            </Group>
            {text && (
              <Text c="dimmed" mt={4}>
                {text}
              </Text>
            )}
          </div>
          {aside}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
