import type { Category, Rule, SiteConfiguration } from './site';

export const CATEGORIES = 'analytics,marketing,preferences'.split(',') as Category[];

/**
 * The rule of a region: the first that names it, then the default. `US-` names visitors of `US` whose subdivision is unknown,
 * for whom a stricter rule is published (src/modules/publishing/domain/published-rules.ts).
 */
export const resolveRule = (
  configuration: SiteConfiguration | null,
  region: string,
  isEu: () => boolean,
): Rule =>
  configuration?.regionRules.find(({ regions }) =>
    regions.some((name: unknown) =>
      [region, region + '-', region.slice(0, 2), isEu() && EU_GROUP].includes(name as string),
    ),
  ) ?? {
    mode: configuration?.defaultMode ?? 'opt_in',
    modes: configuration?.defaultModes,
    preset: configuration?.defaultPreset,
  };

/** A value for each category. */
export const byCategory = <T>(valueOf: (category: Category, index: number) => T): Record<Category, T> =>
  Object.fromEntries(CATEGORIES.map((category, n) => [category, valueOf(category, n)])) as never;

/** The mode of each category. Rules of older documents have one for all. */
export const modesOf = (rule: () => Rule): Record<Category, string> =>
  byCategory((category) => rule().modes?.[category] ?? rule().mode);
