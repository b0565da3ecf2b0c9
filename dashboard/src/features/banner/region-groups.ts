import { EU_GROUP, EU_REGIONS } from '../../../../src/modules/publishing/domain/region.js';
import { regionName } from '../../shared/display-names';
import { searchWords } from '../../shared/search-words';
import { CATEGORIES, type Mode, type Modes, type RegionRule, strictestMode } from './configuration';
import { decidingRule, findPreset, comingStates, type MatrixRow, type Preset } from './region-matrix';
import { REGION_PARTS } from './region-parts';

/** Kinds of law, the strictest first, then the row of all other regions. */
export const REGION_GROUPS = ['consent', 'mixed', 'objection', 'information', 'none', 'other'] as const;
export type RegionGroup = (typeof REGION_GROUPS)[number];

const GROUP_OF_MODE: Record<Mode, RegionGroup> = {
  opt_in: 'consent',
  opt_out: 'objection',
  notice: 'information',
  none: 'none',
};

/** The group of a row, by its modes. */
export function regionGroup({ index, modes }: Pick<MatrixRow, 'index' | 'modes'>): RegionGroup {
  if (index === null) return 'other';
  const mode = strictestMode(modes);
  return mode === 'opt_in' && commonMode(modes) === null ? 'mixed' : GROUP_OF_MODE[mode];
}

/** The mode of all categories; null: they differ. */
export function commonMode(modes: Modes): Mode | null {
  const [first, ...others] = CATEGORIES.map((category) => modes[category]);
  return first !== undefined && others.every((mode) => mode === first) ? first : null;
}

/** The rows that a search finds, by region, code or law. */
export function findRows(rows: MatrixRow[], presets: Preset[], typed: string, other: string): MatrixRow[] {
  const matches = searchWords(typed);
  return rows.filter((row) => {
    const regions = row.regions.flatMap((name) =>
      name === EU_GROUP ? [name, ...EU_REGIONS.split(' ')] : [name],
    );
    const names =
      row.index === null
        ? [other]
        : regions.flatMap((name) => [name, regionName(name), REGION_PARTS.get(name) ?? '']);
    return matches(...names, findPreset(presets, row.preset)?.law ?? '');
  });
}

/** The next day on which a law changes the modes of a row, and the regions of all rows that change then. */
export function nextChange(
  rows: MatrixRow[],
  presets: Preset[],
  at: Date,
): { day: string; regions: string[] } | null {
  const changes = rows.flatMap(({ preset, regions }) => {
    const found = findPreset(presets, preset);
    const [first] = found && preset ? comingStates(found, preset.version, at) : [];
    return first && first.from !== null ? [{ day: first.from, regions }] : [];
  });
  const day = changes.map((change) => change.day).toSorted()[0];
  if (day === undefined) return null;
  return { day, regions: changes.filter((change) => change.day === day).flatMap(({ regions }) => regions) };
}

/** The share of records that each row decides; null without records. Records without a region count as the EEA. */
export function recordShares(
  rules: Pick<RegionRule, 'regions'>[],
  counts: { region: string | null; records: number }[],
): ((index: number | null) => number) | null {
  const total = counts.reduce((sum, { records }) => sum + records, 0);
  if (total === 0) return null;
  return (index) =>
    counts
      .filter(({ region }) => decidingRule(rules, region ?? 'XX') === index)
      .reduce((sum, { records }) => sum + records, 0) / total;
}
