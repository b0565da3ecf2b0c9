import { regionName } from '../../shared/display-names';
import { locale, t } from '../../i18n/i18n';
import type { MatrixRow, Preset, PresetReference } from './region-matrix';
import { REGION_PARTS } from './region-parts';

/** How many regions of a rule are named before the others are counted. */
const REGIONS_NAMED_MAX = 4;

/** `France, Réunion`, `California, Colorado, Connecticut, Delaware and 8 more`, or `Germany: BY`. */
export function regionsWords(regions: string[], max = REGIONS_NAMED_MAX): string {
  // One that is not named takes as much room as its count.
  const named = regions.length <= max + 1 ? regions : regions.slice(0, max);
  const parts = new Map<string, string[]>();
  for (const code of named) {
    const [country = '', part] = REGION_PARTS.has(code) ? [code] : code.split('-');
    parts.set(country, [...(parts.get(country) ?? []), ...(part === undefined ? [] : [part])]);
  }
  const words = [...parts]
    .map(([code, codes]) => {
      const name = REGION_PARTS.get(code) ?? regionName(code);
      return codes.length > 0 ? `${name}: ${codes.join(', ')}` : name;
    })
    .join(', ');
  const count = regions.length - named.length;
  return count > 0 ? t('rules.andMore', { regions: words, count }) : words;
}

/** `United Kingdom`, `All other regions`. */
export function rowName({ index, regions }: Pick<MatrixRow, 'index' | 'regions'>, max?: number): string {
  if (index === null) return t('rules.otherRegions');
  return regions.length > 0 ? regionsWords(regions, max) : t('rules.noRegions');
}

/** `PECR, regulation 6 · version 1`. */
export function presetWords(preset: Preset | undefined, { id, version }: PresetReference): string {
  return t('rules.presetVersion', { law: preset?.law ?? id, version });
}

/** `January 1, 2027`, of a day such as `2027-01-01`, which is the same day everywhere. */
export function dayWords(day: string): string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  return format.format(new Date(`${day}T00:00:00.000Z`));
}
