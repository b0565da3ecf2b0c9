import type { PaidTier } from './tier.js';

/** Every status known to the service (design §6.2); anything else is unknown. */
export const KNOWN_STATUSES = [
  'trialing',
  'active',
  'past_due',
  'canceled',
  'unpaid',
  'paused',
  'incomplete',
  'incomplete_expired',
] as const;
type KnownStatus = (typeof KNOWN_STATUSES)[number];

export function isKnownStatus(status: string | null): status is KnownStatus {
  return KNOWN_STATUSES.some((known) => known === status);
}

/** Final states of a subscription: the provider creates a new one instead. */
export const TERMINAL_STATUSES: readonly string[] = ['canceled', 'incomplete_expired'];

export const END_REASONS = ['requested', 'payment_failed', 'dispute'] as const;
export type EndReason = (typeof END_REASONS)[number];

/** The columns of a subscription that together determine its grant. */
export interface StatusColumns {
  status: string;
  knownStatus: string | null;
  statusSince: Date;
  tier: PaidTier | null;
  pastDueSince: Date | null;
  endedAt: Date | null;
  endReason: EndReason | null;
}

/** The state of a subscription as the provider reports it. */
export interface ReportedStatus {
  status: string;
  tier: PaidTier | null;
  /** Absent: the row's value, or else now, if the status is `past_due`. */
  pastDueSince?: Date;
  endedAt: Date | null;
  endReason: EndReason | null;
}

/**
 * The columns to write when the provider reports a status; `before` is the current row, null for a
 * new one. With an unknown status the row keeps its values, and only the status and its time are
 * written: so the resolver can apply "what the row held before, for 3 days, never a new grant"
 * (design §6.2) although the same message may name a higher tier or a later end. A second unknown
 * status does not restart the 3 days, and an overdue payment stays overdue until the provider
 * reports `active`.
 */
export function statusAfter(before: StatusColumns | null, told: ReportedStatus, now: Date): StatusColumns {
  if (!isKnownStatus(told.status)) {
    const unknownAlready = before !== null && !isKnownStatus(before.status);
    return {
      status: told.status,
      knownStatus: before?.knownStatus ?? null,
      statusSince: unknownAlready ? before.statusSince : now,
      tier: before ? before.tier : told.tier,
      pastDueSince: before?.pastDueSince ?? null,
      endedAt: before?.endedAt ?? null,
      endReason: before?.endReason ?? null,
    };
  }
  return {
    status: told.status,
    knownStatus: told.status,
    statusSince: before?.status === told.status ? before.statusSince : now,
    tier: told.tier,
    pastDueSince: pastDueSinceAfter(before, told, now),
    endedAt: told.endedAt,
    endReason: told.endReason,
  };
}

function pastDueSinceAfter(before: StatusColumns | null, told: ReportedStatus, now: Date): Date | null {
  if (told.status === 'active' || told.status === 'trialing') return null;
  const known = told.pastDueSince ?? before?.pastDueSince ?? null;
  return known ?? (told.status === 'past_due' ? now : null);
}

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
