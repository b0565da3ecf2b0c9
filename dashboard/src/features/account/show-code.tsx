import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { secondFactorConfirm } from '../../client/sdk.gen';
import { CopyLine } from '../../shared/copy-line';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';

const QR_PIXELS = 192;

/** The secret for an authenticator, as a picture and in letters, and the field for the first code of it. */
export function ShowCode({ totpUri }: { totpUri: string }) {
  const [code, setCode] = useState('');
  const picture = useQuery({
    queryKey: ['qr', totpUri],
    queryFn: async () => (await import('uqr')).renderSVG(totpUri, { border: 2 }),
    gcTime: 0,
  });
  const act = useAct({
    run: async () => (await secondFactorConfirm({ body: { code: code.trim() } })).data,
    done: t('account.secondFactorTurnedOn'),
    refreshes: ['meMe', 'sessionList'],
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.run(undefined);
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
        <CopyLine label={t('account.secret')} text={new URL(totpUri).searchParams.get('secret') ?? ''} />
        <TextInput
          label={t('signIn.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={act.fields['code']}
        />
        <ProblemAlert error={act.error} />
        <div>
          <Button type="submit" loading={act.pending}>
            {t('account.confirmSecondFactor')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
