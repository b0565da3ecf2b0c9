import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { secondFactorBegin, secondFactorDisable, secondFactorRecoveryCodes } from '../../client/sdk.gen';
import { CopyLine } from '../../shared/copy-line';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { WhosePassword } from '../../shared/whose-password';
import { t } from '../../i18n/i18n';
import { ShowCode } from './show-code';

/** Sets a second factor up, in two steps, or takes it away; each begins with the password. */
export function SecondFactor({ email, enabled }: { email: string; enabled: boolean }) {
  const [password, setPassword] = useState('');
  const forgetPassword = (): void => setPassword('');
  const begin = useAct({
    run: async () => (await secondFactorBegin({ body: { password } })).data,
    then: forgetPassword,
  });
  const disable = useAct({
    run: async () => (await secondFactorDisable({ body: { password } })).data,
    done: t('account.secondFactorTurnedOff'),
    refreshes: ['meMe', 'sessionList'],
    then: () => {
      forgetPassword();
      begin.reset();
      codes.reset();
    },
  });
  const codes = useAct({
    run: async () => (await secondFactorRecoveryCodes({ body: { password } })).data,
    then: forgetPassword,
  });
  const recoveryCodes = codes.result?.recoveryCodes ?? begin.result?.recoveryCodes;
  return (
    <Stack gap="sm">
      <Text>{enabled ? t('account.secondFactorOn') : t('account.secondFactorOff')}</Text>
      {begin.result && !enabled ? (
        <ShowCode totpUri={begin.result.totpUri} />
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            (enabled ? codes : begin).run(undefined);
          }}
        >
          <Stack gap="sm" maw={420}>
            <WhosePassword email={email} />
            <PasswordField label={t('account.currentPassword')} value={password} onChange={setPassword} />
            <ProblemAlert error={begin.error ?? disable.error ?? codes.error} />
            <Group>
              <Button type="submit" variant="default" loading={begin.pending || codes.pending}>
                {enabled ? t('account.newRecoveryCodes') : t('account.turnOn')}
              </Button>
              {enabled && (
                <Button
                  variant="default"
                  disabled={password === ''}
                  loading={disable.pending}
                  onClick={() => disable.run(undefined)}
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
          <CopyLine label={t('account.recoveryCodes')} text={recoveryCodes.join('\n')} />
        </Alert>
      )}
    </Stack>
  );
}
