import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { type ReactNode, useId } from 'react';
import { t } from '../i18n/i18n';
import './list-card.css';

/** A list with its search field and filters in one card; on a phone the filters are behind one button. */
export function ListCard({
  search,
  filters,
  active,
  onClear,
  children,
}: {
  search?: ReactNode;
  filters: ReactNode;
  /** How many filters are set. */
  active: number;
  onClear: () => void;
  children: ReactNode;
}) {
  const [opened, panel] = useDisclosure(false);
  const id = useId();
  return (
    <div className="card list-card">
      <div className="list-head" role="search" aria-label={t('list.filters')}>
        {search}
        <Button
          className="filter-button"
          variant="default"
          leftSection={<SlidersHorizontal className="icon" aria-hidden />}
          aria-expanded={opened}
          aria-controls={id}
          onClick={panel.toggle}
        >
          {active === 0 ? t('list.filters') : t('list.activeFilters', { count: active })}
        </Button>
        <div id={id} className="list-filters" data-opened={opened || undefined}>
          {filters}
          {active > 0 && (
            <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
              {t('list.clear')}
            </Button>
          )}
        </div>
      </div>
      {children}
    </div>
  );
}
