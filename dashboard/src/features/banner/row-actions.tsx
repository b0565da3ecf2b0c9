import { ActionIcon, Group } from '@mantine/core';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Pencil from 'lucide-react/icons/pencil';
import Trash from 'lucide-react/icons/trash-2';
import type { ComponentType } from 'react';
import { t } from '../../i18n/i18n';

interface RowActionsProps {
  /** Counts from 1. */
  number: number;
  isLast: boolean;
  isEdited: boolean;
  disabled: boolean;
  onEdit: () => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** What can be done to a region rule as a whole. */
export function RowActions({ number, isLast, isEdited, disabled, ...acts }: RowActionsProps) {
  return (
    <Group gap={2} wrap="nowrap" className="matrix-actions">
      <Action
        icon={Pencil}
        label={t('rules.editRegions', { number })}
        isPressed={isEdited}
        disabled={disabled}
        onClick={acts.onEdit}
      />
      <Action
        icon={ArrowUp}
        label={t('rules.moveUp', { number })}
        disabled={disabled || number === 1}
        onClick={() => acts.onMove(-1)}
      />
      <Action
        icon={ArrowDown}
        label={t('rules.moveDown', { number })}
        disabled={disabled || isLast}
        onClick={() => acts.onMove(1)}
      />
      <Action
        icon={Trash}
        label={t('rules.remove', { number })}
        disabled={disabled}
        onClick={acts.onRemove}
      />
    </Group>
  );
}

function Action(props: {
  icon: ComponentType<{ className: string; 'aria-hidden': true }>;
  label: string;
  isPressed?: boolean;
  disabled: boolean;
  onClick: () => void;
}) {
  const { icon: Icon, label, isPressed, disabled, onClick } = props;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={label}
      title={label}
      {...(isPressed !== undefined && { 'aria-expanded': isPressed })}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon className="icon" aria-hidden />
    </ActionIcon>
  );
}
