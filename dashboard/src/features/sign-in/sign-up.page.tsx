import { Button, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { accountSignUp } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { CheckInbox } from './check-inbox';
import { AuthLayout } from './auth-layout';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const { to } = route.useSearch();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const mutation = useApiMutation({
    request: async () =>
      (await accountSignUp({ body: { email, password, ...(name.trim() && { name: name.trim() }) } })).data,
  });
  return (
    <AuthLayout title={t('signUp.title')}>
      {mutation.data ? (
        <CheckInbox email={email} text={t('signUp.checkMailText')} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            mutation.mutate(undefined);
          }}
        >
          <Stack gap="sm">
            <TextInput
              label={t('signUp.name')}
              description={t('signUp.nameHint')}
              name="name"
              autoComplete="name"
              autoFocus
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={mutation.fieldErrors['name']}
            />
            <TextInput
              label={t('signIn.email')}
              type="email"
              name="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={mutation.fieldErrors['email']}
            />
            <PasswordField
              label={t('signIn.password')}
              chosen
              value={password}
              onChange={setPassword}
              error={mutation.fieldErrors['password']}
            />
            <ProblemAlert error={mutation.error} />
            <Button type="submit" size="sm" loading={mutation.isPending}>
              {t('signUp.submit')}
            </Button>
          </Stack>
        </form>
      )}
      <Text>
        {t('signUp.haveAccount')}{' '}
        <AnchorLink to="/sign-in" search={to === undefined ? {} : { to }}>
          {t('signIn.title')}
        </AnchorLink>
      </Text>
    </AuthLayout>
  );
}
