import { Alert, Button, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { accountConfirmNewEmail } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { Doorway } from './doorway';
import { EndedLink } from './ended-link';

const route = getRouteApi('/confirm-new-email');

/** Where the link of a change of address leads: the password proves that the mail went to who asked for it. */
export function ConfirmNewEmailPage() {
  const { token = '' } = route.useSearch();
  const [password, setPassword] = useState('');
  const act = useAct({
    run: async () => (await accountConfirmNewEmail({ body: { token, password } })).data,
  });
  return (
    <Doorway title={t('confirmNewEmail.title')}>
      {act.result ? (
        <>
          <Alert variant="outline" color="green" role="status">
            <Text>{t('confirmNewEmail.done')}</Text>
          </Alert>
          <AnchorLink to="/">{t('signIn.title')}</AnchorLink>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act.run(undefined);
          }}
        >
          <Stack gap="sm">
            <Text>{t('confirmNewEmail.text')}</Text>
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
              {t('confirmNewEmail.submit')}
            </Button>
          </Stack>
        </form>
      )}
    </Doorway>
  );
}
