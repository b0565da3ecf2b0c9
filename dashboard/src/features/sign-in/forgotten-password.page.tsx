import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { accountForgotPassword } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { CheckMail } from './check-mail';
import { Doorway } from './doorway';

export function ForgottenPasswordPage() {
  const [email, setEmail] = useState('');
  const act = useAct({ run: async () => (await accountForgotPassword({ body: { email } })).data });
  return (
    <Doorway title={t('forgotPassword.title')}>
      {act.result ? (
        <CheckMail email={email} text={t('forgotPassword.checkMailText')} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            act.run(undefined);
          }}
        >
          <Stack gap="sm">
            <Text>{t('forgotPassword.text')}</Text>
            <TextInput
              label={t('signIn.email')}
              type="email"
              name="email"
              autoComplete="username"
              required
              autoFocus
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={act.fields['email']}
            />
            <ProblemAlert error={act.error} />
            <Button type="submit" size="sm" loading={act.pending}>
              {t('forgotPassword.submit')}
            </Button>
          </Stack>
        </form>
      )}
      <AnchorLink to="/sign-in">{t('signIn.title')}</AnchorLink>
    </Doorway>
  );
}
