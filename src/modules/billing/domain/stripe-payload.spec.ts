import { describe, expect, it } from '@jest/globals';
import { earlier, asId, asInstant, asList, asObject, asText } from './json.js';
import {
  actionFor,
  isOfOtherMode,
  projectOfSession,
  readEvent,
  readInvoice,
  type StripeEvent,
} from './stripe-event.js';
import {
  isLiveAtStripe,
  isTerminal,
  type PriceMeaning,
  readSubscription,
  findSoldItem,
  type StripeSubscription,
} from './stripe-subscription.js';

const AT = 1_700_000_000;
const at = (seconds: number): Date => new Date(seconds * 1000);

describe('careful steps through a payload', () => {
  it('reads what is of the kind asked for, and else nothing', () => {
    expect([{ a: 1 }, [], null, 'x', 7].map(asObject)).toEqual([{ a: 1 }, null, null, null, null]);
    expect(asList([{ a: 1 }, 7, null, { b: 2 }])).toEqual([{ a: 1 }, { b: 2 }]);
    expect(asList({ a: 1 })).toEqual([]);
    expect(['x', 7, null].map(asText)).toEqual(['x', null, null]);
  });

  it('reads ids, expanded or not, of at most 255 characters', () => {
    expect(['sub_1', { id: 'sub_1' }, { id: 7 }, 'a b', '', 7].map(asId)).toEqual([
      'sub_1',
      'sub_1',
      null,
      null,
      null,
      null,
    ]);
    expect(asId('a'.repeat(255))).not.toBeNull();
    expect(asId('a'.repeat(256))).toBeNull();
  });

  it('reads instants in seconds, and none before 1970 or after the year 9999', () => {
    expect(asInstant(AT)).toEqual(at(AT));
    for (const none of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, '1', null])
      expect(asInstant(none)).toBeNull();
    expect(asInstant(1)).toEqual(at(1));
    expect(asInstant(253_402_300_799)?.toISOString()).toBe('9999-12-31T23:59:59.000Z');
    expect(asInstant(253_402_300_800)).toBeNull();
  });

  it('knows the earlier of two instants, where there are two', () => {
    expect(earlier(at(1), at(2))).toEqual(at(1));
    expect(earlier(at(2), at(1))).toEqual(at(1));
    expect(earlier(null, at(2))).toEqual(at(2));
    expect(earlier(at(1), null)).toEqual(at(1));
    expect(earlier(null, null)).toBeNull();
  });
});

