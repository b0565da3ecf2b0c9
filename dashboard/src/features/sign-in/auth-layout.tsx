import { Anchor, Container, Group, Paper, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { chooseLanguage, LANGUAGES, type Language } from '../../i18n/locale';
import { locale, t } from '../../i18n/i18n';

/** The frame of the pages ahead of signing in. */
export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${t('shell.product')}`;
  }, [title]);
  return (
    <Container size={420} py={64} component="main">
      <Paper withBorder p="lg">
        <Stack gap="md">
          <Title order={1}>{title}</Title>
          {children}
        </Stack>
      </Paper>
      <Languages />
    </Container>
  );
}

/** Who is not signed in has no menu, so the languages stand below; the one that is read is left out. */
function Languages() {
  const others = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== locale);
  return (
    <Group component="nav" aria-label={t('shell.language')} justify="center" mt="md">
      {others.map((language) => (
        <Anchor
          key={language}
          component="button"
          size="sm"
          lang={language}
          onClick={() => chooseLanguage(language)}
        >
          {LANGUAGES[language]}
        </Anchor>
      ))}
    </Group>
  );
}
