import type { VisitCounts } from './project-tally.js';

/** Digits of a rate: more would be noise. */
const RATE_DIGITS = 4;

export interface SiteCounts extends VisitCounts {
  /** Visits on which a banner was shown: chosen and ignored. */
  shown: number;
  /**
   * Share of shown banners on which the visitor decided, from 0 to 1; null where none was shown.
   */
  interactionRate: number | null;
}

export function siteCountsOf({ visits, chosen, ignored }: VisitCounts): SiteCounts {
  const shown = chosen + ignored;
  return {
    ...{ visits, shown, chosen, ignored },
    interactionRate: shown === 0 ? null : Number((chosen / shown).toFixed(RATE_DIGITS)),
  };
}