describe('readEvent', () => {
  const event = (fields: object = {}): Record<string, unknown> => ({
    id: 'evt_1',
    type: 'customer.subscription.updated',
    created: AT,
    data: { object: { id: 'sub_1', customer: 'cus_1' } },
    ...fields,
  });

  it('reads an event of a subscription', () => {
    expect(readEvent(event())).toEqual({
      id: 'evt_1',
      type: 'customer.subscription.updated',
      createdAt: at(AT),
      object: { id: 'sub_1', customer: 'cus_1' },
      previous: null,
      livemode: null,
      objectId: 'sub_1',
      subscriptionId: 'sub_1',
      customerId: 'cus_1',
    });
  });

  it('reads what stood before, and whether it is about real money', () => {
    const data = { object: { id: 'sub_1' }, previous_attributes: { status: 'active' } };
    expect(readEvent(event({ data, livemode: false }))).toMatchObject({
      previous: { status: 'active' },
      livemode: false,
    });
    expect(readEvent(event({ livemode: 'yes' }))?.livemode).toBeNull();
  });

  it.each([
    ['invoice.paid', { id: 'in_1', subscription: 'sub_2', customer: 'cus_1' }, 'sub_2', 'cus_1'],
    [
      'checkout.session.completed',
      { id: 'cs_1', subscription: 'sub_3', customer: 'cus_1' },
      'sub_3',
      'cus_1',
    ],
    ['customer.deleted', { id: 'cus_9', object: 'customer' }, null, 'cus_9'],
    [
      'charge.refunded',
      { id: 'ch_1', object: 'charge', customer: 'cus_1', subscription: 'sub_4' },
      null,
      'cus_1',
    ],
    [
      'customer.subscription.deleted',
      { id: 'sub_5', object: 'subscription', customer: 'cus_1' },
      'sub_5',
      'cus_1',
    ],
    ['charge.x', { id: 'cus_9', object: 'customer' }, null, null],
  ])('knows whom %s is about', (type, object, subscriptionId, customerId) => {
    expect(readEvent(event({ type, data: { object } }))).toMatchObject({ subscriptionId, customerId });
  });

  it.each([
    ['no object', null],
    ['no id', event({ id: 7 })],
    ['no type', event({ type: 7 })],
    ['a type with other signs', event({ type: 'a b' })],
    ['a type of 101 characters', event({ type: 'a'.repeat(101) })],
    ['no instant', event({ created: 'now' })],
    ['nothing that it is about', event({ data: {} })],
  ])('is no event: %s', (_, payload) => {
    expect(readEvent(payload)).toBeNull();
  });

  it('takes a type of 100 characters', () => {
    expect(readEvent(event({ type: 'a'.repeat(100) }))).not.toBeNull();
  });

  it.each([
    ['sk_live_x', false, true],
    ['sk_live_x', true, false],
    ['sk_test_x', true, true],
    ['rk_test_x', false, false],
    ['rk_test_x', true, true],
    ['rk_live_x', true, false],
    ['rk_live_x', false, true],
    ['rk_live_x', null, false],
    ['sk_test_x', null, false],
    ['another', true, false],
    ['x_sk_live_x', false, false],
  ])('with the key %s and livemode %j is of the other mode: %j', (key, livemode, other) => {
    expect(isOfOtherMode({ livemode } as StripeEvent, key)).toBe(other);
  });

  it('plans by the types it knows, and by no name of an object’s machinery', () => {
    const types = ['invoice.paid', 'customer.deleted', 'charge.refunded', 'invoice.created', 'constructor'];
    expect(types.map(actionFor)).toEqual(['sync', 'forget_customer', 'audit', null, null]);
  });

  it('finds the project of a session: our own metadata, a person’s, the reference', () => {
    const reference = 'r';
    expect(
      projectOfSession({ metadata: { projectId: 'a', project_id: 'b' }, client_reference_id: reference }),
    ).toBe('a');
    expect(projectOfSession({ metadata: { project_id: 'b' }, client_reference_id: reference })).toBe('b');
    expect(projectOfSession({ metadata: null, client_reference_id: reference })).toBe('r');
    expect(projectOfSession({})).toBeNull();
  });
});

describe('readInvoice', () => {
  it('is overdue since its due date, else since its first collection, else since it was made', () => {
    const invoice = { id: 'in_1', created: AT, status: 'open' };
    const finalized = { ...invoice, status_transitions: { finalized_at: AT + 1 } };
    expect(readInvoice(invoice)?.dueAt).toEqual(at(AT));
    expect(readInvoice(finalized)?.dueAt).toEqual(at(AT + 1));
    expect(readInvoice({ ...finalized, due_date: AT + 2 })?.dueAt).toEqual(at(AT + 2));
    expect(readInvoice({ id: 'in_1' })?.dueAt).toBeNull();
  });

  it('names its subscription where the API of its day does', () => {
    const parent = { subscription_details: { subscription: 'sub_new' } };
    expect(readInvoice({ parent, subscription: 'sub_old' })?.subscriptionId).toBe('sub_new');
    expect(readInvoice({ subscription: 'sub_old' })?.subscriptionId).toBe('sub_old');
    expect(readInvoice({})?.subscriptionId).toBeNull();
    expect(readInvoice('in_1')).toBeNull();
  });

  it('knows the first of a subscription', () => {
    const first = { id: 'in_1', status: 'paid', billing_reason: 'subscription_create' };
    expect(readInvoice(first)).toMatchObject({ id: 'in_1', status: 'paid', isFirst: true });
    expect(readInvoice({ billing_reason: 'subscription_cycle' })?.isFirst).toBe(false);
  });
});

