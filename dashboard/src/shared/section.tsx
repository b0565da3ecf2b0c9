import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Section({
  title,
  text,
  id,
  children,
}: {
  title: string;
  text?: string;
  /** By which the page's address may lead to it. */
  id?: string;
  children: ReactNode;
}) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title} id={id}>
      <Stack gap="sm">
        <div>
          <Title order={2}>{title}</Title>
          {text && (
            <Text c="dimmed" mt={4}>
              {text}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  );
}
