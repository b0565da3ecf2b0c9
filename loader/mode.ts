import type { Category, Rule, SiteConfiguration } from './site';

export const CATEGORIES = 'analytics,marketing,preferences'.split(',') as Category[];

/** The rule of a region with these names: the first that has one of them, then the default. */
export const resolveRule = (configuration: SiteConfiguration | null, names: unknown[]): Rule =>
  configuration?.regionRules.find(({ regions }) => regions.some((name) => names.includes(name))) ?? {
    mode: configuration?.defaultMode ?? 'opt_in',
    modes: configuration?.defaultModes,
    preset: configuration?.defaultPreset,
  };

/** A value for each category. */
export const byCategory = <T>(valueOf: (category: Category, index: number) => T): Record<Category, T> =>
  Object.fromEntries(CATEGORIES.map((category, n) => [category, valueOf(category, n)])) as never;

/** The mode of each category. Rules of older documents have one for all. */
export const modesOf = ({ mode, modes }: Rule): Record<Category, string> =>
  byCategory((category) => modes?.[category] ?? mode);
