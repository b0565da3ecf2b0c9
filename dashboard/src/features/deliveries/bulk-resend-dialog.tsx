import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { deliveryResendCount, deliveryResendMany } from '../../client/sdk.gen';
import { DateFilter } from '../../shared/filter-fields';
import { ProblemAlert } from '../../shared/problem-alert';
import { dayStart, dayText } from '../../shared/time';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { CATEGORIES, type Category, type DeliveryFilters } from './filters';

/** The API takes 14 days, which are fewer of ours where the clock is put back. */
const OFFERED_DAYS = 13;
const DAY_MS = 86_400_000;

const STATUSES = ['failed', 'skipped', 'unsent'] as const;

/** Resends the records of a date range by delivery outcome. The first click counts, the second sends. */
export function BulkResendDialog(props: {
  projectId: string;
  opened: boolean;
  onClose: () => void;
  filters: DeliveryFilters;
}) {
  // Starts with the list's filters; opening it with other filters resets it.
  const { status, category, from, to } = props.filters;
  return props.opened && <BulkResendForm key={[status, category, from, to].join()} {...props} />;
}

function BulkResendForm(props: { projectId: string; onClose: () => void; filters: DeliveryFilters }) {
  const { filters } = props;
  const { zone, now } = useZone();
  const [status, setStatus] = useState<(typeof STATUSES)[number]>(
    filters.status === 'skipped' ? 'skipped' : 'failed',
  );
  const [category, setCategory] = useState<Category | ''>(filters.category ?? '');
  const [from, setFrom] = useState(
    filters.from ?? dayText(new Date(now.getTime() - (OFFERED_DAYS - 1) * DAY_MS), zone),
  );
  const [to, setTo] = useState(filters.to ?? dayText(now, zone));
  const first = dayStart(from, zone);
  const behind = dayStart(to, zone, 1);
  const wanted = `${status} ${category} ${from} ${to}`;
  const selectionOf = ({ from, to }: { from: Date; to: Date }) => ({
    status,
    from: from.toISOString(),
    to: to.toISOString(),
    ...(status === 'failed' && category !== '' && { category }),
  });
  /** The count and the selection that it belongs to: another selection needs another count. */
  const [counted, setCounted] = useState<{ wanted: string; records: number; more: boolean } | null>(null);
  const known = counted?.wanted === wanted ? counted : null;
  const count = useApiMutation({
    request: async (days: { from: Date; to: Date }) =>
      (await deliveryResendCount({ path: { projectId: props.projectId }, body: selectionOf(days) })).data,
    onSuccess: (result) => setCounted({ wanted, ...result }),
  });
  const mutation = useApiMutation({
    request: async (days: { from: Date; to: Date }) =>
      (await deliveryResendMany({ path: { projectId: props.projectId }, body: selectionOf(days) })).data,
    successMessage: ({ queued, more }) =>
      more ? t('deliveries.queuedMore', { count: queued }) : t('deliveries.queued', { count: queued }),
    invalidates: ['deliveryList', 'forwardingRead'],
    onSuccess: () => {
      setCounted(null);
      props.onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={t('deliveries.resendBulk')}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first && behind) (known ? mutation : count).mutate({ from: first, to: behind });
        }}
      >
        <Stack gap="sm">
          <Text>{t('deliveries.resendBulkText')}</Text>
          <NativeSelect
            label={t('deliveries.latestOutcome')}
            value={status}
            onChange={({ currentTarget: { value } }) => setStatus(value as typeof status)}
            data={STATUSES.map((value) => ({ value, label: t(`deliveries.latestOutcomes.${value}`) }))}
          />
          {status === 'failed' && (
            <NativeSelect
              label={t('deliveries.category')}
              value={category}
              onChange={({ currentTarget: { value } }) => setCategory(value as Category | '')}
              data={[
                { value: '', label: t('list.any') },
                ...CATEGORIES.map((value) => ({ value, label: t(`deliveries.categories.${value}`) })),
              ]}
            />
          )}
          <Group grow>
            <DateFilter label={t('list.from')} value={from} onChange={(day) => setFrom(day ?? '')} />
            <DateFilter label={t('list.to')} value={to} onChange={(day) => setTo(day ?? '')} />
          </Group>
          {Object.values({ ...count.fieldErrors, ...mutation.fieldErrors }).map((message) => (
            <Text key={message} c="var(--mantine-color-error)" role="alert">
              {message}
            </Text>
          ))}
          <ProblemAlert error={count.error ?? mutation.error} />
          <Text role="status">
            {known &&
              (known.records === 0
                ? t('deliveries.resendNone')
                : t('deliveries.resendCounted', { count: known.records, more: `${known.more}` }))}
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t('shared.cancel')}
            </Button>
            <Button
              type="submit"
              loading={count.isPending || mutation.isPending}
              disabled={!first || !behind || known?.records === 0}
            >
              {known
                ? t(status === 'failed' ? 'deliveries.resendRecords' : 'deliveries.sendRecords', {
                    count: known.records,
                  })
                : t('deliveries.countRecords')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
