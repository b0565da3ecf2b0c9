import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { AccessedRequest } from '../access/access.decorators.js';
import type { TierCheck } from './domain/tier-required.js';
import { isTier, type Tier } from './domain/tier.js';

export const REQUIRED_TIERS = Symbol('REQUIRED_TIERS');
/** Member of an operation in the API document: the tiers that it serves. */
export const TIERS_EXTENSION = 'x-tiers';
export const TIER_LEFT_TO_USE_CASE = Symbol('TIER_LEFT_TO_USE_CASE');

/** A request behind the tier guard. */
export interface TieredRequest extends AccessedRequest {
  /** Of a route with `@RequireTier`. */
  tierCheck?: TierCheck;
}

/** Whether the use case decides, by the body before its validation. */
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
 * Beside `@RequireTier`, for a route whose rule compares the body with what is stored: the guard resolves the tier and
 * hands the check to the use case (`@CurrentTierCheck()`), which calls it under the lock of the row that it compares
 * with (ADR 50). With a condition, the guard decides where the condition does not hold.
 */
export const LeaveTierToUseCase = (when: TierCondition = () => true): MethodDecorator =>
  SetMetadata(TIER_LEFT_TO_USE_CASE, when);

/** The check that the guard has left to the use case; only on `RequireTier` routes. */
export const CurrentTierCheck = createParamDecorator((_: unknown, context: ExecutionContext): TierCheck => {
  const { tierCheck } = context.switchToHttp().getRequest<TieredRequest>();
  if (!tierCheck) throw new Error('CurrentTierCheck used on a route without RequireTier');
  return tierCheck;
});
