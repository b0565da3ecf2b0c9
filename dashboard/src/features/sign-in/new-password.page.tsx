import { Alert, Button, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { accountResetPassword } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { Doorway } from './doorway';
import { EndedLink } from './ended-link';

const route = getRouteApi('/new-password');

/** Where the link of a forgotten password leads. It opens no session: signing in comes next. */
export function NewPasswordPage() {
  const { token = '' } = route.useSearch();
  const [newPassword, setNewPassword] = useState('');
  const act = useAct({
    run: async () => (await accountResetPassword({ body: { token, newPassword } })).data,
  });
  return (
    <Doorway title={t('newPassword.title')}>
      {act.result ? (
        <>
          <Alert variant="outline" color="green" role="status">
            <Text>{t('newPassword.done')}</Text>
          </Alert>
          <AnchorLink to="/sign-in">{t('signIn.title')}</AnchorLink>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act.run(undefined);
          }}
        >
          <Stack gap="sm">
            <PasswordField
              label={t('account.newPassword')}
              chosen
              autoFocus
              value={newPassword}
              onChange={setNewPassword}
              error={act.fields['newPassword']}
            />
            <EndedLink shown={act.fields['token']} />
            <ProblemAlert error={act.error} />
            <Button type="submit" size="sm" loading={act.pending}>
              {t('newPassword.submit')}
            </Button>
            <AnchorLink to="/forgotten-password">{t('forgotPassword.title')}</AnchorLink>
          </Stack>
        </form>
      )}
    </Doorway>
  );
}