describe('readSubscription', () => {
  const told = (fields: object = {}): StripeSubscription => {
    const subscription = readSubscription({ id: 'sub_1', customer: 'cus_1', status: 'active', ...fields });
    if (!subscription) throw new Error('no subscription');
    return subscription;
  };

  it('reads one of the API of today', () => {
    const items = {
      data: [{ price: { id: 'price_1' }, current_period_start: AT, current_period_end: AT + 9 }],
    };
    const metadata = { projectId: 'p' };
    expect(told({ items, metadata, pause_collection: {}, latest_invoice: 'in_1' })).toEqual({
      id: 'sub_1',
      customerId: 'cus_1',
      status: 'active',
      items: [{ priceId: 'price_1', periodStart: at(AT), periodEnd: at(AT + 9) }],
      cancelAt: null,
      canceledAt: null,
      endedAt: null,
      endReason: null,
      collectionPaused: true,
      projectId: 'p',
      latestInvoice: null,
      latestInvoiceId: 'in_1',
    });
    expect(told().collectionPaused).toBe(false);
  });

  it('is none without an id, or where it is no object', () => {
    expect(readSubscription({ status: 'active' })).toBeNull();
    expect(readSubscription('sub_1')).toBeNull();
  });

  it('reads older ones: periods of its own, plans for prices, one plan and no items', () => {
    const own = { current_period_start: AT, current_period_end: AT + 9 };
    const period = { periodStart: at(AT), periodEnd: at(AT + 9) };
    const items = { data: [{ plan: { id: 'plan_1' } }] };
    expect(told({ ...own, items }).items).toEqual([{ priceId: 'plan_1', ...period }]);
    expect(told({ ...own, plan: { id: 'plan_2' } }).items).toEqual([{ priceId: 'plan_2', ...period }]);
  });

  it.each([
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(65), 'unreadable'],
    ['a b', 'unreadable'],
    [7, 'unreadable'],
    ['', 'unreadable'],
  ])('reads the status %j as %j', (status, read) => {
    expect(told({ status }).status).toBe(read);
  });

  it('is going to end when it says, or with the first of its periods where only the flag is set', () => {
    const items = { data: [{ current_period_end: AT + 9 }, { current_period_end: AT + 5 }] };
    expect(told({ cancel_at: AT, cancel_at_period_end: true, items }).cancelAt).toEqual(at(AT));
    expect(told({ cancel_at: AT }).cancelAt).toEqual(at(AT));
    expect(told({ cancel_at_period_end: true, items }).cancelAt).toEqual(at(AT + 5));
    expect(told({ cancel_at_period_end: false, items }).cancelAt).toBeNull();
  });

  it('has ended when it says, else when it was canceled', () => {
    const canceled = { status: 'canceled', canceled_at: AT };
    expect(told({ ...canceled, ended_at: AT + 1 }).endedAt).toEqual(at(AT + 1));
    expect(told(canceled).endedAt).toEqual(at(AT));
    expect(told({ canceled_at: AT })).toMatchObject({ endedAt: null, canceledAt: at(AT) });
  });

  it.each([
    [{ cancellation_details: { reason: 'cancellation_requested' } }, 'requested'],
    [{ cancellation_details: { reason: 'payment_failed' } }, 'payment_failed'],
    [{ cancellation_details: { reason: 'payment_disputed' } }, 'dispute'],
    [{ cancellation_details: { reason: null } }, null],
    [{ latest_invoice: { id: 'in_1', status: 'open' } }, 'payment_failed'],
    [{ latest_invoice: { id: 'in_1', status: 'uncollectible' } }, 'payment_failed'],
    [{ latest_invoice: { id: 'in_1', status: 'paid' } }, 'requested'],
    [{}, 'requested'],
  ])('ended for a reason: %j is %j', (fields, reason) => {
    expect(told({ ...fields, status: 'canceled' }).endReason).toBe(reason);
    expect(told(fields).endReason).toBeNull();
  });

  it('sells the highest tier among the prices that are known; of equal ones the first by id', () => {
    const prices = new Map<string, PriceMeaning>([
      ['price_a', { tier: 'pro', interval: 'month' }],
      ['price_b', { tier: 'business', interval: 'month' }],
      ['price_c', { tier: 'business', interval: 'year' }],
    ]);
    const of = (...ids: string[]): string | null | undefined =>
      findSoldItem(told({ items: { data: ids.map((id) => ({ price: { id } })) } }), prices)?.priceId;
    expect(of('price_a', 'price_c', 'price_b', 'extra')).toBe('price_b');
    expect(of('price_b', 'price_c')).toBe('price_b');
    expect(of('extra', 'price_a')).toBe('price_a');
    expect(of('extra')).toBeUndefined();
    expect(findSoldItem(told(), prices)).toBeNull();
  });

  it('knows what is live at Stripe, and what has ended for good', () => {
    expect(isLiveAtStripe({ provider: 'stripe', status: 'unpaid' })).toBe(true);
    expect(isLiveAtStripe({ provider: 'manual', status: 'active' })).toBe(false);
    expect(isLiveAtStripe({ provider: 'stripe', status: 'canceled' })).toBe(false);
    expect(['canceled', 'incomplete_expired', 'active', 'paused'].map(isTerminal)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
