import { regionName } from '../../shared/display-names';
import { locale, t } from '../../i18n/i18n';
import { CATEGORIES, type Category, type Mode, type Modes, MODES } from './configuration';
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

/** `Opt-out for Analytics and Preferences, Opt-in for Marketing`. */
export function modesWords(modes: Modes): string {
  return byMode(modes, CATEGORIES)
    .map(([mode, categories]) =>
      categories.length === CATEGORIES.length
        ? t('rules.modeForAll', { mode: t(`banner.modes.${mode}`) })
        : t('rules.modeFor', { mode: t(`banner.modes.${mode}`), categories: listed(categories) }),
    )
    .join(', ');
}

/** `Marketing: off until the visitor opts in. Analytics and Preferences: …`; null where one mode holds. */
export function mixedModesWords(modes: Modes, offered: Category[]): string | null {
  const groups = byMode(modes, offered);
  if (groups.length < 2) return null;
  return groups
    .map(([mode, categories]) => `${listed(categories)}: ${t(`rules.effects.${mode}`)}.`)
    .join(' ');
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

function byMode(modes: Modes, categories: Category[]): [Mode, Category[]][] {
  return MODES.map((mode): [Mode, Category[]] => [
    mode,
    categories.filter((category) => modes[category] === mode),
  ]).filter(([, held]) => held.length > 0);
}

function listed(categories: Category[]): string {
  const names = categories.map((category) => t(`categories.${category}`));
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(names);
}
