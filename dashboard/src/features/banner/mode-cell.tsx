import { ActionIcon, NativeSelect } from '@mantine/core';
import Eye from 'lucide-react/icons/eye';
import { t } from '../../i18n/i18n';
import { type Category, type Mode, MODES } from './configuration';

interface ModeCellProps {
  category: Category;
  mode: Mode;
  /** The row's regions in words. */
  regions: string;
  isOffered: boolean;
  disabled: boolean;
  onMode: (mode: Mode) => void;
  /** Shows a visitor of the row; null: no visitor gets this row. */
  onPreview: (() => void) | null;
}

/** The mode of a category in some regions, and the way to see it. */
export function ModeCell({ category, mode, regions, isOffered, disabled, ...acts }: ModeCellProps) {
  const name = t(`categories.${category}`);
  return (
    <td className="matrix-cell" data-dimmed={!isOffered || undefined}>
      {/* Beside the select where the row is a card, which has no column headings. */}
      <span className="matrix-cell-name" aria-hidden>
        {name}
        {!isOffered && ` (${t('rules.notOffered')})`}
      </span>
      <div className="matrix-mode">
        <NativeSelect
          size="xs"
          className="matrix-select"
          data-mode={mode}
          aria-label={t('rules.modeOf', { category: name, regions })}
          value={mode}
          disabled={disabled}
          onChange={(event) => acts.onMode(event.currentTarget.value as Mode)}
          data={MODES.map((value) => ({ value, label: t(`banner.modes.${value}`) }))}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('rules.preview', { category: name, regions })}
          title={t('rules.previewTitle')}
          disabled={acts.onPreview === null}
          onClick={() => acts.onPreview?.()}
        >
          <Eye className="icon" aria-hidden />
        </ActionIcon>
      </div>
    </td>
  );
}
