import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { authChangePassword } from '../../client/sdk.gen';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';

export function PasswordForm({ email }: { email: string }) {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const mutation = useApiMutation({
    request: async () => (await authChangePassword({ body: { currentPassword, newPassword } })).data,
    successMessage: t('account.passwordChanged'),
    invalidates: ['sessionList'],
    onSuccess: () => {
      setCurrent('');
      setNew('');
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(undefined);
      }}
    >
      <Stack gap="sm" maw={420}>
        <UsernameField email={email} />
        <PasswordField
          label={t('account.currentPassword')}
          value={currentPassword}
          onChange={setCurrent}
          error={mutation.fieldErrors['currentPassword']}
        />
        <PasswordField
          label={t('account.newPassword')}
          chosen
          value={newPassword}
          onChange={setNew}
          error={mutation.fieldErrors['newPassword']}
        />
        <ProblemAlert error={mutation.error} />
        <div>
          <Button type="submit" loading={mutation.isPending}>
            {t('account.changePassword')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
