import type { StatusColumns } from './subscription-status.js';

/** Sources of subscriptions. */
export const SUBSCRIPTION_PROVIDERS = ['stripe', 'manual', 'simulated'] as const;
export type SubscriptionProvider = (typeof SUBSCRIPTION_PROVIDERS)[number];

/** The key of a subscription: its id is unique per provider. */
export interface SubscriptionKey {
  provider: SubscriptionProvider;
  /** The provider's own id. Manual: the row's id. Simulated: the project's id. */
  externalId: string;
}

/**
 * A paid tier of a project: the source of truth, from which the project's cached tier is computed (spec §2.4). The
 * status columns are written together, as `statusAfter` returns them.
 */
export interface Subscription extends SubscriptionKey, StatusColumns {
  projectId: string;
  id: string;
  /** The provider's customer; null for manual and simulated ones. */
  customerId: string | null;
  /** The provider's price; null for manual and simulated ones. */
  priceId: string | null;
  /** The billing interval; null: not billed, or the price is unknown. */
  interval: 'month' | 'year' | null;
  currentPeriodStart: Date | null;
  currentPeriodEnd: Date | null;
  /** When it will end; null: it renews. */
  cancelAt: Date | null;
  /** When the end was requested; null: not requested. */
  canceledAt: Date | null;
  /** Collection is paused; the subscription stays active. */
  collectionPaused: boolean;
  /** Number of the sync that wrote it; a smaller one never overwrites it. 0: none. */
  syncSeq: number;
  /** Why an operator granted it; null: not granted by an operator. */
  reason: string | null;
  /** The operator; null: not granted by an operator. */
  grantedBy: string | null;
  /** From this time on it grants nothing, with any status; null: only its status decides. */
  expiresAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** An empty subscription, which grants nothing. */
export function newSubscription(
  key: SubscriptionKey & Pick<Subscription, 'projectId' | 'id'>,
  now: Date,
): Subscription {
  return {
    ...key,
    status: 'incomplete',
    knownStatus: null,
    statusSince: now,
    tier: null,
    pastDueSince: null,
    endedAt: null,
    endReason: null,
    customerId: null,
    priceId: null,
    interval: null,
    currentPeriodStart: null,
    currentPeriodEnd: null,
    cancelAt: null,
    canceledAt: null,
    collectionPaused: false,
    syncSeq: 0,
    reason: null,
    grantedBy: null,
    expiresAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
