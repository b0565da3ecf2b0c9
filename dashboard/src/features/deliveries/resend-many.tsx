import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { deliveryResendMany } from '../../client/sdk.gen';
import { FilterDay } from '../../shared/filter-fields';
import { number } from '../../shared/format';
import { ProblemAlert } from '../../shared/problem-alert';
import { dayStart, dayText } from '../../shared/time';
import { useAct } from '../../shared/use-act';
import { useZone } from '../../shared/zone';
import { t } from '../../texts/texts';

const STATUSES = ['failed', 'skipped', 'unsent'] as const;

/** Sends the records of some days again whose latest attempt ended so. */
export function ResendMany(props: {
  projectId: string;
  opened: boolean;
  onClose: () => void;
  from: string | undefined;
  to: string | undefined;
}) {
  const { zone, now } = useZone();
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('failed');
  const [from, setFrom] = useState(props.from ?? dayText(now, zone));
  const [to, setTo] = useState(props.to ?? dayText(now, zone));
  const first = dayStart(from, zone);
  const behind = dayStart(to, zone, 1);
  const act = useAct({
    run: async ({ from, to }: { from: Date; to: Date }) =>
      (
        await deliveryResendMany({
          path: { projectId: props.projectId },
          body: { status, from: from.toISOString(), to: to.toISOString() },
        })
      ).data,
    done: ({ queued, more }) =>
      more ? t.deliveries.queuedMore(number(queued)) : t.deliveries.queued(number(queued)),
    refreshes: ['deliveryList', 'forwardingRead'],
    then: props.onClose,
  });
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={t.deliveries.resendMany}
      closeButtonProps={{ 'aria-label': t.shared.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first && behind) act.run({ from: first, to: behind });
        }}
      >
        <Stack gap="sm">
          <Text>{t.deliveries.resendManyText}</Text>
          <NativeSelect
            label={t.deliveries.whichEnded}
            value={status}
            onChange={({ currentTarget: { value } }) => setStatus(value as typeof status)}
            data={STATUSES.map((value) => ({ value, label: t.deliveries.ended[value] }))}
          />
          <Group grow>
            <FilterDay label={t.list.from} value={from} onChange={(day) => setFrom(day ?? '')} />
            <FilterDay label={t.list.to} value={to} onChange={(day) => setTo(day ?? '')} />
          </Group>
          {Object.values(act.fields).map((message) => (
            <Text key={message} c="var(--mantine-color-error)" role="alert">
              {message}
            </Text>
          ))}
          <ProblemAlert error={act.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t.shared.cancel}
            </Button>
            <Button type="submit" loading={act.pending} disabled={!first || !behind}>
              {t.deliveries.resendAct}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
