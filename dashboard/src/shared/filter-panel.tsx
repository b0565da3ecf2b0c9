import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { type ReactNode, useId } from 'react';
import { t } from '../i18n/i18n';

/** The filters of a list; on a phone behind one button, so that the list itself is in sight. */
export function FilterPanel({ active, children }: { active: number; children: ReactNode }) {
  const [opened, panel] = useDisclosure(false);
  const id = useId();
  return (
    <div role="search" aria-label={t('list.filters')}>
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
      <Group id={id} className="filters" data-opened={opened || undefined} gap="xs" align="flex-end">
        {children}
      </Group>
    </div>
  );
}
