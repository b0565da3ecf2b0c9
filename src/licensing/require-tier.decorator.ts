import { SetMetadata } from '@nestjs/common';
import type { Tier } from './tier.js';

export const REQUIRED_TIERS = Symbol('REQUIRED_TIERS');

/** The route serves projects whose effective tier is one of `tiers`; others get 403 `tier_required` (spec §4.6). */
export const RequireTier = (...tiers: Tier[]): MethodDecorator & ClassDecorator =>
  SetMetadata(REQUIRED_TIERS, tiers);
