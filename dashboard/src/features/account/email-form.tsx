import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { authChangeEmail } from '../../client/sdk.gen';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';

/** Asks for another address; it changes once the link in its mail is followed. */
export function EmailForm({ email }: { email: string }) {
  const [newEmail, setNewEmail] = useState('');
  const [password, setPassword] = useState('');
  const mutation = useApiMutation({
    request: async () => (await authChangeEmail({ body: { newEmail, password } })).data,
    onSuccess: () => setPassword(''),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(undefined);
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
          error={mutation.fieldErrors['newEmail']}
        />
        <UsernameField email={email} />
        <PasswordField
          label={t('account.currentPassword')}
          value={password}
          onChange={setPassword}
          error={mutation.fieldErrors['password']}
        />
        <ProblemAlert error={mutation.error} />
        {mutation.data && (
          <Alert variant="outline" color="green" role="status">
            <Text>{t('account.emailRequested')}</Text>
          </Alert>
        )}
        <div>
          <Button type="submit" variant="default" loading={mutation.isPending}>
            {t('account.changeEmail')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
