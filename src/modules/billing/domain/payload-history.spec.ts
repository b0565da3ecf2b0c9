import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { subscriptionFrom } from './payload-history.js';
import { readEvent, type StripeEvent } from './stripe-event.js';

const PRICES = new Map([
  ['price_pro', { tier: 'pro', interval: 'month' }],
  ['price_business', { tier: 'business', interval: 'month' }],
] as const);

const at = (second: number): Date => new Date((1_800_000_000 + second) * 1000);
let count = 0;

function event(type: string, second: number, object: Record<string, unknown>): StripeEvent {
  count += 1;
  const payload = { id: `evt_${count}`, type, created: at(second).getTime() / 1000, data: { object } };
  const read = readEvent(payload);
  if (!read) throw new Error('no event');
  return read;
}

const subscription = (status: string, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'sub_1',
  customer: 'cus_1',
  status,
  items: { data: [{ price: { id: 'price_pro' } }] },
  ...fields,
});

const invoice = (
  status: string,
  second: number,
  fields: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id: 'in_1',
  object: 'invoice',
  status,
  created: at(second).getTime() / 1000,
  subscription: 'sub_1',
  ...fields,
});

const updated = (second: number, object: Record<string, unknown>): StripeEvent =>
  event('customer.subscription.updated', second, object);

const toColumns = (...events: StripeEvent[]): unknown => subscriptionFrom(events, PRICES)?.columns;

