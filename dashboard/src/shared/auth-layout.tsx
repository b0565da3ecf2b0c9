import { Anchor, Group, Paper, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { BRAND } from '../../../src/platform/identity/brand.js';
import { chooseLanguage, LANGUAGES, type Language } from '../i18n/locale';
import { locale, t } from '../i18n/i18n';
import { cellName } from './environment';
import { Wordmark } from './wordmark';
import './auth-layout.css';

/** The frame of the pages ahead of signing in. */
export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${BRAND}`;
  }, [title]);
  return (
    <div className="auth">
      <header>
        <Wordmark size="large" />
        <p>{t('shell.tagline')}</p>
      </header>
      <main>
        <Paper withBorder p="lg" shadow="md">
          <Stack gap="md">
            <Title order={1}>{title}</Title>
            {children}
          </Stack>
        </Paper>
      </main>
      <footer>
        <Languages />
      </footer>
    </div>
  );
}

/** The other languages, because a visitor who is signed out has no account menu. */
function Languages() {
  const others = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== locale);
  return (
    <Group component="nav" aria-label={t('shell.language')} justify="center">
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
      {cellName() !== '' && (
        <Anchor href="/region?choose">{t('shell.region', { name: cellName().toUpperCase() })}</Anchor>
      )}
      <Anchor href="/docs">{t('shell.apiDocs')}</Anchor>
      <Anchor href="/pricing">{t('shell.pricing')}</Anchor>
    </Group>
  );
}
