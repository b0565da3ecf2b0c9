import { type StatusColumns, statusAfter } from '../../licensing/domain/subscription.js';
import { inOrder } from './event-order.js';
import { earlier } from './json.js';
import type { StripeEvent } from './stripe-event.js';
import { readInvoice, type StripeInvoice } from './stripe-invoice.js';
import {
  isTerminal,
  type PriceMeaning,
  readSubscription,
  findSoldItem,
  type StripeSubscription,
} from './stripe-subscription.js';

/** The state of a subscription derived from all its events. */
export interface History {
  reported: StripeSubscription;
  columns: StatusColumns;
}

interface State extends History {
  /** Every invoice in an event, by id. */
  invoices: Map<string, StripeInvoice>;
}

/**
 * Without an API key for the provider, the payloads are the only source (design §6.4). Reads all
 * events ever received about a subscription, in the provider's order, so the result depends on
 * which events were received and never on when or how often. Null: no event contains the
 * subscription itself.
 */
export function subscriptionFrom(
  events: readonly StripeEvent[],
  prices: ReadonlyMap<string, PriceMeaning>,
): History | null {
  let state: State | null = null;
  const invoices = new Map<string, StripeInvoice>();
  for (const event of inOrder(events)) {
    if (event.type.startsWith('customer.subscription.')) {
      state = afterSubscription(state, event, { prices, invoices });
    } else if (event.type.startsWith('invoice.')) {
      const invoice = readInvoice(event.object);
      if (!invoice) continue;
      if (invoice.id !== null) invoices.set(invoice.id, invoice);
      if (state) state = afterInvoice(state, event, invoice);
    } else if (event.type === 'customer.deleted' && state && !isTerminal(state.columns.status)) {
      state = afterEnd(state, event.createdAt);
    }
  }
  return state && { reported: state.reported, columns: state.columns };
}

function afterSubscription(
  state: State | null,
  event: StripeEvent,
  known: { prices: ReadonlyMap<string, PriceMeaning>; invoices: Map<string, StripeInvoice> },
): State | null {
  const read = readSubscription(event.object);
  if (!read) return state;
  const reported = event.type === 'customer.subscription.deleted' ? ended(read, event.createdAt) : read;
  const before = state?.columns ?? null;
  if (before && isTerminal(before.status) && reported.status !== before.status) return state;
  const invoice = reported.latestInvoice ?? known.invoices.get(reported.latestInvoiceId ?? '') ?? null;
  const overdue = reported.status === 'past_due' || reported.status === 'unpaid';
  // Overdue since the first unpaid invoice, or else since the first event that reported it.
  const pastDueSince = overdue ? earlier(before?.pastDueSince ?? null, invoice?.dueAt ?? null) : null;
  const columns = statusAfter(
    before,
    {
      status: reported.status,
      tier: findSoldItem(reported, known.prices)?.meaning.tier ?? null,
      ...(pastDueSince && { pastDueSince }),
      endedAt: reported.endedAt,
      endReason: reported.endReason,
    },
    event.createdAt,
  );
  return { reported, columns, invoices: known.invoices };
}

/** An event that reports an end ends the subscription even if its payload is older. */
function ended(reported: StripeSubscription, at: Date): StripeSubscription {
  return isTerminal(reported.status)
    ? { ...reported, endedAt: reported.endedAt ?? at }
    : {
        ...reported,
        status: 'canceled',
        endedAt: reported.endedAt ?? at,
        endReason: reported.endReason ?? 'requested',
      };
}

function afterEnd(state: State, at: Date): State {
  const { tier } = state.columns;
  const end = { status: 'canceled', tier, endedAt: at, endReason: 'requested' as const };
  return {
    ...state,
    reported: { ...state.reported, endedAt: at },
    columns: statusAfter(state.columns, end, at),
  };
}

/** A failed or successful payment changes the invoice's status, even if no other event shows it. */
function afterInvoice(state: State, event: StripeEvent, invoice: StripeInvoice): State {
  const { columns } = state;
  const { status, tier, endedAt, endReason } = columns;
  const failed = event.type === 'invoice.payment_failed' || event.type === 'invoice.overdue';
  if (failed && !invoice.isFirst && (status === 'active' || status === 'past_due')) {
    const since = earlier(columns.pastDueSince, invoice.dueAt);
    const reported = { status: 'past_due', tier, ...(since && { pastDueSince: since }), endedAt, endReason };
    return { ...state, columns: statusAfter(columns, reported, event.createdAt) };
  }
  if (event.type === 'invoice.paid' && status === 'past_due' && isTheUnpaidOne(state, invoice)) {
    return {
      ...state,
      columns: statusAfter(columns, { status: 'active', tier, endedAt, endReason }, event.createdAt),
    };
  }
  return state;
}

/** A late payment of an older or different invoice does not pay the overdue one. */
function isTheUnpaidOne({ invoices, reported }: State, paid: StripeInvoice): boolean {
  const unpaid = [...invoices.values()].filter(({ id, status }) => id !== paid.id && status === 'open');
  const latest = reported.latestInvoiceId;
  return unpaid.length === 0 && (latest === null || latest === paid.id);
}
