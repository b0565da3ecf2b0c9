import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { secondFactorBegin, secondFactorDisable, secondFactorRecoveryCodes } from '../../client/sdk.gen';
import { CopyableCode } from '../../shared/copyable-code';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';
import { AuthenticatorSetup } from './authenticator-setup';

/** Sets a second factor up, in two steps, or takes it away; each begins with the password. */
export function SecondFactor({ email, enabled }: { email: string; enabled: boolean }) {
  const [password, setPassword] = useState('');
  const forgetPassword = (): void => setPassword('');
  const begin = useApiMutation({
    request: async () => (await secondFactorBegin({ body: { password } })).data,
    onSuccess: forgetPassword,
  });
  const disable = useApiMutation({
    request: async () => (await secondFactorDisable({ body: { password } })).data,
    successMessage: t('account.secondFactorTurnedOff'),
    invalidates: ['meMe', 'sessionList'],
    onSuccess: () => {
      forgetPassword();
      begin.reset();
      codes.reset();
    },
  });
  const codes = useApiMutation({
    request: async () => (await secondFactorRecoveryCodes({ body: { password } })).data,
    onSuccess: forgetPassword,
  });
  const recoveryCodes = codes.data?.recoveryCodes ?? begin.data?.recoveryCodes;
  return (
    <Stack gap="sm">
      <Text>{enabled ? t('account.secondFactorOn') : t('account.secondFactorOff')}</Text>
      {begin.data && !enabled ? (
        <AuthenticatorSetup totpUri={begin.data.totpUri} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            (enabled ? codes : begin).mutate(undefined);
          }}
        >
          <Stack gap="sm" maw={420}>
            <UsernameField email={email} />
            <PasswordField
              label={t('account.currentPassword')}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <ProblemAlert error={begin.error ?? disable.error ?? codes.error} />
            <Group>
              <Button type="submit" variant="default" loading={begin.isPending || codes.isPending}>
                {enabled ? t('account.newRecoveryCodes') : t('account.turnOn')}
              </Button>
              {enabled && (
                <Button
                  variant="default"
                  disabled={password === ''}
                  loading={disable.isPending}
                  onClick={() => disable.mutate(undefined)}
                >
                  {t('account.turnOff')}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      )}
      {recoveryCodes && (
        <Alert variant="outline" title={t('account.recoveryCodes')}>
          <Text mb="xs">{t('account.recoveryText')}</Text>
          <CopyableCode label={t('account.recoveryCodes')} text={recoveryCodes.join('\n')} />
        </Alert>
      )}
    </Stack>
  );
}
