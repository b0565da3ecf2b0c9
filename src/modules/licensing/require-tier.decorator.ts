import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { AccessedRequest } from '../access/access.decorators.js';
import { TIERS_EXTENSION } from '../../platform/openapi/api-description.js';
import type { TierCheck } from './domain/tier-required.js';
import { isTier, type Tier } from './domain/tier.js';

export const REQUIRED_TIERS = Symbol('REQUIRED_TIERS');
export const TIER_LEFT_TO_USE_CASE = Symbol('TIER_LEFT_TO_USE_CASE');

/** A request after the tier guard. */
export interface TieredRequest extends AccessedRequest {
  /** On routes with `@RequireTier`. */
  tierCheck?: TierCheck;
}

/** Whether the use case decides, given the unvalidated body. */
export type TierCondition = (body: unknown) => boolean;

/**
 * The route serves projects whose effective tier is one of `tiers`; others get 403 `tier_required` (spec §4.6).
 * Use it beside `@ProjectRole(…)`, which is checked first.
 */
export const RequireTier = (...tiers: Tier[]): MethodDecorator & ClassDecorator => {
  if (tiers.length === 0 || !tiers.every(isTier)) {
    throw new Error('RequireTier requires at least one tier of the catalogue.');
  }
  return applyDecorators(SetMetadata(REQUIRED_TIERS, tiers), ApiExtension(TIERS_EXTENSION, tiers));
};

/**
 * Beside `@RequireTier`, for a route whose rule compares the body with the stored state: the guard
 * resolves the tier and passes the check to the use case (`@CurrentTierCheck()`), which calls it
 * under the lock of the compared row (ADR 50). With a condition, the guard decides if the condition
 * is false.
 */
export const LeaveTierToUseCase = (when: TierCondition = () => true): MethodDecorator =>
  SetMetadata(TIER_LEFT_TO_USE_CASE, when);

/** The check that the guard passes to the use case; only on `RequireTier` routes. */
export const CurrentTierCheck = createParamDecorator((_: unknown, context: ExecutionContext): TierCheck => {
  const { tierCheck } = context.switchToHttp().getRequest<TieredRequest>();
  if (!tierCheck) throw new Error('CurrentTierCheck used on a route without RequireTier');
  return tierCheck;
});
