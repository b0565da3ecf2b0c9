import { Anchor, Button, Container, Group, Stack, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { ApiProblem } from '../api/problem';
import { errorMessage } from '../shared/error-message';
import { Wordmark } from '../shared/wordmark';
import { t } from '../i18n/i18n';

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <main className="not-found">
      <Wordmark size="large" />
      <Title order={1}>{t('failures.notFound')}</Title>
      <Text c="dimmed">{t('failures.notFoundText')}</Text>
      <Button component={Link} to="/">
        {t('failures.home')}
      </Button>
    </main>
  );
}

/** A page that could not be loaded, with the reason. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  const missing = error instanceof ApiProblem && error.status === 404;
  // The start leads to this project again; what helps is elsewhere.
  const needsFactor = error instanceof ApiProblem && error.code === 'second_factor_required';
  return (
    <Container size="sm" py="xl" component="main">
      <Stack gap="sm">
        <Title order={1}>{missing ? t('failures.notFound') : t('failures.failed')}</Title>
        <Text role="alert">{errorMessage(error)}</Text>
        <Group>
          {!missing && <Button onClick={() => void router.invalidate()}>{t('shared.tryAgain')}</Button>}
          {needsFactor ? (
            <Anchor component={Link} to="/account">
              {t('members.setUpOwnSecondFactor')}
            </Anchor>
          ) : (
            <Anchor component={Link} to="/">
              {t('failures.home')}
            </Anchor>
          )}
        </Group>
      </Stack>
    </Container>
  );
}