describe(subscriptionFrom.name, () => {
  it('knows nothing where no event tells the subscription', () => {
    expect(subscriptionFrom([], PRICES)).toBeNull();
    expect(subscriptionFrom([event('invoice.paid', 0, invoice('paid', 0))], PRICES)).toBeNull();
  });

  it('takes the word of the newest event', () => {
    expect(toColumns(updated(2, subscription('unpaid')), updated(1, subscription('active')))).toMatchObject({
      status: 'unpaid',
      tier: 'pro',
    });
  });

  it('within one second takes what is incomplete first, and an end last', () => {
    const incomplete = event('customer.subscription.created', 0, subscription('incomplete'));
    const active = updated(0, subscription('active'));
    const stillIncomplete = updated(0, subscription('incomplete'));
    const deleted = event('customer.subscription.deleted', 0, subscription('canceled'));
    expect(toColumns(active, stillIncomplete, incomplete)).toMatchObject({ status: 'active' });
    expect(toColumns(deleted, active, incomplete)).toMatchObject({ status: 'canceled', endedAt: at(0) });
  });

  it('ends a subscription by the event that says so, whatever its payload says', () => {
    const deleted = event('customer.subscription.deleted', 5, subscription('active'));
    expect(
      toColumns(updated(1, subscription('active')), deleted, updated(9, subscription('active'))),
    ).toMatchObject({
      status: 'canceled',
      endedAt: at(5),
      endReason: 'requested',
    });
  });

  it('ends it with its customer', () => {
    const gone = event('customer.deleted', 5, { id: 'cus_1', object: 'customer' });
    expect(toColumns(gone, updated(1, subscription('active')))).toMatchObject({
      status: 'canceled',
      endedAt: at(5),
    });
  });

  it('counts an overdue payment from its invoice, or else from the first event that told it', () => {
    const active = updated(0, subscription('active'));
    const overdue = updated(60, subscription('past_due', { latest_invoice: 'in_1' }));
    const again = updated(90, subscription('past_due', { latest_invoice: 'in_1' }));
    expect(toColumns(again, overdue, active)).toMatchObject({ status: 'past_due', pastDueSince: at(60) });
    const failed = event('invoice.payment_failed', 61, invoice('open', 50));
    expect(toColumns(failed, again, overdue, active)).toMatchObject({ pastDueSince: at(50) });
    const due = event('invoice.overdue', 62, invoice('open', 50, { due_date: at(40).getTime() / 1000 }));
    expect(toColumns(due, again, overdue, active)).toMatchObject({ pastDueSince: at(40) });
  });

  it('leaves it overdue where another invoice is paid, and the first payment incomplete', () => {
    const active = updated(0, subscription('active'));
    const failed = event('invoice.payment_failed', 60, invoice('open', 50));
    const other = event('invoice.paid', 70, invoice('paid', 65, { id: 'in_2' }));
    expect(toColumns(active, failed, other)).toMatchObject({ status: 'past_due', pastDueSince: at(50) });
    const first = invoice('open', 50, { billing_reason: 'subscription_create' });
    expect(toColumns(active, event('invoice.payment_failed', 60, first))).toMatchObject({ status: 'active' });
  });

  it('is paid up again by the invoice that it owes', () => {
    const active = updated(0, subscription('active'));
    const before = event('invoice.paid', 1, invoice('paid', 0, { id: 'in_0' }));
    const failed = event('invoice.payment_failed', 60, invoice('open', 50));
    const paid = event('invoice.paid', 70, invoice('paid', 50));
    const upToDate = { status: 'active', tier: 'pro', pastDueSince: null, statusSince: at(70) };
    expect(toColumns(active, before, failed, paid)).toMatchObject(upToDate);
    const overdue = updated(61, subscription('past_due', { latest_invoice: 'in_1' }));
    expect(toColumns(active, before, failed, overdue, paid)).toMatchObject(upToDate);
    // The event means that the invoice is paid, even if its payload is out of date.
    const stale = event('invoice.paid', 70, invoice('open', 50));
    expect(toColumns(active, failed, stale)).toMatchObject(upToDate);
    const nameless = event('invoice.payment_failed', 62, invoice('open', 50, { id: null }));
    expect(toColumns(active, failed, nameless, paid)).toMatchObject(upToDate);
  });

  it('is not paid up by another invoice than its latest, nor while a second one is open', () => {
    const active = updated(0, subscription('active'));
    const overdue = updated(60, subscription('past_due', { latest_invoice: 'in_2' }));
    const paid = event('invoice.paid', 70, invoice('paid', 50));
    expect(toColumns(active, overdue, paid)).toMatchObject({ status: 'past_due', pastDueSince: at(60) });
    const second = event('invoice.payment_failed', 65, invoice('open', 64, { id: 'in_2' }));
    const named = updated(60, subscription('past_due', { latest_invoice: 'in_1' }));
    expect(toColumns(active, named, second, paid)).toMatchObject({ status: 'past_due' });
  });

  it.each(['unpaid', 'paused', 'incomplete'])('stays %s whatever an invoice of it says', (status) => {
    const events = [updated(0, subscription(status))];
    expect(toColumns(...events, event('invoice.paid', 9, invoice('paid', 1)))).toMatchObject({ status });
    expect(toColumns(...events, event('invoice.payment_failed', 9, invoice('open', 1)))).toMatchObject({
      status,
    });
  });

  it('is overdue by a payment that failed or was not made in time, and by no other word of an invoice', () => {
    const active = updated(0, subscription('active'));
    const overdue = event('invoice.overdue', 60, invoice('open', 50));
    expect(toColumns(active, overdue)).toMatchObject({ status: 'past_due', pastDueSince: at(50) });
    const asked = event('invoice.payment_action_required', 60, invoice('open', 50));
    expect(toColumns(active, asked)).toMatchObject({ status: 'active', pastDueSince: null });
    expect(toColumns(updated(0, subscription('past_due')), asked)).toMatchObject({ status: 'past_due' });
  });

  it('is overdue since the first unpaid invoice that anybody told', () => {
    const since = (...events: StripeEvent[]): unknown =>
      subscriptionFrom([updated(0, subscription('active')), ...events], PRICES)?.columns.pastDueSince;
    const overdue = (second: number, latest: unknown, status = 'past_due'): StripeEvent =>
      updated(second, subscription(status, { latest_invoice: latest }));
    // The failure arrives after the change it led to, and is about an older invoice.
    expect(since(overdue(60, null), event('invoice.payment_failed', 61, invoice('open', 50)))).toEqual(
      at(50),
    );
    expect(since(overdue(60, invoice('open', 40)))).toEqual(at(40));
    expect(since(overdue(60, invoice('open', 40)), overdue(80, invoice('open', 70, { id: 'in_2' })))).toEqual(
      at(40),
    );
    const told = event('invoice.payment_action_required', 51, invoice('open', 50));
    expect(since(told, overdue(60, 'in_1'))).toEqual(at(50));
    expect(since(told, overdue(60, 'in_1', 'unpaid'))).toEqual(at(50));
    expect(since(overdue(60, null, 'unpaid'))).toBeNull();
    expect(since(told, overdue(60, 'in_1', 'paused'))).toBeNull();
  });

  it('grants no tier for a price that nobody knows', () => {
    const items = { data: [{ price: { id: 'price_odd' } }] };
    expect(toColumns(updated(0, subscription('active', { items })))).toMatchObject({
      status: 'active',
      tier: null,
    });
  });

  it('is told nothing by an event whose subscription cannot be read, or that is of another kind', () => {
    const active = updated(0, subscription('active'));
    expect(toColumns(active, updated(9, subscription('past_due', { id: 'a b' })))).toEqual(toColumns(active));
    expect(toColumns(active, event('checkout.session.completed', 9, { id: 'cs_1' }))).toEqual(
      toColumns(active),
    );
  });

  it('keeps what the provider says of an end, and learns the reason later', () => {
    const gone = (status: string, fields = {}): StripeEvent =>
      event('customer.subscription.deleted', 5, subscription(status, fields));
    // An empty reason means that the provider does not know it.
    expect(toColumns(gone('canceled', { cancellation_details: { reason: null } }))).toMatchObject({
      status: 'canceled',
      endedAt: at(5),
      endReason: null,
    });
    expect(toColumns(gone('incomplete_expired'))).toMatchObject({
      status: 'incomplete_expired',
      endedAt: at(5),
    });
    const details = { cancellation_details: { reason: 'payment_failed' } };
    expect(toColumns(gone('canceled'), updated(9, subscription('canceled', details)))).toMatchObject({
      endReason: 'payment_failed',
    });
  });

  it('still tells all the rest of a subscription that ended with its customer', () => {
    const gone = event('customer.deleted', 5, { id: 'cus_1', object: 'customer' });
    expect(subscriptionFrom([updated(1, subscription('active')), gone], PRICES)?.reported).toMatchObject({
      id: 'sub_1',
      customerId: 'cus_1',
      endedAt: at(5),
    });
  });

  it('keeps what it held under a status that nobody knows', () => {
    const better = { items: { data: [{ price: { id: 'price_business' } }] } };
    expect(
      toColumns(updated(0, subscription('active')), updated(9, subscription('odd', better))),
    ).toMatchObject({
      status: 'odd',
      knownStatus: 'active',
      tier: 'pro',
      statusSince: at(9),
    });
  });

  it('answers the same for every order and duplication of the same events', () => {
    const status = fc.constantFrom('incomplete', 'active', 'past_due', 'unpaid', 'canceled', 'paused', 'odd');
    const second = fc.nat(5);
    const one = fc.oneof(
      fc.tuple(second, status).map(([s, word]) => updated(s, subscription(word, { latest_invoice: 'in_1' }))),
      fc
        .tuple(second, status)
        .map(([s, word]) => event('customer.subscription.deleted', s, subscription(word))),
      second.map((s) => event('invoice.payment_failed', s, invoice('open', s))),
      second.map((s) => event('invoice.paid', s, invoice('paid', s))),
      second.map((s) => event('customer.deleted', s, { id: 'cus_1', object: 'customer' })),
    );
    const orders = fc
      .array(one, { minLength: 1, maxLength: 8 })
      .chain((events) =>
        fc.tuple(
          fc.constant(events),
          fc.shuffledSubarray(events, { minLength: events.length }),
          fc.subarray(events),
        ),
      );
    fc.assert(
      fc.property(orders, ([events, shuffled, again]) => {
        expect(toColumns(...shuffled, ...again)).toEqual(toColumns(...events));
      }),
    );
  });
});
