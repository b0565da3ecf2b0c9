import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authSessionOptions } from '../../client/@tanstack/react-query.gen';
import { authChangePassword } from '../../client/sdk.gen';
import { Page } from '../../shared/page';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useAct } from '../../shared/use-act';
import { t } from '../../texts/texts';

export function AccountPage() {
  const { data: session } = useQuery(authSessionOptions());
  return (
    <Page title={t.pages.account}>
      <Section title={t.account.person}>
        <dl className="facts">
          <dt>{t.signUp.name}</dt>
          <dd>{session?.user.name}</dd>
          <dt>{t.signIn.email}</dt>
          <dd>{session?.user.email}</dd>
        </dl>
      </Section>
      <Section title={t.account.password} text={t.account.passwordText}>
        <PasswordForm />
      </Section>
    </Page>
  );
}

function PasswordForm() {
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const act = useAct({
    run: async () => (await authChangePassword({ body: { currentPassword, newPassword } })).data,
    done: t.account.passwordChanged,
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
        <PasswordField
          label={t.account.currentPassword}
          value={currentPassword}
          onChange={setCurrent}
          error={act.fields['currentPassword']}
        />
        <PasswordField
          label={t.account.newPassword}
          chosen
          value={newPassword}
          onChange={setNew}
          error={act.fields['newPassword']}
        />
        <ProblemAlert error={act.error} />
        <div>
          <Button type="submit" loading={act.pending}>
            {t.account.changePassword}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
