import { isPreviewHost } from './preview-host.js';
import { isKnownStatus } from './subscription.js';
import { isTier, type ResolvedTier, type Tier, type TierReason, tierRank } from './tier.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long an overdue payment does not affect the tier (design §6.2). */
const PAST_DUE_GRACE_MS = 14 * DAY_MS;
/** How long the tier continues after a subscription ended on request (design §6.2). */
const CANCELED_GRACE_MS = 3 * DAY_MS;
/** How long a row keeps its values after the provider sent an unknown status (design §6.2). */
const UNKNOWN_STATUS_GRACE_MS = 3 * DAY_MS;

/** The columns of a subscription that the rule reads; free text in columns that could hold anything. */
export interface SubscriptionFacts {
  id: string;
  provider: string;
  tier: string | null;
  status: string;
  knownStatus: string | null;
  statusSince: Date;
  endedAt: Date | null;
  endReason: string | null;
  pastDueSince: Date | null;
  expiresAt: Date | null;
}

export interface TierQuestion {
  subscriptions: readonly SubscriptionFacts[];
  /** The project's own domains; they exempt free subdomains from the preview rule. */
  ownDomains: readonly string[];
  /** Absent: the project's tier without a hostname. */
  hostname?: string | undefined;
  now: Date;
}

/**
 * The effective tier (spec §3.2, design §6.2): `lite` on a preview host; else the highest tier
 * among the subscriptions that are entitled at `now`, by the grace table; else `lite`. Without a
 * new row it can only decrease. The order of the rows does not matter, and an invalid row grants
 * nothing.
 */
export function resolveTier({ subscriptions, ownDomains, hostname, now }: TierQuestion): ResolvedTier {
  if (hostname !== undefined && isPreviewHost(hostname, ownDomains)) return lite('preview_hostname');
  const standings = subscriptions.map((subscription) => standingOf(subscription, now));
  const best = standings.filter((standing) => standing.entitled).toSorted(byWorth)[0];
  if (best) {
    const { tier, reason, until, subscriptionId } = best;
    return { tier, reason, graceEndsAt: graceEndOf(reason, until), validUntil: until, subscriptionId };
  }
  const last = standings.filter((standing) => !standing.entitled).toSorted(byEnd)[0];
  return lite(last?.reason ?? 'no_subscription');
}

/** The end of the grace period behind a result, from its reason and its expiry. */
export function graceEndOf(reason: TierReason, validUntil: Date | null): Date | null {
  return isGrace(reason) ? validUntil : null;
}

function isGrace(reason: TierReason): boolean {
  return reason === 'grace_past_due' || reason === 'grace_canceled' || reason === 'unknown_status';
}

function lite(reason: TierReason): ResolvedTier {
  return { tier: 'lite', reason, graceEndsAt: null, validUntil: null, subscriptionId: null };
}

interface Entitled {
  entitled: true;
  subscriptionId: string;
  tier: Tier;
  reason: TierReason;
  /** When the entitlement ends; null: never. */
  until: Date | null;
}
interface NotEntitled {
  entitled: false;
  subscriptionId: string;
  reason: TierReason;
  since: Date;
}

/** Best first: the higher tier, then without grace, then the longer one. */
function byWorth(a: Entitled, b: Entitled): number {
  return (
    tierRank(b.tier) - tierRank(a.tier) ||
    Number(isGrace(a.reason)) - Number(isGrace(b.reason)) ||
    -compare(a.until?.getTime() ?? Infinity, b.until?.getTime() ?? Infinity) ||
    compare(a.subscriptionId, b.subscriptionId)
  );
}

/** The latest end first, because users look for that reason. */
function byEnd(a: NotEntitled, b: NotEntitled): number {
  return (
    -compare(a.since.getTime() || 0, b.since.getTime() || 0) || compare(a.subscriptionId, b.subscriptionId)
  );
}

function compare<T extends number | string>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}

