/** Tier keys, lowest first; the same in code, API and dashboard (spec §2.3, §3.1). */
export const TIERS = ['lite', 'pro', 'business', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** The tiers that a subscription can grant. */
export type PaidTier = Exclude<Tier, 'lite'>;

export function isTier(value: unknown): value is Tier {
  return TIERS.some((tier) => tier === value);
}

/** The rank of a tier; a higher one includes the features of a lower one. */
export function tierRank(tier: Tier): number {
  return TIERS.indexOf(tier);
}

/** The reasons of an effective tier. Stable once released; clients switch on them. */
export const TIER_REASONS = {
  active: 'The subscription is active.',
  trialing: 'The subscription is in its trial period.',
  grace_past_due: 'A payment is overdue. The tier stays active until the grace period ends.',
  grace_canceled: 'The subscription was canceled. The tier stays active until the grace period ends.',
  preview_hostname: 'The hostname is a preview host of a website builder.',
  no_subscription: 'No subscription.',
  grace_expired: 'The grace period after an overdue payment or a cancellation has ended.',
  payment_failed: 'The subscription was canceled after failed payments.',
  payment_disputed: 'The subscription ended because its payment was disputed.',
  canceled: 'The subscription was canceled at an unknown time or for an unknown reason.',
  paused: 'The subscription is paused.',
  incomplete: 'The first payment was not completed.',
  unknown_status: 'The billing provider reports an unknown subscription status.',
  expired: 'The granted tier has expired.',
  invalid_subscription: 'The subscription does not match any tier of its provider.',
} as const;
export type TierReason = keyof typeof TIER_REASONS;

/** An effective tier with its reason and expiry. */
export interface ResolvedTier {
  tier: Tier;
  reason: TierReason;
  /** End of the current grace period; null: none. */
  graceEndsAt: Date | null;
  /** When the result changes without a write; null: only a write can change it. */
  validUntil: Date | null;
  /** The subscription that grants the tier; null: none. */
  subscriptionId: string | null;
}
