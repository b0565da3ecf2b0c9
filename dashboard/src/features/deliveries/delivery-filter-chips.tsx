import { NativeSelect } from '@mantine/core';
import { DateChip } from '../../shared/date-chip';
import { FilterChip } from '../../shared/filter-chip';
import { t } from '../../i18n/i18n';
import { CATEGORIES, type DeliveryFilters, OUTCOMES } from './filters';

/** The filters of the list of attempts, each as a chip. */
export function DeliveryFilterChips({
  filters,
  change,
}: {
  filters: DeliveryFilters;
  change: (changes: DeliveryFilters) => void;
}) {
  const { status, category } = filters;
  return (
    <>
      <DateChip days={filters} change={change} />
      <FilterChip
        name={t('deliveries.outcome')}
        value={
          status && t('list.filterValue', { name: t('deliveries.outcome'), value: t(`outcomes.${status}`) })
        }
        onClear={() => change({ status: undefined })}
      >
        <NativeSelect
          size="xs"
          label={t('deliveries.outcome')}
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ status: OUTCOMES.find((each) => each === value) })
          }
          data={[
            { value: '', label: t('list.any') },
            ...OUTCOMES.map((value) => ({ value, label: t(`outcomes.${value}`) })),
          ]}
        />
      </FilterChip>
      <FilterChip
        name={t('deliveries.category')}
        value={
          category &&
          t('list.filterValue', {
            name: t('deliveries.category'),
            value: t(`deliveries.categories.${category}`),
          })
        }
        onClear={() => change({ category: undefined })}
      >
        <NativeSelect
          size="xs"
          label={t('deliveries.category')}
          value={category ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ category: CATEGORIES.find((each) => each === value) })
          }
          data={[
            { value: '', label: t('list.any') },
            ...CATEGORIES.map((value) => ({ value, label: t(`deliveries.categories.${value}`) })),
          ]}
        />
      </FilterChip>
    </>
  );
}
