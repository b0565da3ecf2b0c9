import { Container, Paper, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { t } from '../../texts/texts';

/** The frame of the pages ahead of signing in. */
export function Doorway({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${t.product}`;
  }, [title]);
  return (
    <Container size={420} py={64} component="main">
      <Paper withBorder p="lg">
        <Stack gap="md">
          <Title order={1}>{title}</Title>
          {children}
        </Stack>
      </Paper>
    </Container>
  );
}
