import { Switch, Text } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { CATEGORIES, type Category } from './configuration';
import { regionsWords } from './matrix-words';
import { ModeCell } from './mode-cell';
import { PresetDetails } from './preset-details';
import { PresetNotes } from './preset-notes';
import { RegionCodesInput } from './region-codes-input';
import { findPreset, type MatrixRow as Row, type Preset, type RowChange, withMode } from './region-matrix';
import { RowActions } from './row-actions';

interface MatrixRowProps {
  row: Row;
  presets: Preset[];
  offered: Category[];
  error: string | undefined;
  /** Whether no visitor gets this row, because earlier rules name all of its regions. */
  isCovered: boolean;
  isLastRule: boolean;
  isEdited: boolean;
  disabled: boolean;
  at: Date;
  put: (change: RowChange) => void;
  onPreview: (category: Category) => void;
  onEdit: () => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** Regions, the mode of each category in them, where the modes come from, and what can be done to the row. */
export function MatrixRow(props: MatrixRowProps) {
  const { row, presets, offered, error, isCovered, disabled, at, put } = props;
  const number = row.index === null ? null : row.index + 1;
  const name = rowName(row);
  // A rule without regions, or with wrong ones, is edited.
  const isEdited = props.isEdited || row.regions.length === 0 || error !== undefined;
  return (
    <tbody className="matrix-row" data-other={number === null || undefined}>
      <tr>
        <th scope="row">{name}</th>
        {CATEGORIES.map((category) => (
          <ModeCell
            key={category}
            category={category}
            mode={row.modes[category]}
            regions={name}
            isOffered={offered.includes(category)}
            disabled={disabled}
            onMode={(mode) => put(withMode(row, category, mode))}
            onPreview={isCovered ? null : () => props.onPreview(category)}
          />
        ))}
      </tr>
      <tr className="matrix-more">
        <td colSpan={CATEGORIES.length + 1}>
          {number !== null && isEdited && (
            <RegionCodesInput
              regions={row.regions}
              label={t('rules.regionsOf', { number })}
              error={error}
              disabled={disabled}
              put={(regions) => put({ regions })}
            />
          )}
          {number === null && error !== undefined && <Text c="red">{error}</Text>}
          {isCovered && row.regions.length > 0 && <Text c="dimmed">{t('rules.covered')}</Text>}
          <div className="matrix-settings">
            <PresetDetails {...{ row, presets, name, disabled, at, put }} />
            <Switch
              size="xs"
              label={t('rules.honorSignal')}
              aria-label={t('rules.honorSignalIn', { regions: name })}
              checked={row.honorsSignal}
              disabled={disabled || row.requiresSignal}
              {...(row.requiresSignal && { description: t('rules.signalRequired') })}
              onChange={(event) => put({ honorsSignal: event.currentTarget.checked })}
            />
            {number !== null && (
              <RowActions
                {...{ number, isEdited, disabled }}
                isLast={props.isLastRule}
                onEdit={props.onEdit}
                onMove={props.onMove}
                onRemove={props.onRemove}
              />
            )}
          </div>
          <PresetNotes {...{ row, disabled, at, put }} preset={findPreset(presets, row.preset)} />
        </td>
      </tr>
    </tbody>
  );
}

/** `United Kingdom`, `All other regions`. */
export function rowName({ index, regions }: Row): string {
  if (index === null) return t('rules.otherRegions');
  return regions.length > 0 ? regionsWords(regions) : t('rules.noRegions');
}
