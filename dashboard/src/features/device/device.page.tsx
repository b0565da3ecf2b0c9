import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { authSessionOptions } from '../../client/@tanstack/react-query.gen';
import { deviceDecisionApprove, deviceDecisionDeny, deviceDecisionRead } from '../../client/sdk.gen';
import type { DeviceResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { AuthLayout } from '../../shared/auth-layout';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { RelativeTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';
import './device.css';

const route = getRouteApi('/device');
const CODE_CHARACTERS_MAX = 20;

/** Where a person lets `consent login` on a machine use their account. */
export function DevicePage() {
  const { code = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [decided, setDecided] = useState<'approved' | 'denied' | null>(null);
  const query = useQuery({
    queryKey: ['device', code],
    queryFn: async () => (await deviceDecisionRead({ body: { userCode: code } })).data,
    enabled: code !== '' && decided === null,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (decided !== null)
    return (
      <AuthLayout title={t(`device.${decided}`)}>
        <Text>{t(`device.${decided}Text`)}</Text>
        <AnchorLink to="/account">{t('device.tokens')}</AnchorLink>
      </AuthLayout>
    );
  return (
    <AuthLayout title={t('device.title')}>
      {query.isLoading && <SkeletonRows rows={4} />}
      <ProblemAlert error={query.error} />
      {(code === '' || query.isError) && (
        <CodeForm onCode={(typed) => void navigate({ search: { code: typed } })} />
      )}
      {query.data && <Decision code={code} device={query.data} onDecided={setDecided} />}
    </AuthLayout>
  );
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const form = useForm({ initialValues: { userCode: '' } });
  return (
    <form onSubmit={form.onSubmit(({ userCode }) => onCode(userCode.trim().toUpperCase()))}>
      <Stack gap="sm">
        <TextInput
          label={t('device.code')}
          description={t('device.codeHint')}
          placeholder="BCDF-GHJK"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={CODE_CHARACTERS_MAX}
          required
          {...form.getInputProps('userCode')}
        />
        <Button type="submit" size="sm">
          {t('device.continue')}
        </Button>
      </Stack>
    </form>
  );
}

function Decision({
  code,
  device,
  onDecided,
}: {
  code: string;
  device: DeviceResponse;
  onDecided: (decided: 'approved' | 'denied') => void;
}) {
  const { data: session } = useQuery(authSessionOptions());
  const email = session?.user.email ?? '';
  const form = useForm({ initialValues: { password: '' } });
  const approve = useApiMutation({
    form,
    request: () =>
      deviceDecisionApprove({
        body: {
          userCode: code,
          ...(!device.signedInRecently && { password: form.values.password }),
        },
      }),
    onSuccess: () => onDecided('approved'),
  });
  const deny = useApiMutation({
    request: () => deviceDecisionDeny({ body: { userCode: code } }),
    onSuccess: () => onDecided('denied'),
  });
  const facts: [string, React.ReactNode][] = [
    [t('device.machine'), device.deviceName],
    ...(device.network === null ? [] : [[t('device.network'), device.network] as [string, React.ReactNode]]),
    [t('device.requested'), <RelativeTime key="at" at={device.createdAt} />],
    [t('device.account'), email],
  ];
  return (
    <form onSubmit={form.onSubmit(() => approve.mutate(undefined))}>
      <Stack gap="md">
        <Text>{t('device.compare')}</Text>
        <output className="device-code">{code}</output>
        <dl className="device-facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Text>{t('device.scope')}</Text>
        <Text c="dimmed">{t('device.warning')}</Text>
        {!device.signedInRecently && (
          <>
            <UsernameField email={email} />
            <PasswordField
              label={t('signIn.password')}
              description={t('device.password')}
              {...form.getInputProps('password')}
            />
          </>
        )}
        <ProblemAlert error={approve.error ?? deny.error} />
        <Group grow>
          <Button size="sm" variant="default" loading={deny.isPending} onClick={() => deny.mutate(undefined)}>
            {t('device.deny')}
          </Button>
          <Button size="sm" type="submit" loading={approve.isPending}>
            {t('device.approve')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
