import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { isTier, type Tier } from './domain/tier.js';

export const REQUIRED_TIERS = Symbol('REQUIRED_TIERS');
/** Member of an operation in the API document: the tiers that it serves. */
export const TIERS_EXTENSION = 'x-tiers';
export const TIER_EXEMPTION = Symbol('TIER_EXEMPTION');

/** Whether a request needs no tier, by its body as it came, which nothing has checked yet. */
export type TierExemption = (body: unknown) => boolean;

/**
 * The route serves projects whose effective tier is one of `tiers`; others get 403 `tier_required` (spec §4.6).
 * It stands beside `@ProjectRole(…)`: who may call is decided first.
 */
export const RequireTier = (...tiers: Tier[]): MethodDecorator & ClassDecorator => {
  if (tiers.length === 0 || !tiers.every(isTier)) {
    throw new Error('RequireTier takes at least one tier of the catalogue.');
  }
  return applyDecorators(SetMetadata(REQUIRED_TIERS, tiers), ApiExtension(TIERS_EXTENSION, tiers));
};

/** Beside `@RequireTier`: lets requests pass whose body asks for nothing that a tier sells. */
export const ExceptFromTier = (exempt: TierExemption): MethodDecorator => SetMetadata(TIER_EXEMPTION, exempt);
