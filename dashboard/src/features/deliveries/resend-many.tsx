import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { deliveryResendCount, deliveryResendMany } from '../../client/sdk.gen';
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
  const wanted = `${status} ${from} ${to}`;
  /** What was counted, and of which choice: another one has to be counted anew. */
  const [counted, setCounted] = useState<{ wanted: string; records: number; more: boolean } | null>(null);
  const known = counted?.wanted === wanted ? counted : null;
  const count = useAct({
    run: async ({ from, to }: { from: Date; to: Date }) =>
      (
        await deliveryResendCount({
          path: { projectId: props.projectId },
          body: { status, from: from.toISOString(), to: to.toISOString() },
        })
      ).data,
    then: (result) => setCounted({ wanted, ...result }),
  });
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
    then: () => {
      setCounted(null);
      props.onClose();
    },
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
          if (first && behind) (known ? act : count).run({ from: first, to: behind });
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
          {Object.values({ ...count.fields, ...act.fields }).map((message) => (
            <Text key={message} c="var(--mantine-color-error)" role="alert">
              {message}
            </Text>
          ))}
          <ProblemAlert error={count.error ?? act.error} />
          <Text role="status">
            {known &&
              (known.records === 0
                ? t.deliveries.resendNone
                : t.deliveries.resendCounted(number(known.records), known.more))}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t.shared.cancel}
            </Button>
            <Button
              type="submit"
              loading={count.pending || act.pending}
              disabled={!first || !behind || known?.records === 0}
            >
              {known ? t.deliveries.resendAct(number(known.records)) : t.deliveries.resendCount}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
