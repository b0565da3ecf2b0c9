import type { BillingState } from '../application/billing.service.js';
import type { SubscriptionStateResponse } from './billing.dto.js';

/** The response of `GET …/subscription`, without the provider's ids. */
export function presentSubscription(state: BillingState): SubscriptionStateResponse {
  const { resolved, subscription, liveSubscriptions, billingAvailable } = state;
  return {
    tier: resolved.tier,
    reason: resolved.reason,
    graceEndsAt: iso(resolved.graceEndsAt),
    subscription: subscription && {
      id: subscription.id,
      provider: subscription.provider,
      tier: subscription.tier,
      interval: subscription.interval,
      status: subscription.status,
      currentPeriodStart: iso(subscription.currentPeriodStart),
      currentPeriodEnd: iso(subscription.currentPeriodEnd),
      cancelAt: iso(subscription.cancelAt),
      endedAt: iso(subscription.endedAt),
      pastDueSince: iso(subscription.pastDueSince),
      collectionPaused: subscription.collectionPaused,
      expiresAt: iso(subscription.expiresAt),
    },
    liveSubscriptions,
    billingAvailable,
  };
}

function iso(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}
