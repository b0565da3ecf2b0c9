import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, asObject } from './json.js';
import type { StripeEvent } from './stripe-event.js';

/**
 * Events of one subscription in the order in which they happened. The provider's clock has whole
 * seconds, and several events share one. Within a second, a creation comes first, then invoices,
 * then changes, then the end. Each change contains the state before it (`previous_attributes`), and
 * so shows which change it follows; an event without one, such as `trial_will_end`, goes where its
 * state fits.
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

/** Events of one second between creation and end, which the clock alone cannot order. */
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
