import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { signingSecretForgetFormer, signingSecretMake, signingSecretRemove } from '../../client/sdk.gen';
import type { SigningResponse } from '../../client/types.gen';
import { CopyableCode } from '../../shared/copyable-code';
import { ProblemAlert } from '../../shared/problem-alert';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';

/** The secret that signs each request, so that the receiver can tell that it came from here. */
export function RequestSigning({ projectId, signing }: { projectId: string; signing: SigningResponse }) {
  const path = { projectId };
  const refreshes = ['forwardingRead'] as const;
  const [opened, dialog] = useDisclosure(false);
  const make = useApiMutation({
    request: async () => (await signingSecretMake({ path })).data,
    invalidates: refreshes,
  });
  const remove = useApiMutation({
    request: async () => (await signingSecretRemove({ path })).data,
    invalidates: refreshes,
    onSuccess: () => {
      make.reset();
      dialog.close();
    },
  });
  const forget = useApiMutation({
    request: async () => (await signingSecretForgetFormer({ path })).data,
    invalidates: refreshes,
  });
  return (
    <Stack gap="sm">
      <StatusLabel status={signing.configured ? 'good' : 'off'}>
        {signing.configured ? (
          <span>
            {t('forwarding.signedSince')} {signing.createdAt && <AbsoluteTime at={signing.createdAt} />}
          </span>
        ) : (
          t('forwarding.notSigned')
        )}
      </StatusLabel>
      {signing.formerValidUntil && (
        <Text>
          {t('forwarding.oldSecretUntil')} <AbsoluteTime at={signing.formerValidUntil} />.
        </Text>
      )}
      <Group gap="xs">
        <Button variant="default" loading={make.isPending} onClick={() => make.mutate(undefined)}>
          {signing.configured ? t('forwarding.replaceSecret') : t('forwarding.createSecret')}
        </Button>
        {signing.formerValidUntil && (
          <Button variant="default" loading={forget.isPending} onClick={() => forget.mutate(undefined)}>
            {t('forwarding.retireOldSecret')}
          </Button>
        )}
        {signing.configured && (
          <Button variant="subtle" color="red" onClick={dialog.open}>
            {t('forwarding.removeSecret')}
          </Button>
        )}
      </Group>
      {opened && (
        <ConfirmDialog
          title={t('forwarding.removeSecret')}
          confirmLabel={t('forwarding.removeSecret')}
          isPending={remove.isPending}
          error={remove.error}
          onClose={dialog.close}
          onConfirm={() => remove.mutate(undefined)}
        >
          <Text>{t('forwarding.removeSecretText')}</Text>
        </ConfirmDialog>
      )}
      <ProblemAlert error={make.error ?? forget.error} />
      {make.data && (
        <Stack gap={4} role="status">
          <Text>{t('forwarding.secretOnce')}</Text>
          <CopyableCode text={make.data.signingSecret} label={t('forwarding.secret')} />
        </Stack>
      )}
    </Stack>
  );
}
