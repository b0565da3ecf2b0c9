import { describe, expect, it } from '@jest/globals';
import { inOrder } from './event-order.js';
import type { JsonObject } from './json.js';
import { readEvent, type StripeEvent } from './stripe-event.js';

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
