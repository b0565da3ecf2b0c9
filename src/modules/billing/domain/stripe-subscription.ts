import type { AuditedState } from '../../audit/domain/audit-event.js';
import {
  isKnownStatus,
  statusAfter,
  TERMINAL_STATUSES,
  type EndReason,
  type StatusColumns,
  type Subscription,
} from '../../licensing/domain/subscription.js';
import { type PaidTier, tierRank } from '../../licensing/domain/tier.js';
import { asId, asInstant, asList, asObject, asText, earlier, type JsonObject } from './json.js';
import { projectInMetadata, readInvoice, type StripeInvoice } from './stripe-event.js';

/** The tier and interval of a price. */
export interface PriceMeaning {
  tier: PaidTier;
  interval: 'month' | 'year';
}

/** A line of a subscription. */
interface StripeSubscriptionItem {
  priceId: string | null;
  periodStart: Date | null;
  periodEnd: Date | null;
}

/** A subscription as the provider sends it, in any API version. */
export interface StripeSubscription {
  id: string;
  customerId: string | null;
  /** As sent; `unreadable` if a row cannot store it. */
  status: string;
  items: StripeSubscriptionItem[];
  cancelAt: Date | null;
  canceledAt: Date | null;
  endedAt: Date | null;
  /** Null while the subscription is active, or if the reason is unknown. */
  endReason: EndReason | null;
  collectionPaused: boolean;
  /** From the metadata; null: it has none. */
  projectId: string | null;
  /** Null: none, or only its id was sent. */
  latestInvoice: StripeInvoice | null;
  latestInvoiceId: string | null;
}

/** The item that determines tier and period. */
export interface SoldItem extends StripeSubscriptionItem {
  meaning: PriceMeaning;
}

/** States of a customer who pays, or may do so: a second subscription would be charged in addition. */
export const LIVE_STATUSES: readonly string[] = ['trialing', 'active', 'past_due', 'unpaid', 'paused'];

/** Whether our row is such a subscription. */
export function isLiveAtStripe({ provider, status }: Pick<Subscription, 'provider' | 'status'>): boolean {
  return provider === 'stripe' && LIVE_STATUSES.includes(status);
}

const STATUS = /^[\x21-\x7e]{1,64}$/;

export function isTerminal(status: string): boolean {
  return TERMINAL_STATUSES.includes(status);
}

/** Reads a subscription; null: it is invalid. */
export function readSubscription(value: unknown): StripeSubscription | null {
  const subscription = asObject(value);
  const id = asId(subscription?.id);
  if (!subscription || id === null) return null;
  const items = parseItems(subscription);
  const status = asText(subscription.status) ?? '';
  const latestInvoice = readInvoice(subscription.latest_invoice);
  const endedAt = asInstant(subscription.ended_at);
  return {
    id,
    customerId: asId(subscription.customer),
    status: STATUS.test(status) ? status : 'unreadable',
    items,
    cancelAt: parseCancelAt(subscription, items),
    canceledAt: asInstant(subscription.canceled_at),
    endedAt: endedAt ?? (status === 'canceled' ? asInstant(subscription.canceled_at) : null),
    endReason: status === 'canceled' ? parseEndReason(subscription, latestInvoice) : null,
    collectionPaused: asObject(subscription.pause_collection) !== null,
    projectId: projectInMetadata(subscription.metadata),
    latestInvoice,
    latestInvoiceId: asId(subscription.latest_invoice),
  };
}

/**
 * The item with the highest tier; null: no price of the subscription is known. Unknown items beside
 * a known one are ignored.
 */
export function findSoldItem(
  subscription: StripeSubscription,
  prices: ReadonlyMap<string, PriceMeaning>,
): SoldItem | null {
  const sold = subscription.items.flatMap((item) => {
    const meaning = item.priceId === null ? undefined : prices.get(item.priceId);
    return meaning ? [{ ...item, meaning }] : [];
  });
  return (
    sold.toSorted(
      (a, b) =>
        tierRank(b.meaning.tier) - tierRank(a.meaning.tier) ||
        ((a.priceId ?? '') < (b.priceId ?? '') ? -1 : 1),
    )[0] ?? null
  );
}

/** Items have the periods since API 2025-03-31; before, the subscription had them. */
function parseItems(subscription: JsonObject): StripeSubscriptionItem[] {
  const ownStart = asInstant(subscription.current_period_start);
  const ownEnd = asInstant(subscription.current_period_end);
  const items = asList(asObject(subscription.items)?.data).map((item) => ({
    priceId: asId(item.price) ?? asId(item.plan),
    periodStart: asInstant(item.current_period_start) ?? ownStart,
    periodEnd: asInstant(item.current_period_end) ?? ownEnd,
  }));
  if (items.length > 0) return items;
  // The oldest payloads have one plan and no items.
  const planId = asId(subscription.plan);
  return [{ priceId: planId, periodStart: ownStart, periodEnd: ownEnd }];
}

/**
 * `cancel_at` is sent with and without `cancel_at_period_end`; the flag alone means the end of the period.
 */
function parseCancelAt(subscription: JsonObject, items: StripeSubscriptionItem[]): Date | null {
  const cancelAt = asInstant(subscription.cancel_at);
  if (cancelAt !== null || subscription.cancel_at_period_end !== true) return cancelAt;
  return items.reduce<Date | null>((end, item) => earlier(end, item.periodEnd), null);
}

function parseEndReason(subscription: JsonObject, latestInvoice: StripeInvoice | null): EndReason | null {
  const details = asObject(subscription.cancellation_details);
  switch (details?.reason) {
    case 'cancellation_requested':
      return 'requested';
    case 'payment_failed':
      return 'payment_failed';
    case 'payment_disputed':
      return 'dispute';
    default:
  }
  // An empty field means an unknown reason, which has no grace period.
  if (details) return null;
  // Payloads from before 2023 lack this field. Then an invoice that was never paid is the reason.
  return latestInvoice?.status === 'open' || latestInvoice?.status === 'uncollectible'
    ? 'payment_failed'
    : 'requested';
}

/** The values to write for a subscription. */
export interface SubscriptionDraft {
  reported: StripeSubscription;
  /** The sequence number drawn before the fetch. */
  seq: number;
  /** The status columns from the events; absent: they follow from the row and the fetched subscription. */
  columns?: StatusColumns;
  /** Start of an overdue payment by the open invoices; null without one. */
  pastDueSince: Date | null;
}

/** Whether the fetched state is older than the row, or contradicts an end that is already stored. */
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
