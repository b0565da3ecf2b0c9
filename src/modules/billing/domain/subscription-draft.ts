import type { AuditedState } from '../../audit/domain/audit-event.js';
import {
  isKnownStatus,
  statusAfter,
  type StatusColumns,
  type Subscription,
} from '../../licensing/domain/subscription.js';
import { isTerminal, type findSoldItem, type StripeSubscription } from './stripe-subscription.js';

/** The values to write for a subscription. */
export interface SubscriptionDraft {
  reported: StripeSubscription;
  /** The sequence number drawn before the fetch. */
  seq: number;
  /**
   * The status columns from the events; absent: they follow from the row and the fetched
   * subscription.
   */
  columns?: StatusColumns;
  /** Start of an overdue payment by the open invoices; null without one. */
  pastDueSince: Date | null;
}

/**
 * Whether the fetched state is older than the row, or contradicts an end that is already stored.
 */
export function isSuperseded(before: Subscription, { reported, seq }: SubscriptionDraft): boolean {
  if (isTerminal(before.status)) return reported.status !== before.status || before.syncSeq >= seq;
  return before.syncSeq >= seq && !isTerminal(reported.status);
}

/** The columns of the row that Stripe determines, as of `now`; `before` is the current row. */
export function toColumns(
  { reported, columns, pastDueSince }: SubscriptionDraft,
  { item, before, now }: { item: ReturnType<typeof findSoldItem>; before: Subscription | null; now: Date },
): Partial<Subscription> {
  const period = item ?? reported.items[0];
  const status =
    columns ??
    statusAfter(
      before,
      {
        status: reported.status,
        tier: item?.meaning.tier ?? null,
        ...(pastDueSince && { pastDueSince }),
        endedAt: reported.endedAt,
        endReason: reported.endReason,
      },
      now,
    );
  return {
    ...status,
    pastDueSince: isSettled(status.status) ? null : status.pastDueSince,
    customerId: reported.customerId,
    priceId: period?.priceId ?? null,
    interval: item?.meaning.interval ?? null,
    currentPeriodStart: period?.periodStart ?? null,
    currentPeriodEnd: period?.periodEnd ?? null,
    cancelAt: reported.cancelAt,
    canceledAt: reported.canceledAt,
    collectionPaused: reported.collectionPaused,
  };
}

/**
 * Whether no payment is overdue, or it no longer matters. An ended subscription has no such date:
 * whether one was ever written would depend on which of its states was observed.
 */
function isSettled(status: string): boolean {
  return isKnownStatus(status) && status !== 'past_due' && status !== 'unpaid';
}

/** The members of a row that project members see. */
export function shownOf(row: Subscription): AuditedState {
  const { status, tier, interval, currentPeriodEnd, cancelAt, endedAt, pastDueSince } = row;
  return { status, tier, interval, currentPeriodEnd, cancelAt, endedAt, pastDueSince };
}

/** The meaningful part of a row as one comparable text. */
export function meaningOf(row: Subscription): string {
  const { projectId, customerId, priceId, tier, interval, status, collectionPaused, endReason } = row;
  const { currentPeriodStart, currentPeriodEnd, cancelAt, canceledAt, endedAt, pastDueSince } = row;
  const instants = [currentPeriodStart, currentPeriodEnd, cancelAt, canceledAt, endedAt, pastDueSince];
  return JSON.stringify([
    projectId,
    customerId ?? null,
    priceId ?? null,
    tier ?? null,
    interval ?? null,
    status,
    collectionPaused,
    endReason ?? null,
    instants.map((instant) => instant?.toISOString() ?? null),
  ]);
}
