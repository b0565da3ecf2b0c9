import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem';
import { meDelete } from '../../client/sdk.gen';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useSignedOut } from '../../shared/use-signed-out';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';

/** Deletes the account once its address is typed and the password given; leads to signing in. */
export function DeleteAccount({ email }: { email: string }) {
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const mutation = useApiMutation({
    request: () => meDelete({ body: { password } }),
    successMessage: t('account.deleted'),
    onSuccess: useSignedOut(),
  });
  const projects = mutation.error instanceof ApiProblem ? mutation.error.members['projects'] : undefined;
  const lastOwnerOf = Array.isArray(projects) ? (projects as string[]) : null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(undefined);
      }}
    >
      <Stack gap="sm" maw={420}>
        <TextInput
          label={t('shared.typeToConfirm', { name: email })}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <UsernameField email={email} />
        <PasswordField
          label={t('account.currentPassword')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={mutation.fieldErrors['password']}
        />
        {lastOwnerOf ? (
          <Alert variant="outline" color="red" role="alert">
            <Text>{t('account.lastOwner', { projects: lastOwnerOf.join(', ') })}</Text>
          </Alert>
        ) : (
          <ProblemAlert error={mutation.error} />
        )}
        <div>
          <Button type="submit" color="red" disabled={typed !== email} loading={mutation.isPending}>
            {t('account.delete')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
