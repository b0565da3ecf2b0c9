import type { Tier } from './tier.js';

/** The tiers that may forward consent records (spec §1, §8). */
export const FORWARDING_TIERS: readonly Tier[] = ['pro', 'business', 'enterprise'];
