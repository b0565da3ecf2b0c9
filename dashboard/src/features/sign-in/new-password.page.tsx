import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { accountResetPassword } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../texts/texts';
import { Doorway } from './doorway';

/** Where the link of a forgotten password leads. It opens no session: signing in comes next. */
export function NewPasswordPage() {
  const { token = '' } = useSearch({ from: '/new-password' });
  const [newPassword, setNewPassword] = useState('');
  const act = useAct({
    run: async () => (await accountResetPassword({ body: { token, newPassword } })).data,
  });
  return (
    <Doorway title={t.newPassword.title}>
      {act.result ? (
        <>
          <Alert variant="outline" color="green" role="status">
            <Text>{t.newPassword.done}</Text>
          </Alert>
          <AnchorLink to="/sign-in">{t.signIn.title}</AnchorLink>
        </>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act.run(undefined);
          }}
        >
          <Stack gap="sm">
            <PasswordInput
              label={t.account.newPassword}
              description={t.signUp.passwordHint}
              name="password"
              autoComplete="new-password"
              required
              minLength={8}
              autoFocus
              value={newPassword}
              onChange={(event) => setNewPassword(event.currentTarget.value)}
              error={act.fields['newPassword']}
              visibilityToggleButtonProps={{ 'aria-label': t.signIn.showPassword }}
            />
            {act.fields['token'] && (
              <Text c="var(--mantine-color-error)" role="alert">
                {t.problems.link_ended}
              </Text>
            )}
            <ProblemAlert error={act.error} />
            <Button type="submit" size="sm" loading={act.pending}>
              {t.newPassword.act}
            </Button>
            <AnchorLink to="/forgotten-password">{t.forgotten.title}</AnchorLink>
          </Stack>
        </form>
      )}
    </Doorway>
  );
}