function standingOf(subscription: SubscriptionFacts, now: Date): Entitled | NotEntitled {
  const { id: subscriptionId, statusSince } = subscription;
  const claim = claimOf(subscription);
  if (claim.kind === 'refused') {
    return { entitled: false, subscriptionId, reason: claim.reason, since: statusSince };
  }
  const { tier, reason, until } = claim;
  // Negated, so that an invalid date counts as passed.
  if (until === null || now < until) return { entitled: true, subscriptionId, tier, reason, until };
  return { entitled: false, subscriptionId, reason: claim.lapsedReason, since: until };
}

/** The grant of a row, independent of the current time. */
type Claim =
  | {
      kind: 'granted';
      tier: Tier;
      reason: TierReason;
      /** The end of the grant; null: none. */
      until: Date | null;
      /** The reason after that. */
      lapsedReason: TierReason;
    }
  | { kind: 'refused'; reason: TierReason };

function claimOf(subscription: SubscriptionFacts): Claim {
  const { provider, tier, expiresAt } = subscription;
  if (!isTier(tier) || !mayGrant(provider, tier)) return refused('invalid_subscription');
  const claim = claimByStatus(subscription, subscription.status, tier);
  if (claim.kind === 'refused') return claim;
  // An operator grants for a limited time (design §6.2), so a grant without an end is invalid.
  if (expiresAt === null) return provider === 'manual' ? refused('expired') : claim;
  const until = earliest(claim.until, expiresAt);
  return { ...claim, until, lapsedReason: until === claim.until ? claim.lapsedReason : 'expired' };
}

/** Enterprise is sold by people, so no price of the billing provider grants it (design §6.2). */
function mayGrant(provider: string, tier: Tier): boolean {
  if (tier === 'lite') return false;
  if (provider === 'manual' || provider === 'simulated') return true;
  return provider === 'stripe' && tier !== 'enterprise';
}

function claimByStatus(subscription: SubscriptionFacts, status: string, tier: Tier): Claim {
  switch (status) {
    case 'trialing':
    case 'active':
      return { kind: 'granted', tier, reason: status, until: null, lapsedReason: 'expired' };
    case 'past_due':
      return {
        kind: 'granted',
        tier,
        reason: 'grace_past_due',
        until: later(subscription.pastDueSince ?? subscription.statusSince, PAST_DUE_GRACE_MS),
        lapsedReason: 'grace_expired',
      };
    case 'canceled':
      return claimOfCanceled(subscription, tier);
    case 'unpaid':
      return refused('payment_failed');
    case 'paused':
      return refused('paused');
    case 'incomplete':
    case 'incomplete_expired':
      return refused('incomplete');
    default:
      return claimOfUnknown(subscription, tier);
  }
}

/** Only an end on request at a known time has a grace period; any other ended subscription grants nothing. */
function claimOfCanceled({ endedAt, endReason }: SubscriptionFacts, tier: Tier): Claim {
  if (endReason === 'payment_failed') return refused('payment_failed');
  if (endReason === 'dispute') return refused('payment_disputed');
  if (endReason !== 'requested' || endedAt === null) return refused('canceled');
  return {
    kind: 'granted',
    tier,
    reason: 'grace_canceled',
    until: later(endedAt, CANCELED_GRACE_MS),
    lapsedReason: 'grace_expired',
  };
}

/** The previous values of the row, for 3 days; a row without a known status grants nothing. */
function claimOfUnknown(subscription: SubscriptionFacts, tier: Tier): Claim {
  const { knownStatus, statusSince } = subscription;
  if (!isKnownStatus(knownStatus)) return refused('unknown_status');
  const before = claimByStatus(subscription, knownStatus, tier);
  if (before.kind === 'refused') return refused('unknown_status');
  const until = earliest(before.until, later(statusSince, UNKNOWN_STATUS_GRACE_MS));
  return { kind: 'granted', tier, reason: 'unknown_status', until, lapsedReason: 'unknown_status' };
}

function refused(reason: TierReason): Claim {
  return { kind: 'refused', reason };
}

/** The earlier bound; null is none. An invalid date takes precedence, and blocks. */
function earliest(a: Date | null, b: Date): Date {
  if (a === null) return b;
  return Number.isNaN(a.getTime()) || a <= b ? a : b;
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
