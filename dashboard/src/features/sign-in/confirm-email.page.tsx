import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { accountConfirmEmail } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../texts/texts';
import { Doorway } from './doorway';
import { useEnter } from './enter';

/** Where the link of a sign-up's mail leads: the password that was chosen there proves whose sign-up it is. */
export function ConfirmEmailPage() {
  const { token = '' } = useSearch({ from: '/confirm-email' });
  const [password, setPassword] = useState('');
  const enter = useEnter(undefined);
  const act = useAct({
    run: async () => (await accountConfirmEmail({ body: { token, password } })).data,
    then: () => void enter(),
  });
  return (
    <Doorway title={t.confirmEmail.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          act.run(undefined);
        }}
      >
        <Stack gap="sm">
          <Text>{t.confirmEmail.text}</Text>
          <PasswordInput
            label={t.signIn.password}
            name="password"
            autoComplete="current-password"
            required
            autoFocus
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={act.fields['password']}
            visibilityToggleButtonProps={{ 'aria-label': t.signIn.showPassword }}
          />
          {act.fields['token'] && (
            <Text c="var(--mantine-color-error)" role="alert">
              {t.problems.link_ended}
            </Text>
          )}
          <ProblemAlert error={act.error} />
          <Button type="submit" size="sm" loading={act.pending}>
            {t.confirmEmail.act}
          </Button>
        </Stack>
      </form>
      <Text>
        {t.confirmEmail.again} <AnchorLink to="/sign-up">{t.signUp.title}</AnchorLink>
      </Text>
    </Doorway>
  );
}
