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

const columnsOf = (...events: StripeEvent[]): unknown => subscriptionFrom(events, PRICES)?.columns;

describe(subscriptionFrom.name, () => {
  it('knows nothing where no event tells the subscription', () => {
    expect(subscriptionFrom([], PRICES)).toBeNull();
    expect(subscriptionFrom([event('invoice.paid', 0, invoice('paid', 0))], PRICES)).toBeNull();
  });

  it('takes the word of the newest event', () => {
    expect(columnsOf(updated(2, subscription('unpaid')), updated(1, subscription('active')))).toMatchObject({
      status: 'unpaid',
      tier: 'pro',
    });
  });

  it('within one second takes what is incomplete first, and an end last', () => {
    const incomplete = event('customer.subscription.created', 0, subscription('incomplete'));
    const active = updated(0, subscription('active'));
    const stillIncomplete = updated(0, subscription('incomplete'));
    const deleted = event('customer.subscription.deleted', 0, subscription('canceled'));
    expect(columnsOf(active, stillIncomplete, incomplete)).toMatchObject({ status: 'active' });
    expect(columnsOf(deleted, active, incomplete)).toMatchObject({ status: 'canceled', endedAt: at(0) });
  });

  it('ends a subscription by the event that says so, whatever its payload says', () => {
    const deleted = event('customer.subscription.deleted', 5, subscription('active'));
    expect(
      columnsOf(updated(1, subscription('active')), deleted, updated(9, subscription('active'))),
    ).toMatchObject({
      status: 'canceled',
      endedAt: at(5),
      endReason: 'requested',
    });
  });

  it('ends it with its customer', () => {
    const gone = event('customer.deleted', 5, { id: 'cus_1', object: 'customer' });
    expect(columnsOf(gone, updated(1, subscription('active')))).toMatchObject({
      status: 'canceled',
      endedAt: at(5),
    });
  });

  it('counts an overdue payment from its invoice, or else from the first event that told it', () => {
    const active = updated(0, subscription('active'));
    const overdue = updated(60, subscription('past_due', { latest_invoice: 'in_1' }));
    const again = updated(90, subscription('past_due', { latest_invoice: 'in_1' }));
    expect(columnsOf(again, overdue, active)).toMatchObject({ status: 'past_due', pastDueSince: at(60) });
    const failed = event('invoice.payment_failed', 61, invoice('open', 50));
    expect(columnsOf(failed, again, overdue, active)).toMatchObject({ pastDueSince: at(50) });
    const due = event('invoice.overdue', 62, invoice('open', 50, { due_date: at(40).getTime() / 1000 }));
    expect(columnsOf(due, again, overdue, active)).toMatchObject({ pastDueSince: at(40) });
  });

  it('leaves it overdue where another invoice is paid, and the first payment incomplete', () => {
    const active = updated(0, subscription('active'));
    const failed = event('invoice.payment_failed', 60, invoice('open', 50));
    const other = event('invoice.paid', 70, invoice('paid', 65, { id: 'in_2' }));
    expect(columnsOf(active, failed, other)).toMatchObject({ status: 'past_due', pastDueSince: at(50) });
    const first = invoice('open', 50, { billing_reason: 'subscription_create' });
    expect(columnsOf(active, event('invoice.payment_failed', 60, first))).toMatchObject({ status: 'active' });
  });

  it('keeps what it held under a status that nobody knows', () => {
    const better = { items: { data: [{ price: { id: 'price_business' } }] } };
    expect(
      columnsOf(updated(0, subscription('active')), updated(9, subscription('odd', better))),
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
        expect(columnsOf(...shuffled, ...again)).toEqual(columnsOf(...events));
      }),
    );
  });
});
