import type { Role } from '../../access/domain/role.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { type ResolvedTier, type Tier, tierRank } from './tier.js';

/** The public catalogue of tiers and prices. */
const PRICING_PATH = '/v1/pricing';

/** Throws `tier_required` unless the tier is one of those required. */
export type TierCheck = () => void;

/**
 * The only comparison of a project's tier with the required ones: for the guard, and for use cases
 * that check themselves.
 */
export function tierCheck(required: readonly Tier[], resolved: ResolvedTier, role: Role): TierCheck {
  return () => {
    if (!required.includes(resolved.tier)) throw tierRequired(required, resolved, role);
  };
}

/**
 * The error. Only owners can buy, so only they see which tier they need; on a preview host none
 * would help.
 */
export function tierRequired(required: readonly Tier[], resolved: ResolvedTier, role: Role): DomainError {
  const { tier, reason, graceEndsAt } = resolved;
  const better = required.filter((candidate) => tierRank(candidate) > tierRank(tier));
  const canUpgrade = role === 'owner' && reason !== 'preview_hostname' && better.length > 0;
  return new DomainError(
    'tier_required',
    `Requires one of the tiers ${required.join(', ')}. The current tier is ${tier} (${reason}).`,
    {
      members: {
        requiredTiers: required,
        currentTier: tier,
        reason,
        ...(graceEndsAt && { graceEndsAt: graceEndsAt.toISOString() }),
        ...(canUpgrade && { upgrade: { pricingUrl: PRICING_PATH, tiers: better } }),
      },
    },
  );
}
