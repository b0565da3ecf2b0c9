import { Button, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { accountConfirmEmail } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { Doorway } from './doorway';
import { EndedLink } from './ended-link';
import { useEnter } from './enter';

const route = getRouteApi('/confirm-email');

/** Where the link of a sign-up's mail leads: the password that was chosen there proves whose sign-up it is. */
export function ConfirmEmailPage() {
  const { token = '' } = route.useSearch();
  const [password, setPassword] = useState('');
  const enter = useEnter(undefined);
  const act = useAct({
    run: async () => (await accountConfirmEmail({ body: { token, password } })).data,
    then: () => void enter(),
  });
  return (
    <Doorway title={t('confirmEmail.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act.run(undefined);
        }}
      >
        <Stack gap="sm">
          <Text>{t('confirmEmail.text')}</Text>
          <PasswordField
            label={t('signIn.password')}
            autoFocus
            value={password}
            onChange={setPassword}
            error={act.fields['password']}
          />
          <EndedLink shown={act.fields['token']} />
          <ProblemAlert error={act.error} />
          <Button type="submit" size="sm" loading={act.pending}>
            {t('confirmEmail.submit')}
          </Button>
        </Stack>
      </form>
      <Text>
        {t('confirmEmail.expired')} <AnchorLink to="/sign-up">{t('signUp.title')}</AnchorLink>
      </Text>
    </Doorway>
  );
}
