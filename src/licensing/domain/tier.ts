/** Tier keys, lowest first; the same in code, API and dashboard (spec §2.3, §3.1). */
export const TIERS = ['lite', 'pro', 'business', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** What a subscription can grant. */
export type PaidTier = Exclude<Tier, 'lite'>;

export function isTier(value: unknown): value is Tier {
  return TIERS.some((tier) => tier === value);
}

/** Place of a tier in the order; a higher one has all that a lower one has. */
export function tierRank(tier: Tier): number {
  return TIERS.indexOf(tier);
}

/** Why an effective tier is what it is. Stable once released; clients switch on them. */
export const TIER_REASONS = {
  active: 'A subscription is active.',
  trialing: 'A subscription is in its trial.',
  grace_past_due: 'A payment is overdue; the tier stays until the grace period ends.',
  grace_canceled: 'The subscription ended on request; the tier stays until the grace period ends.',
  preview_hostname: 'The host name is a preview host of a website builder.',
  no_subscription: 'There is no subscription.',
  grace_expired: 'The grace period after an overdue payment or a cancellation is over.',
  payment_failed: 'The subscription was given up after failed payments.',
  payment_disputed: 'The subscription ended because its payment was disputed.',
  canceled: 'The subscription was canceled, and when or why is not known.',
  paused: 'The subscription is paused.',
  incomplete: 'The first payment was never completed.',
  unknown_status: 'The billing provider reports a status that the service does not know.',
  expired: 'The grant of an operator has expired.',
  invalid_subscription: 'The subscription names no tier that its provider can grant.',
} as const;
export type TierReason = keyof typeof TIER_REASONS;

/** An effective tier, and why and how long it is that. */
export interface ResolvedTier {
  tier: Tier;
  reason: TierReason;
  /** End of the grace period that the tier now rests on; null where it rests on none. */
  graceEndsAt: Date | null;
  /** The next instant at which the result changes without a write; null: only a write can change it. */
  validUntil: Date | null;
  /** The subscription that grants the tier; null where none does. */
  subscriptionId: string | null;
}
