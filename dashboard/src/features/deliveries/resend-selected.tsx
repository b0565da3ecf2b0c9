import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { deliveryResendChosen } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { type Selection, SELECTED_MAX } from './selection';

/** Sends the chosen records, after it was said how many they are. */
export function ResendSelected({
  projectId,
  choice,
  neverSent,
}: {
  projectId: string;
  choice: Selection;
  /** Whether none of the chosen attempts has sent anything. */
  neverSent: boolean;
}) {
  const [opened, dialog] = useDisclosure(false);
  const wanted = choice.ids.size;
  const mutation = useApiMutation({
    request: async () =>
      (await deliveryResendChosen({ path: { projectId }, body: { consentIds: [...choice.ids] } })).data,
    successMessage: ({ queued, more }) => {
      if (more) return t('deliveries.queuedUpToLimit', { queued });
      return queued < wanted
        ? t('deliveries.queuedOf', { queued, selected: wanted })
        : t('deliveries.queued', { count: queued });
    },
    invalidates: ['deliveryList', 'forwardingRead', 'consentOne'],
    onSuccess: () => {
      choice.clear();
      dialog.close();
    },
  });
  const word = t(neverSent ? 'deliveries.sendRecords' : 'deliveries.resendRecords', { count: wanted });
  return (
    <Group gap="sm" role="group" aria-label={t('deliveries.select')} className="list-selection">
      <Text role="status">
        {t('deliveries.selected', { count: wanted })}
        {wanted === SELECTED_MAX && ` ${t('deliveries.selectedMax', { count: SELECTED_MAX })}`}
      </Text>
      <Button onClick={dialog.open}>{word}</Button>
      <Button variant="subtle" onClick={choice.clear}>
        {t('deliveries.clearSelection')}
      </Button>
      <Modal
        opened={opened}
        onClose={dialog.close}
        title={word}
        closeButtonProps={{ 'aria-label': t('shared.close') }}
      >
        <Stack gap="sm">
          <Text>{t('deliveries.resendCounted', { count: wanted, more: 'false' })}</Text>
          <ProblemAlert error={mutation.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close}>
              {t('shared.cancel')}
            </Button>
            <Button data-autofocus loading={mutation.isPending} onClick={() => mutation.mutate(undefined)}>
              {word}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  );
}
