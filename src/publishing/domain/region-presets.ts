import type { RegionRule } from './configuration.js';

/** States of the US whose law lets visitors opt out of sale, sharing or targeted advertising, as of 2026. */
const US_OPT_OUT_STATES = 'CA CO CT DE FL IA IN KY MD MN MT NE NH NJ OR RI TN TX UT VA'
  .split(' ')
  .map((state) => `US-${state}`);

/** Region rules to begin with; rules of several presets may follow one another. */
export const REGION_PRESETS: Record<'euUkCh' | 'usStates', RegionRule[]> = {
  euUkCh: [{ regions: ['EU', 'GB', 'CH'], mode: 'opt_in' }],
  usStates: [
    { regions: US_OPT_OUT_STATES, mode: 'opt_out' },
    { regions: ['US'], mode: 'notice' },
  ],
};
