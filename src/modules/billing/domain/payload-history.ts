import { isDeepStrictEqual } from 'node:util';
import { statusAfter, type StatusColumns } from '../../licensing/domain/subscription.js';
import { asObject, earlier, type JsonObject } from './json.js';
import { readInvoice, type StripeEvent, type StripeInvoice } from './stripe-event.js';
import {
  findSoldItem,
  isTerminal,
  type PriceMeaning,
  readSubscription,
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
 * Without an API key for the provider, the payloads are the only source (design §6.4). Reads all events ever
 * received about a subscription, in the provider's order, so the result depends on which events were received
 * and never on when or how often. Null: no event contains the subscription itself.
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
  if (event.type === 'invoice.paid' && status === 'past_due' && isTheUnpaidOne(state, invoice))
    return {
      ...state,
      columns: statusAfter(columns, { status: 'active', tier, endedAt, endReason }, event.createdAt),
    };
  return state;
}

/** A late payment of an older or different invoice does not pay the overdue one. */
function isTheUnpaidOne({ invoices, reported }: State, paid: StripeInvoice): boolean {
  const unpaid = [...invoices.values()].filter(({ id, status }) => id !== paid.id && status === 'open');
  const latest = reported.latestInvoiceId;
  return unpaid.length === 0 && (latest === null || latest === paid.id);
}

/**
 * Events of one subscription in the order in which they happened. The provider's clock has whole seconds, and
 * several events share one. Within a second, a creation comes first, then invoices, then changes, then the
 * end. Each change contains the state before it (`previous_attributes`), and so shows which change it
 * follows; an event without one, such as `trial_will_end`, goes where its state fits.
 */
export function inOrder(events: readonly StripeEvent[]): StripeEvent[] {
  let rest = events.toSorted(byTime);
  const ordered: StripeEvent[] = [];
  let before: JsonObject | null = null;
  for (let first = rest[0]; first; first = rest[0]) {
    const together = new Set(rest.filter((event) => isTogether(first, event)));
    // Events between two of them that belong to neither follow them.
    rest = rest.filter((event) => !together.has(event));
    const isKnown = [...together].some(({ previous }) => previous !== null);
    ordered.push(...(isKnown ? chained([...together], before) : together));
    const last = ordered.at(-1);
    if (last?.type.startsWith('customer.subscription.')) before = last.object;
  }
  return ordered;
}

function byTime(a: StripeEvent, b: StripeEvent): number {
  return (
    a.createdAt.getTime() - b.createdAt.getTime() ||
    rankOf(a) - rankOf(b) ||
    statusRankOf(a) - statusRankOf(b) ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}

function rankOf({ type }: StripeEvent): number {
  if (type === 'customer.subscription.created') return 0;
  if (type.startsWith('invoice.')) return 1;
  if (type === 'customer.subscription.deleted') return 3;
  return type === 'customer.deleted' ? 4 : 2;
}

/** Of two unrelated updates in the same second, the one with status `incomplete` is the earlier one. */
function statusRankOf({ object }: StripeEvent): number {
  return object.status === 'incomplete' ? 0 : 1;
}

/** Whether both are between creation and end, in the same second: their timestamps do not order them. */
function isTogether(a: StripeEvent, b: StripeEvent): boolean {
  const isBetween = (event: StripeEvent): boolean =>
    event.type.startsWith('customer.subscription.') && rankOf(event) === 2;
  return a === b || (isBetween(a) && isBetween(b) && a.createdAt.getTime() === b.createdAt.getTime());
}

/**
 * Picks one event after the other: the one whose previous state matches the current state best;
 * while no state is known, the one that follows none of the others. A change that has not arrived
 * leaves a gap, hence "best". Of two equal matches, the one that changes nothing goes first, so its
 * state does not replace a newer one.
 */
function chained(changes: readonly StripeEvent[], before: JsonObject | null): StripeEvent[] {
  const left = [...changes];
  const ordered: StripeEvent[] = [];
  let state = before;
  while (left.length > 0) {
    const scores = left.map((event) => {
      const was = stateBefore(event);
      if (state) return agreement(was, state);
      const others = left.filter((other) => other !== event);
      return -Math.max(0, ...others.map(({ object }) => agreement(was, object)));
    });
    const best = Math.max(...scores);
    const isBest = (_: StripeEvent, at: number): boolean => scores[at] === best;
    const still = left.findIndex((event, at) => isBest(event, at) && event.previous === null);
    const [next] = left.splice(still === -1 ? left.findIndex(isBest) : still, 1) as [StripeEvent];
    ordered.push(next);
    state = next.object;
  }
  return ordered;
}

function stateBefore({ object, previous }: StripeEvent): JsonObject {
  return previous ? merged(object, previous) : object;
}

/** The values before a change: complete for a list, only the changed members for an object. */
function merged(now: JsonObject, previous: JsonObject): JsonObject {
  const was: JsonObject = { ...now };
  for (const [key, value] of Object.entries(previous)) {
    const [inner, innerNow] = [asObject(value), asObject(now[key])];
    was[key] = inner && innerNow && inner.object !== 'list' ? merged(innerNow, inner) : value;
  }
  return was;
}

/** The number of members that two states have in common. */
function agreement(a: JsonObject, b: JsonObject): number {
  return Object.keys(a).filter((key) => isDeepStrictEqual(a[key], b[key])).length;
}
