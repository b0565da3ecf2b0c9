import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { secondFactorSignIn } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

const SIX_DIGITS = /^\d{6}$/;

/**
 * The second step after the password: a code of the authenticator, or one of the recovery codes.
 */
export function TwoFactorStep({ then }: { then: () => void }) {
  const [given, setGiven] = useState('');
  const mutation = useApiMutation({
    request: async () => {
      const text = given.trim();
      const body = SIX_DIGITS.test(text) ? { code: text } : { recoveryCode: text };
      return (await secondFactorSignIn({ body })).data;
    },
    onSuccess: then,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(undefined);
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
          error={
            mutation.fieldErrors['code'] ??
            (mutation.fieldErrors['recoveryCode'] && t('signIn.codeMalformed'))
          }
        />
        <ProblemAlert error={mutation.error} />
        <Button type="submit" size="sm" loading={mutation.isPending}>
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  );
}
