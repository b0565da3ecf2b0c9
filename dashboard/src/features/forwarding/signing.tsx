import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { signingSecretForgetFormer, signingSecretMake, signingSecretRemove } from '../../client/sdk.gen';
import type { SigningDto } from '../../client/types.gen';
import { CopyLine } from '../../shared/copy-line';
import { ProblemAlert } from '../../shared/problem-alert';
import { Question } from '../../shared/question';
import { State } from '../../shared/state';
import { useAct } from '../../shared/use-act';
import { Instant } from '../../shared/when';
import { t } from '../../i18n/i18n';

/** The secret that signs each request, so that the receiver can tell that it came from here. */
export function Signing({ projectId, signing }: { projectId: string; signing: SigningDto }) {
  const path = { projectId };
  const refreshes = ['forwardingRead'] as const;
  const [opened, box] = useDisclosure(false);
  const make = useAct({ run: async () => (await signingSecretMake({ path })).data, refreshes });
  const remove = useAct({
    run: async () => (await signingSecretRemove({ path })).data,
    refreshes,
    then: () => {
      make.reset();
      box.close();
    },
  });
  const forget = useAct({ run: async () => (await signingSecretForgetFormer({ path })).data, refreshes });
  return (
    <Stack gap="sm">
      <State is={signing.configured ? 'good' : 'off'}>
        {signing.configured ? (
          <span>
            {t('forwarding.signedSince')} {signing.createdAt && <Instant at={signing.createdAt} />}
          </span>
        ) : (
          t('forwarding.notSigned')
        )}
      </State>
      {signing.formerValidUntil && (
        <Text>
          {t('forwarding.oldSecretUntil')} <Instant at={signing.formerValidUntil} />.
        </Text>
      )}
      <Group gap="xs">
        <Button variant="default" loading={make.pending} onClick={() => make.run(undefined)}>
          {signing.configured ? t('forwarding.replaceSecret') : t('forwarding.createSecret')}
        </Button>
        {signing.formerValidUntil && (
          <Button variant="default" loading={forget.pending} onClick={() => forget.run(undefined)}>
            {t('forwarding.retireOldSecret')}
          </Button>
        )}
        {signing.configured && (
          <Button variant="subtle" color="red" onClick={box.open}>
            {t('forwarding.removeSecret')}
          </Button>
        )}
      </Group>
      {opened && (
        <Question
          title={t('forwarding.removeSecret')}
          act={t('forwarding.removeSecret')}
          pending={remove.pending}
          error={remove.error}
          onClose={box.close}
          onConfirm={() => remove.run(undefined)}
        >
          <Text>{t('forwarding.removeSecretText')}</Text>
        </Question>
      )}
      <ProblemAlert error={make.error ?? forget.error} />
      {make.result && (
        <Stack gap={4} role="status">
          <Text>{t('forwarding.secretOnce')}</Text>
          <CopyLine text={make.result.signingSecret} label={t('forwarding.secret')} />
        </Stack>
      )}
    </Stack>
  );
}
