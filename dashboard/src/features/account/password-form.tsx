import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { authChangePassword } from '../../client/sdk.gen';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { WhosePassword } from '../../shared/whose-password';
import { t } from '../../i18n/i18n';

export function PasswordForm({ email }: { email: string }) {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const act = useAct({
    run: async () => (await authChangePassword({ body: { currentPassword, newPassword } })).data,
    done: t('account.passwordChanged'),
    refreshes: ['sessionList'],
    then: () => {
      setCurrent('');
      setNew('');
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
      }}
    >
      <Stack gap="sm" maw={420}>
        <WhosePassword email={email} />
        <PasswordField
          label={t('account.currentPassword')}
          value={currentPassword}
          onChange={setCurrent}
          error={act.fields['currentPassword']}
        />
        <PasswordField
          label={t('account.newPassword')}
          chosen
          value={newPassword}
          onChange={setNew}
          error={act.fields['newPassword']}
        />
        <ProblemAlert error={act.error} />
        <div>
          <Button type="submit" loading={act.pending}>
            {t('account.changePassword')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
