import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { secondFactorConfirm } from '../../client/sdk.gen';
import { CopyableCode } from '../../shared/copyable-code';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

const QR_PIXELS = 192;

/** The secret for an authenticator, as a picture and in letters, and the field for the first code of it. */
export function AuthenticatorSetup({ totpUri }: { totpUri: string }) {
  const [code, setCode] = useState('');
  const picture = useQuery({
    queryKey: ['qr', totpUri],
    queryFn: async () => (await import('uqr')).renderSVG(totpUri, { border: 2 }),
    gcTime: 0,
  });
  const mutation = useApiMutation({
    request: async () => (await secondFactorConfirm({ body: { code: code.trim() } })).data,
    successMessage: t('account.secondFactorTurnedOn'),
    invalidates: ['meMe', 'sessionList'],
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(undefined);
      }}
    >
      <Stack gap="sm" maw={420}>
        <Text>{t('account.scan')}</Text>
        {picture.data && (
          <img
            src={`data:image/svg+xml,${encodeURIComponent(picture.data)}`}
            alt={t('account.qrCode')}
            width={QR_PIXELS}
            height={QR_PIXELS}
          />
        )}
        <CopyableCode label={t('account.secret')} text={new URL(totpUri).searchParams.get('secret') ?? ''} />
        <TextInput
          label={t('signIn.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={mutation.fieldErrors['code']}
        />
        <ProblemAlert error={mutation.error} />
        <div>
          <Button type="submit" loading={mutation.isPending}>
            {t('account.confirmSecondFactor')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
