import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { deliveryResendChosen } from '../../client/sdk.gen';
import { number } from '../../shared/format';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { t } from '../../texts/texts';
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
      if (more) return t.deliveries.queuedShare(number(queued));
      return queued < wanted
        ? t.deliveries.queuedOf(number(queued), number(wanted))
        : t.deliveries.queued(number(queued));
    },
    refreshes: ['deliveryList', 'forwardingRead', 'consentOne'],
    then: () => {
      choice.clear();
      box.close();
    },
  });
  const word = (neverSent ? t.deliveries.sendAct : t.deliveries.resendAct)(number(wanted));
  return (
    <Group gap="sm" role="group" aria-label={t.deliveries.choose}>
      <Text role="status">
        {t.deliveries.chosen(number(wanted))}
        {wanted === CHOSEN_MAX && ` ${t.deliveries.chosenMax(number(CHOSEN_MAX))}`}
      </Text>
      <Button onClick={box.open}>{word}</Button>
      <Button variant="subtle" onClick={choice.clear}>
        {t.deliveries.forgetChosen}
      </Button>
      <Modal
        opened={opened}
        onClose={box.close}
        title={word}
        closeButtonProps={{ 'aria-label': t.shared.close }}
      >
        <Stack gap="sm">
          <Text>{t.deliveries.resendCounted(number(wanted), false)}</Text>
          <ProblemAlert error={act.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={box.close}>
              {t.shared.cancel}
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
