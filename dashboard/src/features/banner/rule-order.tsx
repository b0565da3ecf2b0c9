import { ActionIcon, Group, Text } from '@mantine/core';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import { t } from '../../i18n/i18n';

/** The place of a region rule: the first one that names a visitor's region applies. */
export function RuleOrder(props: {
  index: number;
  count: number;
  disabled: boolean;
  onMove: (by: -1 | 1) => void;
}) {
  const { index, count, disabled, onMove } = props;
  const steps = [
    { by: -1, Icon: ArrowUp, label: t('rules.moveUp'), isEnd: index === 0 },
    { by: 1, Icon: ArrowDown, label: t('rules.moveDown'), isEnd: index === count - 1 },
  ] as const;
  return (
    <Group gap={4} wrap="nowrap">
      <Text c="dimmed" title={t('rules.orderHint')}>
        {t('rules.order', { place: index + 1, count })}
      </Text>
      {steps.map(({ by, Icon, label, isEnd }) => (
        <ActionIcon
          key={by}
          variant="subtle"
          color="gray"
          aria-label={label}
          title={label}
          disabled={disabled || isEnd}
          onClick={() => onMove(by)}
        >
          <Icon className="icon" aria-hidden />
        </ActionIcon>
      ))}
    </Group>
  );
}
