import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { authChangeEmail } from '../../client/sdk.gen';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { WhosePassword } from '../../shared/whose-password';
import { t } from '../../i18n/i18n';

/** Asks for another address; it changes once the link in its mail is followed. */
export function EmailForm({ email }: { email: string }) {
  const [newEmail, setNewEmail] = useState('');
  const [password, setPassword] = useState('');
  const act = useAct({
    run: async () => (await authChangeEmail({ body: { newEmail, password } })).data,
    then: () => setPassword(''),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
      }}
    >
      <Stack gap="sm" maw={420}>
        <TextInput
          label={t('account.newEmail')}
          type="email"
          autoComplete="off"
          required
          value={newEmail}
          onChange={(event) => setNewEmail(event.currentTarget.value)}
          error={act.fields['newEmail']}
        />
        <WhosePassword email={email} />
        <PasswordField
          label={t('account.currentPassword')}
          value={password}
          onChange={setPassword}
          error={act.fields['password']}
        />
        <ProblemAlert error={act.error} />
        {act.result && (
          <Alert variant="outline" color="green" role="status">
            <Text>{t('account.emailRequested')}</Text>
          </Alert>
        )}
        <div>
          <Button type="submit" variant="default" loading={act.pending}>
            {t('account.changeEmail')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
