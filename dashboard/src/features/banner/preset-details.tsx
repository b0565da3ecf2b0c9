import { Anchor, NativeSelect, Text } from '@mantine/core';
import Scale from 'lucide-react/icons/scale';
import { t } from '../../i18n/i18n';
import { dayWords, presetWords, regionsWords } from './matrix-words';
import { findPreset, type MatrixRow, type Preset, type RowChange, withPreset } from './region-matrix';

/** Where a row's modes come from: the law behind its preset with sources, or the owner. */
export function PresetDetails(props: {
  row: MatrixRow;
  presets: Preset[];
  /** The row in words. */
  name: string;
  disabled: boolean;
  at: Date;
  put: (change: RowChange) => void;
}) {
  const { row, presets, name, disabled, at, put } = props;
  const { preset: reference } = row;
  const preset = findPreset(presets, reference);
  const version = preset?.versions.find((each) => each.version === reference?.version);
  return (
    <details className="preset">
      <summary>
        {reference && <Scale className="icon" aria-hidden />}
        <span>{reference ? presetWords(preset, reference) : t('rules.byHand')}</span>
      </summary>
      <div className="preset-body">
        <NativeSelect
          label={t('rules.presetSelect')}
          aria-label={t('rules.presetOf', { regions: name })}
          description={t('rules.presetHint')}
          value={preset?.id ?? ''}
          disabled={disabled}
          onChange={({ currentTarget: { value } }) => {
            const chosen = presets.find(({ id }) => id === value);
            put(chosen ? withPreset(row, chosen, at) : { modes: row.modes, preset: null });
          }}
          data={[
            { value: '', label: t('rules.byHand') },
            ...presets.map(({ id, regions, law }) => ({
              value: id,
              label: `${regionsWords(regions, 2)} – ${law}`,
            })),
          ]}
        />
        {preset && (
          <>
            <Text>{preset.law}</Text>
            <ul className="preset-sources" aria-label={t('rules.sources')}>
              {preset.sources.map(({ title, url }) => (
                <li key={url}>
                  <Anchor href={url} target="_blank" rel="noopener noreferrer">
                    {title}
                  </Anchor>
                </li>
              ))}
            </ul>
            {version && (
              <Text c="dimmed">
                {t('rules.reviewed', { day: dayWords(version.reviewedOn) })} {t('rules.noAdvice')}
              </Text>
            )}
          </>
        )}
      </div>
    </details>
  );
}
