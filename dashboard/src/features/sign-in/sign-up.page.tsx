import { Button, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { accountSignUp } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { CheckMail } from './check-mail';
import { Doorway } from './doorway';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const { to } = route.useSearch();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const act = useAct({
    run: async () =>
      (await accountSignUp({ body: { email, password, ...(name.trim() && { name: name.trim() }) } })).data,
  });
  return (
    <Doorway title={t('signUp.title')}>
      {act.result ? (
        <CheckMail email={email} text={t('signUp.checkMailText')} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act.run(undefined);
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
              error={act.fields['name']}
            />
            <TextInput
              label={t('signIn.email')}
              type="email"
              name="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={act.fields['email']}
            />
            <PasswordField
              label={t('signIn.password')}
              chosen
              value={password}
              onChange={setPassword}
              error={act.fields['password']}
            />
            <ProblemAlert error={act.error} />
            <Button type="submit" size="sm" loading={act.pending}>
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
    </Doorway>
  );
}
