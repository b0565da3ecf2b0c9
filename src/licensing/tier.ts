/** Tier keys, lowest first; the same in code, API and dashboard (spec §2.3, §3.1). */
export const TIERS = ['lite', 'pro', 'business', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];
