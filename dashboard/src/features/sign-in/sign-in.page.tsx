import { Button, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { authSignIn } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { Doorway } from './doorway';
import { useEnter } from './enter';
import { SecondStep } from './second-step';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { to } = route.useSearch();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const enter = useEnter(to);
  const act = useAct({
    run: async () => (await authSignIn({ body: { email, password } })).data,
    then: (answer) => {
      if (!('secondFactorRequired' in answer)) void enter();
    },
  });
  if (act.result && 'secondFactorRequired' in act.result) {
    return (
      <Doorway title={t('signIn.title')}>
        <SecondStep then={() => void enter()} />
      </Doorway>
    );
  }
  return (
    <Doorway title={t('signIn.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act.run(undefined);
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={t('signIn.email')}
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            error={act.fields['email']}
          />
          <PasswordField
            label={t('signIn.password')}
            value={password}
            onChange={setPassword}
            error={act.fields['password']}
          />
          <ProblemAlert error={act.error} />
          <Button type="submit" size="sm" loading={act.pending}>
            {t('signIn.submit')}
          </Button>
        </Stack>
      </form>
      <AnchorLink to="/forgotten-password">{t('forgotPassword.title')}</AnchorLink>
      <Text>
        {t('signIn.noAccount')}{' '}
        <AnchorLink to="/sign-up" search={to === undefined ? {} : { to }}>
          {t('signUp.title')}
        </AnchorLink>
      </Text>
    </Doorway>
  );
}
