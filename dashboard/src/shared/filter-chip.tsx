import { Popover, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import Plus from 'lucide-react/icons/plus';
import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { t } from '../i18n/i18n';

/** A filter of a list: opens a small form, says what it is set to, and is removed with one click. */
export function FilterChip({
  name,
  value,
  onClear,
  children,
}: {
  name: string;
  /** The filter's value with its name; absent: not set. */
  value: string | undefined;
  onClear: () => void;
  /** The fields of its form, which apply at once. */
  children: ReactNode;
}) {
  const [opened, form] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onChange={(isOpen) => (isOpen ? form.open() : form.close())}
      position="bottom-start"
      trapFocus
      returnFocus
      shadow="md"
    >
      <span className="filter-chip" data-set={value !== undefined || undefined}>
        <Popover.Target>
          <button type="button" onClick={form.toggle}>
            {value === undefined && <Plus className="icon" aria-hidden />}
            {value ?? name}
          </button>
        </Popover.Target>
        {value !== undefined && (
          <button type="button" aria-label={t('list.removeFilter', { filter: value })} onClick={onClear}>
            <X className="icon" aria-hidden />
          </button>
        )}
      </span>
      <Popover.Dropdown>
        <Stack gap="sm" miw={200}>
          {children}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
