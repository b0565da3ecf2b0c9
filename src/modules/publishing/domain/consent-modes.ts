import { CATEGORIES, type Category } from './banner-text.js';

/**
 * The state before a visitor chooses: `opt_in` grants nothing; `opt_out` grants everything until
 * the visitor objects; `notice` grants everything, and the banner only informs; `none` grants
 * everything without a banner. The strictest first.
 */
export const CONSENT_MODES = ['opt_in', 'opt_out', 'notice', 'none'] as const;
export type ConsentMode = (typeof CONSENT_MODES)[number];

/** A mode for each category. */
export type CategoryModes = Record<Category, ConsentMode>;

/** One mode for all categories. */
export function allModes(mode: ConsentMode): CategoryModes {
  return { analytics: mode, marketing: mode, preferences: mode };
}

/** The strictest mode of some categories; by default of all. */
export function strictestMode(modes: CategoryModes, of: readonly Category[] = CATEGORIES): ConsentMode {
  const held = (of.length > 0 ? of : CATEGORIES).map((category) => modes[category]);
  return CONSENT_MODES.find((mode) => held.includes(mode)) ?? 'opt_in';
}
