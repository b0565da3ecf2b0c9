import { Button, Group, NativeSelect } from '@mantine/core';
import { DateFilter, TextFilter } from '../../shared/filter-fields';
import { t } from '../../i18n/i18n';
import { type ConsentFilters, DELIVERY_STATES, type Flag } from './filters';
import { FindById } from './find-by-id';

const ACTIONS = ['accept_all', 'reject_all', 'custom', 'withdraw', 'opt_out', 'dismiss'];

const FLAGS: Flag[] = ['analytics', 'marketing', 'preferences'];

export function ConsentFilterBar({
  filters,
  change,
  clear,
}: {
  filters: ConsentFilters;
  change: (changes: ConsentFilters) => void;
  clear: () => void;
}) {
  return (
    <Group gap="xs" align="flex-end" role="search" aria-label={t('list.filters')}>
      <FindById onFound={(id) => change({ open: id })} />
      <DateFilter label={t('list.from')} value={filters.from} onChange={(from) => change({ from })} />
      <DateFilter label={t('list.to')} value={filters.to} onChange={(to) => change({ to })} />
      <TextFilter
        label={t('consents.action')}
        list={ACTIONS}
        value={filters.action}
        onChange={(action) => change({ action })}
      />
      <TextFilter
        label={t('consents.host')}
        value={filters.hostname}
        onChange={(hostname) => change({ hostname })}
      />
      {FLAGS.map((flag) => (
        <NativeSelect
          key={flag}
          size="xs"
          label={t(`categories.${flag}`)}
          value={String(filters[flag] ?? '')}
          onChange={({ currentTarget: { value } }) =>
            change({ [flag]: value === '' ? undefined : value === 'true' })
          }
          data={[
            { value: '', label: t('list.any') },
            { value: 'true', label: t('list.yes') },
            { value: 'false', label: t('list.no') },
          ]}
        />
      ))}
      <NativeSelect
        size="xs"
        label={t('deliveries.delivery')}
        value={filters.delivery ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ delivery: DELIVERY_STATES.find((state) => state === value) })
        }
        data={[
          { value: '', label: t('list.any') },
          ...DELIVERY_STATES.map((value) => ({ value, label: t(`consents.deliveryStates.${value}`) })),
        ]}
      />
      {Object.keys(filters).some((name) => name !== 'open') && (
        <Button variant="subtle" onClick={clear}>
          {t('list.clear')}
        </Button>
      )}
    </Group>
  );
}
