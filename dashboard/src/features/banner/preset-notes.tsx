import { Button } from '@mantine/core';
import CalendarClock from 'lucide-react/icons/calendar-clock';
import Sparkles from 'lucide-react/icons/sparkles';
import { t } from '../../i18n/i18n';
import { dayWords } from './matrix-words';
import { modesWords } from './mode-words';
import {
  comingStates,
  type MatrixRow,
  newestVersion,
  type Preset,
  type RowChange,
  versionChanges,
  withPreset,
} from './region-matrix';

/** Announced changes of a row: on a date, and with a newer version of its preset. */
export function PresetNotes(props: {
  row: MatrixRow;
  preset: Preset | undefined;
  disabled: boolean;
  at: Date;
  put: (change: RowChange) => void;
}) {
  const { row, preset, disabled, at, put } = props;
  if (!preset || !row.preset) return null;
  const { version } = row.preset;
  const newest = newestVersion(preset);
  const coming = comingStates(preset, version, at);
  if (coming.length === 0 && newest <= version) return null;
  return (
    <ul className="preset-notes">
      {coming.map(({ from, modes, requiresSignal }) => (
        <li key={from}>
          <CalendarClock className="icon" aria-hidden />
          <span>
            {t('rules.from', { day: dayWords(from ?? ''), modes: modesWords(modes) })}
            {requiresSignal && !row.requiresSignal && `. ${t('rules.signalComing')}`}
          </span>
        </li>
      ))}
      {newest > version && (
        <li>
          <Sparkles className="icon" aria-hidden />
          <span>
            {t('rules.newVersion', { version: newest })} {newVersionWords(preset, [version, newest], at)}
          </span>
          <Button
            size="compact-xs"
            variant="default"
            disabled={disabled}
            onClick={() => put(withPreset(row, preset, at))}
          >
            {t('rules.useVersion', { version: newest })}
          </Button>
        </li>
      )}
    </ul>
  );
}

function newVersionWords(preset: Preset, versions: [number, number], at: Date): string {
  const changes = versionChanges(preset, versions, at);
  if (changes.length === 0) return t('rules.sameToday');
  return changes
    .map(({ category, before, after }) =>
      t('rules.modeChange', {
        category: t(`categories.${category}`),
        before: t(`banner.modes.${before}`),
        after: t(`banner.modes.${after}`),
      }),
    )
    .join(' ');
}
