import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { secondFactorSignIn } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';

const SIX_DIGITS = /^\d{6}$/;

/** What is asked for after the password: a code of the authenticator, or one of the recovery codes. */
export function SecondStep({ then }: { then: () => void }) {
  const [given, setGiven] = useState('');
  const act = useAct({
    run: async () => {
      const text = given.trim();
      const body = SIX_DIGITS.test(text) ? { code: text } : { recoveryCode: text };
      return (await secondFactorSignIn({ body })).data;
    },
    then,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
      }}
    >
      <Stack gap="sm">
        <Text>{t('signIn.codeText')}</Text>
        <TextInput
          label={t('signIn.code')}
          name="code"
          autoComplete="one-time-code"
          required
          autoFocus
          value={given}
          onChange={(event) => setGiven(event.currentTarget.value)}
          error={act.fields['code'] ?? (act.fields['recoveryCode'] && t('signIn.codeMalformed'))}
        />
        <ProblemAlert error={act.error} />
        <Button type="submit" size="sm" loading={act.pending}>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}
