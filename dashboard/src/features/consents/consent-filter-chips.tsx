import { NativeSelect } from '@mantine/core';
import { DateChip } from '../../shared/date-chip';
import { FilterChip } from '../../shared/filter-chip';
import { TextFilter } from '../../shared/filter-fields';
import { t, translateCode } from '../../i18n/i18n';
import { type ConsentFilters, DELIVERY_STATES, FLAGS } from './filters';

const ACTIONS = ['accept_all', 'reject_all', 'custom', 'withdraw', 'opt_out', 'dismiss'];

interface Props {
  filters: ConsentFilters;
  change: (changes: ConsentFilters) => void;
}

/** The filters of the list of records, each as a chip. */
export function ConsentFilterChips({ filters, change }: Props) {
  const { action, hostname } = filters;
  return (
    <>
      <DateChip days={filters} change={change} />
      <FilterChip
        name={t('consents.action')}
        value={action && named(t('consents.action'), translateCode('actions', action) ?? action)}
        onClear={() => change({ action: undefined })}
      >
        <TextFilter
          label={t('consents.action')}
          list={ACTIONS}
          value={action}
          onChange={(value) => change({ action: value })}
        />
      </FilterChip>
      <CategoryChip filters={filters} change={change} />
      <FilterChip
        name={t('consents.host')}
        value={hostname && named(t('consents.host'), hostname)}
        onClear={() => change({ hostname: undefined })}
      >
        <TextFilter
          label={t('consents.host')}
          value={hostname}
          onChange={(value) => change({ hostname: value })}
        />
      </FilterChip>
      <DeliveryChip filters={filters} change={change} />
    </>
  );
}

function CategoryChip({ filters, change }: Props) {
  const set = FLAGS.filter((flag) => filters[flag] !== undefined).map((flag) =>
    named(t(`categories.${flag}`), filters[flag] ? t('consents.granted') : t('consents.denied')),
  );
  return (
    <FilterChip
      name={t('consents.category')}
      value={set.join(', ') || undefined}
      onClear={() => change({ analytics: undefined, marketing: undefined, preferences: undefined })}
    >
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
            { value: 'true', label: t('consents.granted') },
            { value: 'false', label: t('consents.denied') },
          ]}
        />
      ))}
    </FilterChip>
  );
}

function DeliveryChip({ filters: { delivery }, change }: Props) {
  return (
    <FilterChip
      name={t('deliveries.delivery')}
      value={delivery && named(t('deliveries.delivery'), t(`consents.deliveryWords.${delivery}`))}
      onClear={() => change({ delivery: undefined })}
    >
      <NativeSelect
        size="xs"
        label={t('deliveries.delivery')}
        value={delivery ?? ''}
        onChange={({ currentTarget: { value } }) =>
          change({ delivery: DELIVERY_STATES.find((state) => state === value) })
        }
        data={[
          { value: '', label: t('list.any') },
          ...DELIVERY_STATES.map((value) => ({ value, label: t(`consents.deliveryStates.${value}`) })),
        ]}
      />
    </FilterChip>
  );
}

const named = (name: string, value: string): string => t('list.filterValue', { name, value });
