import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { deliveryResendChosen } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { type Choice, CHOSEN_MAX } from './choice';

/** Sends the chosen records, after it was said how many they are. */
export function ResendChosen({
  projectId,
  choice,
  neverSent,
}: {
  projectId: string;
  choice: Choice;
  /** Whether none of the chosen attempts has sent anything. */
  neverSent: boolean;
}) {
  const [opened, box] = useDisclosure(false);
  const wanted = choice.ids.size;
  const act = useAct({
    run: async () =>
      (await deliveryResendChosen({ path: { projectId }, body: { consentIds: [...choice.ids] } })).data,
    done: ({ queued, more }) => {
      if (more) return t('deliveries.queuedUpToLimit', { queued });
      return queued < wanted
        ? t('deliveries.queuedOf', { queued, selected: wanted })
        : t('deliveries.queued', { count: queued });
    },
    refreshes: ['deliveryList', 'forwardingRead', 'consentOne'],
    then: () => {
      choice.clear();
      box.close();
    },
  });
  const word = t(neverSent ? 'deliveries.sendRecords' : 'deliveries.resendRecords', { count: wanted });
  return (
    <Group gap="sm" role="group" aria-label={t('deliveries.select')}>
      <Text role="status">
        {t('deliveries.selected', { count: wanted })}
        {wanted === CHOSEN_MAX && ` ${t('deliveries.selectedMax', { count: CHOSEN_MAX })}`}
      </Text>
      <Button onClick={box.open}>{word}</Button>
      <Button variant="subtle" onClick={choice.clear}>
        {t('deliveries.clearSelection')}
      </Button>
      <Modal
        opened={opened}
        onClose={box.close}
        title={word}
        closeButtonProps={{ 'aria-label': t('shared.close') }}
      >
        <Stack gap="sm">
          <Text>{t('deliveries.resendCounted', { count: wanted, more: 'false' })}</Text>
          <ProblemAlert error={act.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={box.close}>
              {t('shared.cancel')}
            </Button>
            <Button data-autofocus loading={act.pending} onClick={() => act.run(undefined)}>
              {word}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  );
}
