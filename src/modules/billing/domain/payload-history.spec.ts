import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonObject } from './json.js';
import { inOrder, subscriptionFrom } from './payload-history.js';
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

const AT = 1_700_000_000;

/**
 * Changes of a subscription, each with its changed members; ids are in reverse order by default.
 */
function changes(
  start: JsonObject,
  steps: JsonObject[],
  created: (index: number) => number = () => AT,
  numberOf: (index: number) => number = (index) => 900 - index,
): StripeEvent[] {
  let object: JsonObject = { id: 'sub_1', object: 'subscription', ...start };
  return steps.map((step, index) => {
    const previous = Object.fromEntries(Object.keys(step).map((key) => [key, object[key] ?? null]));
    object = { ...object, ...step };
    const event = readEvent({
      id: `evt_${numberOf(index)}`,
      type: 'customer.subscription.updated',
      created: created(index),
      data: { object, previous_attributes: previous },
    });
    if (!event) throw new Error('no event');
    return event;
  });
}

function permutations<Item>(items: Item[]): Item[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item, at) =>
    permutations(items.filter((_, index) => index !== at)).map((rest) => [item, ...rest]),
  );
}

describe(inOrder.name, () => {
  it.each<[string, JsonObject, JsonObject[]]>([
    ['there and back', { status: 'active', n: null }, [{ status: 'past_due' }, { status: 'active', n: 1 }]],
    [
      'there, back and there',
      { status: 'active', n: 0 },
      [{ status: 'past_due' }, { n: 1 }, { status: 'active' }, { n: 2 }],
    ],
    [
      'of different members',
      { status: 'active', items: { object: 'list', data: [1] } },
      [{ items: { object: 'list', data: [2] } }, { status: 'past_due' }],
    ],
    [
      'a switch off and on',
      { cancel_at_period_end: false, n: 0 },
      [{ cancel_at_period_end: true }, { n: 1 }, { cancel_at_period_end: false }],
    ],
  ])('puts changes of one second into their order: %s', (_, start, steps) => {
    for (const numberOf of [(index: number) => 900 - index, (index: number) => 100 + index]) {
      const events = changes(start, steps, undefined, numberOf);
      for (const shuffled of permutations(events)) expect(inOrder(shuffled)).toEqual(events);
    }
  });

  it('knows by what came before which of two opposite changes was first', () => {
    const created = (index: number): number => AT + Math.min(index, 1);
    // The first event leaves it past due; within the next second it is paid and fails again.
    const steps = [{ status: 'past_due' }, { status: 'active' }, { status: 'past_due' }];
    const events = changes({ status: 'active' }, steps, created);
    for (const shuffled of permutations(events)) expect(inOrder(shuffled)).toEqual(events);
  });

  it('gives the same order whatever came first where a change is missing', () => {
    const [first, , ...rest] = changes({ status: 'active', n: 0 }, [
      { n: 1 },
      { status: 'past_due' },
      { n: 2 },
      { n: 3 },
    ]);
    const events = [first as StripeEvent, ...rest];
    for (const shuffled of permutations(events)) expect(inOrder(shuffled)).toEqual(events);
  });

  it.each([
    ['evt_a', 'evt_z'],
    ['evt_z', 'evt_a'],
  ])('puts what is about an invoice before the change that it led to (ids %s, %s)', (invoiceId, changeId) => {
    const at = (id: string, type: string, object: JsonObject): StripeEvent => {
      const event = readEvent({ id, type, created: AT, data: { object } });
      if (!event) throw new Error('no event');
      return event;
    };
    const events = [
      at('evt_m', 'customer.subscription.created', { id: 'sub_1', status: 'incomplete' }),
      at(invoiceId, 'invoice.paid', { id: 'in_1', subscription: 'sub_1' }),
      at(changeId, 'customer.subscription.updated', { id: 'sub_1', status: 'active' }),
      at('evt_l', 'customer.subscription.deleted', { id: 'sub_1', status: 'canceled' }),
      at('evt_k', 'customer.deleted', { id: 'cus_1' }),
    ];
    for (const shuffled of permutations(events)) expect(inOrder(shuffled)).toEqual(events);
  });

  it('takes an update of one second that is still incomplete for the first', () => {
    const update = (id: string, status: string): StripeEvent =>
      readEvent({
        id,
        type: 'customer.subscription.updated',
        created: AT,
        data: { object: { id: 'sub_1', status } },
      }) as StripeEvent;
    const events = [update('evt_z', 'incomplete'), update('evt_a', 'active')];
    for (const shuffled of permutations(events)) expect(inOrder(shuffled)).toEqual(events);
  });

  const SUBSCRIPTION_UPDATED = 'customer.subscription.updated';

  const told = (
    id: string,
    seconds: number,
    { type = SUBSCRIPTION_UPDATED, ...data }: JsonObject,
  ): StripeEvent => {
    const event = readEvent({ id, type, created: AT + seconds, data });
    if (!event) throw new Error('no event');
    return event;
  };

  const keepsOrder = (events: StripeEvent[]): void => {
    for (const shuffled of permutations(events)) expect(inOrder(shuffled)).toEqual(events);
  };

  const active = { id: 'sub_1', status: 'active', n: 0 };

  it('puts an event without a change where its state fits, and gives each event once', () => {
    const [first, second] = changes({ n: 0 }, [{ n: 1 }, { n: 2 }], undefined, (index) => 1 + 2 * index);
    const between = told('evt_2', 0, { type: 'customer.subscription.resumed', object: active });
    const events = [first, between, second].filter((event) => event !== undefined);
    for (const shuffled of permutations(events))
      expect(inOrder(shuffled).map(({ id }) => id)).toEqual(['evt_2', 'evt_1', 'evt_3']);
  });

  it('puts those of which nothing else tells the order by their ids', () => {
    const object = { id: 'sub_1', status: 'active' };
    keepsOrder(['evt_a', 'evt_b', 'evt_c', 'evt_d'].map((id) => told(id, 0, { object })));
  });

  it('lets the clock decide where it can, whatever the changes say', () => {
    const [first, second, third] = changes({ n: 0 }, [{ n: 1 }, { n: 2 }, { n: 3 }], (index) => AT - index);
    keepsOrder([third, second, first] as StripeEvent[]);
  });

  it('remembers what the subscription was before an invoice of the same second', () => {
    const steps = [{ status: 'past_due' }, { status: 'active' }, { status: 'past_due' }];
    const [before, ...after] = changes({ status: 'active' }, steps, (index) => AT + Math.min(index, 1));
    const paid = told('evt_i', 1, { type: 'invoice.paid', object: { id: 'in_1', status: 'active' } });
    keepsOrder([before as StripeEvent, paid, ...after]);
  });

  it('orders events without a change by their ids, and before a change that they do not follow', () => {
    const overdue = { ...active, status: 'past_due' };
    const before = told('evt_0', 0, { object: active });
    keepsOrder([before, told('evt_a', 1, { object: overdue }), told('evt_b', 1, { object: active })]);
    const change = { object: { ...active, n: 1 }, previous_attributes: { n: 9 } };
    keepsOrder([before, told('evt_b', 1, { object: active }), told('evt_a', 1, change)]);
  });

  it.each([
    ['known', true],
    ['unknown', false],
  ])(
    'finds the place of trial_will_end by its price, whatever the ids; the state before is %s',
    (_, isKnown) => {
      const priced = (price: string): JsonObject => ({
        id: 'sub_1',
        object: 'subscription',
        status: 'trialing',
        items: { object: 'list', data: [{ id: 'si_1', price: { id: price } }] },
      });
      const prices = ['price_a', 'price_b', 'price_c', 'price_d', 'price_e'];
      const updated = (at: number, id: string): StripeEvent =>
        told(id, 1, {
          object: priced(prices[at + 1] ?? ''),
          previous_attributes: { items: priced(prices[at] ?? '')['items'] ?? null },
        });
      const before = isKnown ? [told('evt_0', 0, { object: priced('price_a') })] : [];
      // Five events of a second: four changes of the price, and the end of the trial at each
      // position between them.
      for (const place of prices.keys()) {
        for (const ids of permutations(['evt_a', 'evt_b', 'evt_c', 'evt_d', 'evt_e'])) {
          const [ofTrial = '', ...ofChanges] = ids;
          const changed = ofChanges.map((id, at) => updated(at, id));
          const type = 'customer.subscription.trial_will_end';
          const trial = told(ofTrial, 1, { type, object: priced(prices[place] ?? '') });
          const events = [...before, ...changed.slice(0, place), trial, ...changed.slice(place)];
          expect(inOrder(events.toReversed()).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
        }
      }
    },
  );

  it('puts an end last although its state before fits best', () => {
    const end = { object: { ...active, status: 'canceled' }, previous_attributes: { status: 'active' } };
    keepsOrder([
      told('evt_0', 0, { object: active }),
      told('evt_b', 1, { object: { ...active, n: 1 }, previous_attributes: { n: 9 } }),
      told('evt_a', 1, { type: 'customer.subscription.deleted', ...end }),
    ]);
  });

  it.each<[string, { start: unknown; changed: unknown; first: unknown; second: unknown }]>([
    [
      'an object by its changed members',
      { start: { a: 0, b: 0 }, changed: { a: 1, b: 0 }, first: { a: 0 }, second: { a: 1 } },
    ],
    [
      'a list whole',
      {
        start: { object: 'list', data: [1] },
        changed: { object: 'list', data: [2], has_more: true },
        first: { object: 'list', data: [1] },
        second: { object: 'list', data: [2], has_more: true },
      },
    ],
    ['nothing where an object stands now', { start: null, changed: { a: 1 }, first: null, second: { a: 1 } }],
  ])('reads what stood before: %s', (_, { start, changed, first, second }) => {
    const change = (id: string, now: unknown, previous: unknown): StripeEvent =>
      told(id, 1, { object: { id: 'sub_1', member: now }, previous_attributes: { member: previous } });
    const before = told('evt_0', 0, { object: { id: 'sub_1', member: start } });
    keepsOrder([before, change('evt_b', changed, first), change('evt_a', start, second)]);
  });
});
