import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { SubscriptionSync } from '../../src/modules/billing/application/subscription-sync.js';
import { BILLING_EVENT, eventIdOf } from '../../src/modules/billing/domain/billing-message.js';
import { OutboxSettler } from '../../src/platform/outbox/application/outbox.settler.js';
import { LOWEST_KEY, OutboxClaimer } from '../../src/platform/outbox/infrastructure/outbox.claimer.js';
import { StripeGateway } from '../../src/modules/billing/infrastructure/stripe-gateway.js';
import { KNOWN_STATUSES } from '../../src/modules/licensing/domain/subscription.js';
import { newId } from '../../src/platform/identity/ids.js';
import { loggingOptions } from '../../src/platform/http/logging.js';
import {
  type FakeStripe,
  freshId,
  postEvent,
  seconds,
  startFakeStripe,
  stripeEnvironment,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from '../support/fakes/fake-stripe.js';
import {
  BillingWorker,
  makeEventsDue,
  replayEvent,
  retryDeadLetters,
} from '../support/programs/billing-worker.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { workersIdle } from '../support/programs/workers-idle.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
const OFFER = { tier: 'pro', interval: 'month' };
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

let stripe: FakeStripe;
let service: TestService;
let worker: BillingWorker;
beforeAll(async () => {
  stripe = await startFakeStripe();
  service = await startTestService(stripeEnvironment(stripe));
  worker = BillingWorker.of(service);
});
afterAll(async () => {
  await service.close();
  await stripe.close();
});
afterEach(() => {
  stripe.delay = () => Promise.resolve();
});

/** Adds the subscription to Stripe, sends its event, and lets the worker process it. */
async function tell(subscription: Json & { id: string }, type = 'updated', at?: Date): Promise<string> {
  stripe.subscriptions.set(subscription.id, subscription);
  const event = stripeEvent(`customer.subscription.${type}`, subscription, at ? { at } : {});
  await deliver(event);
  return event.id;
}

async function deliver(event: Json): Promise<void> {
  expect((await postEvent(service.baseUrl, event)).status).toBe(200);
  await worker.drain();
}

async function tierOf(project: TestProject): Promise<Json> {
  return (await (await project.request('viewer', 'GET', '/tier')).json()) as Json;
}

async function row(externalId: string): Promise<Json | undefined> {
  const rows = await service.database.query('select * from subscription where external_id = $1', [
    externalId,
  ]);
  return rows[0];
}

async function eventRow(eventId: string): Promise<Json | undefined> {
  const rows = await service.database.query('select * from billing_event where event_id = $1', [eventId]);
  return rows[0];
}

const makeDue = (): Promise<void> => makeEventsDue(service);

describe('an event', () => {
  it('is only a pointer: what Stripe says now is written, whatever the payload says', async () => {
    const project = await createTestProject(service);
    const old = stripeSubscription({ projectId: project.id, status: 'incomplete' });
    stripe.subscriptions.set(old.id, { ...old, status: 'active' });
    const event = stripeEvent('customer.subscription.created', old);
    await deliver(event);
    expect(await tierOf(project)).toMatchObject({ tier: 'pro', reason: 'active' });
    expect(await row(old.id)).toMatchObject({
      project_id: project.id,
      provider: 'stripe',
      status: 'active',
      tier: 'pro',
      interval: 'month',
      price_id: 'price_pro',
      customer_id: 'cus_of_the_test',
    });
    expect(await eventRow(event.id)).toMatchObject({
      status: 'processed',
      project_id: project.id,
      attempts: 1,
    });
    const changes = await service.database.query(
      'select from_tier, to_tier, reason, event_id from tier_change where project_id = $1',
      [project.id],
    );
    expect(changes).toEqual([{ from_tier: 'lite', to_tier: 'pro', reason: 'billing', event_id: event.id }]);
  });

  it('of an older number writes nothing over a younger one', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id, status: 'active' });
    stripe.subscriptions.set(subscription.id, subscription);
    // The first read is fixed while the subscription is active, and arrives after the second one was written.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    stripe.delay = ({ path }) => {
      reads += Number(path.endsWith(subscription.id));
      return reads === 1 ? held : Promise.resolve();
    };
    const first = stripeEvent('customer.subscription.created', subscription);
    await postEvent(service.baseUrl, first);
    const slow = worker.drain();
    await until('the first read', () => reads > 0);
    stripe.subscriptions.set(subscription.id, { ...subscription, status: 'unpaid' });
    const second = stripeEvent('customer.subscription.updated', subscription);
    await postEvent(service.baseUrl, second);
    const other = BillingWorker.another(service);
    await other.drain();
    await until('the second is written', async () => (await row(subscription.id))?.['status'] === 'unpaid');
    release();
    await slow;
    expect(await row(subscription.id)).toMatchObject({ status: 'unpaid' });
    expect(await eventRow(first.id)).toMatchObject({ status: 'processed', code: 'superseded' });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite', reason: 'payment_failed' });
  });

  it('that saw the end wins over a younger number that did not', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id, status: 'active' });
    stripe.subscriptions.set(subscription.id, {
      ...subscription,
      status: 'canceled',
      ended_at: seconds(daysAgo(20)),
    });
    // The first read sees the end and is delayed; the second comes from a lagging replica.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let reads = 0;
    stripe.delay = ({ path }) => {
      reads += Number(path.endsWith(subscription.id));
      return reads === 1 ? held : Promise.resolve();
    };
    const sync = service.app.get(SubscriptionSync, { strict: false });
    const slow = sync.sync(subscription.id, { reason: 'billing' });
    await until('the first read', () => reads > 0);
    stripe.subscriptions.set(subscription.id, subscription);
    expect(await sync.sync(subscription.id, { reason: 'billing' })).toMatchObject({ ended: false });
    release();
    expect(await slow).toMatchObject({ kind: 'written', ended: true });
    expect(await row(subscription.id)).toMatchObject({ status: 'canceled' });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite' });
    // A third read from the copy changes nothing any more.
    expect(await sync.sync(subscription.id, { reason: 'billing' })).toMatchObject({ kind: 'superseded' });
  });

  it('of an end waits some seconds while Stripe still answers that it is alive', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    stripe.subscriptions.set(subscription.id, subscription);
    const ended = { ...subscription, status: 'canceled', ended_at: seconds(daysAgo(20)) };
    const event = stripeEvent('customer.subscription.deleted', ended);
    await deliver(event);
    expect(await eventRow(event.id)).toMatchObject({ status: 'pending', code: 'still_alive', attempts: 1 });
    expect(await tierOf(project)).toMatchObject({ tier: 'pro' });
    stripe.subscriptions.set(subscription.id, ended);
    await makeDue();
    await worker.drain();
    expect(await eventRow(event.id)).toMatchObject({ status: 'processed', attempts: 2 });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite' });
  });

  it('of an end that Stripe never shows is dead after 5 attempts, for somebody to look at', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    stripe.subscriptions.set(subscription.id, subscription);
    const event = stripeEvent('customer.subscription.deleted', subscription);
    await deliver(event);
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      expect(await eventRow(event.id)).toMatchObject({ status: 'pending' });
      await makeDue();
      await worker.drain();
    }
    expect(await eventRow(event.id)).toMatchObject({ status: 'dead', code: 'still_alive', attempts: 5 });
  });

  it('of the other mode than the key is kept, and changes nothing', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    stripe.subscriptions.set(subscription.id, subscription);
    const event = stripeEvent('customer.subscription.created', subscription, { livemode: true });
    await deliver(event);
    expect(await eventRow(event.id)).toMatchObject({
      status: 'ignored',
      code: 'livemode_mismatch',
      attempts: 0,
    });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite' });
    expect(await replayEvent(service, event.id)).toBe(false);
  });

  it('tells why Stripe refused, and never the key', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    const message = 'Invalid API Key provided: sk_test_51Habcdef*******wxyz';
    stripe.failNext(1, 401, { type: 'invalid_request_error', code: 'api_key_expired', message });
    const eventId = await tell(subscription);
    const [kept] = await service.database.query<{ last_error: string }>(
      'select last_error from billing_event where event_id = $1',
      [eventId],
    );
    expect(kept?.last_error).toBe(
      'StripeAuthenticationError api_key_expired 401 req_fake: Invalid API Key provided: sk_test_…',
    );
    // The log describes the error itself; it was `[object Object]` once.
    const { serializers } = loggingOptions(service.settings.app.logLevel).pinoHttp as {
      serializers: { err(error: unknown): Json };
    };
    stripe.failNext(1, 401, { type: 'invalid_request_error', code: 'api_key_expired', message });
    const gateway = service.app.get(StripeGateway, { strict: false });
    const error = await gateway.subscription('sub_1').catch((thrown: unknown) => thrown);
    const logged = serializers.err(new Error('outer', { cause: error }));
    expect(logged.cause).toMatchObject({
      type: 'StripeAuthenticationError',
      code: 'api_key_expired',
      message: 'Invalid API Key provided: sk_test_…',
    });
    expect(JSON.stringify(logged)).not.toContain('51Habcdef');
  });

  it('never brings back what has ended', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    const ended = {
      ...subscription,
      status: 'canceled',
      ended_at: seconds(daysAgo(2)),
      cancellation_details: { reason: 'cancellation_requested' },
    };
    await tell(ended, 'deleted');
    expect(await tierOf(project)).toMatchObject({ tier: 'pro', reason: 'grace_canceled' });
    await tell({ ...subscription, status: 'active' });
    expect(await row(subscription.id)).toMatchObject({ status: 'canceled' });
    expect(await tierOf(project)).toMatchObject({ reason: 'grace_canceled' });
  });

  it('is found a project by our row, then the metadata, then the session of the checkout', async () => {
    const [ours, named, session] = await Promise.all([1, 2, 3].map(() => createTestProject(service)));
    const first = stripeSubscription({ projectId: ours?.id ?? '' });
    await tell(first);
    await tell({ ...first, metadata: { projectId: named?.id } });
    expect(await row(first.id)).toMatchObject({ project_id: ours?.id });

    const bare = stripeSubscription();
    const bareEvent = await tell(bare, 'created');
    expect(await eventRow(bareEvent)).toMatchObject({ status: 'pending', code: 'project_unknown' });
    const checkout = {
      id: freshId('cs'),
      object: 'checkout.session',
      subscription: bare.id,
      client_reference_id: session?.id.toUpperCase(),
    };
    await deliver(stripeEvent('checkout.session.completed', checkout));
    expect(await row(bare.id)).toMatchObject({ project_id: session?.id, status: 'active' });
    await makeDue();
    await worker.drain();
    expect(await eventRow(bareEvent)).toMatchObject({ status: 'processed' });
  });

  it('whose project nobody ever names is dead after 6 attempts', async () => {
    const eventId = await tell(stripeSubscription(), 'created');
    for (let n = 0; n < 5; n += 1) {
      expect(await eventRow(eventId)).toMatchObject({ status: 'pending', attempts: n + 1 });
      await makeDue();
      await worker.drain();
    }
    expect(await eventRow(eventId)).toMatchObject({ status: 'dead', code: 'project_unknown', attempts: 6 });
  });

  it.each([newId(), 'no id at all', '\u0000'])(
    'that names the project %j, which is none, is dead',
    async (id) => {
      const eventId = await tell(stripeSubscription({ metadata: { projectId: id } }));
      expect(await eventRow(eventId)).toMatchObject({ status: 'dead', code: 'project_unknown' });
    },
  );

  it('of an unknown price is dead, grants nothing, and can be replayed once the price is known', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id, priceId: 'price_new' });
    const eventId = await tell(subscription);
    expect(await eventRow(eventId)).toMatchObject({
      status: 'dead',
      code: 'price_unknown',
      project_id: project.id,
    });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite', reason: 'invalid_subscription' });
    await service.database.query(
      `insert into billing_price (price_id, tier, interval) values ('price_new', 'business', 'year')`,
    );
    expect(await replayEvent(service, eventId)).toBe(true);
    await worker.drain();
    expect(await eventRow(eventId)).toMatchObject({ status: 'processed', code: null });
    expect(await tierOf(project)).toMatchObject({ tier: 'business' });
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/billing_alerts_total\{code="price_unknown"\} [1-9]/);
    expect(metrics).toMatch(
      /billing_events_total\{type="customer.subscription.updated",outcome="dead"\} [1-9]/,
    );
  });

  it('of another customer is dead and changes nothing', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id, status: 'unpaid' });
    await tell(subscription);
    const { error } = Logger.prototype;
    const said: unknown[][] = [];
    Logger.prototype.error = (...given: unknown[]) => void said.push(given);
    const eventId = await tell({ ...subscription, status: 'active', customer: 'cus_of_somebody_else' });
    expect(await eventRow(eventId)).toMatchObject({ status: 'dead', code: 'customer_mismatch' });
    Logger.prototype.error = error;
    // docs/security.md names the line.
    expect(said).toEqual([
      [
        expect.objectContaining({ eventId, code: 'customer_mismatch' }),
        expect.stringMatching(/^dead-lettered a billing event: /),
      ],
    ]);
    expect(await row(subscription.id)).toMatchObject({ status: 'unpaid', customer_id: 'cus_of_the_test' });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite' });
  });

  it('of a customer that the checkout made for another project is dead', async () => {
    const [project, other] = await Promise.all([createTestProject(service), createTestProject(service)]);
    const customer = freshId('cus');
    await service.database.query('insert into billing_customer (project_id, customer_id) values ($1, $2)', [
      other.id,
      customer,
    ]);
    const eventId = await tell(stripeSubscription({ projectId: project.id, customer }));
    expect(await eventRow(eventId)).toMatchObject({ status: 'dead', code: 'customer_mismatch' });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite', reason: 'no_subscription' });
  });

  it('of a subscription that Stripe does not know is dead', async () => {
    const project = await createTestProject(service);
    const event = stripeEvent('customer.subscription.updated', stripeSubscription({ projectId: project.id }));
    await deliver(event);
    expect(await eventRow(event.id)).toMatchObject({ status: 'dead', code: 'subscription_not_found' });
  });

  it('waits longer each time while Stripe fails, and is dead after 12 attempts', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    stripe.failNext(1, 400, { type: 'invalid_request_error', message: 'on demand' });
    const eventId = await tell(subscription);
    const waiting = await service.database.query<{ failures: number; wait: string }>(
      `select failures, extract(epoch from available_at - now()) as wait from outbox_message
       where payload ->> 'eventId' = $1`,
      [eventId],
    );
    expect(waiting[0]?.failures).toBe(1);
    expect(await eventRow(eventId)).toMatchObject({ status: 'pending', attempts: 1, code: 'failed' });
    expect(Number(waiting[0]?.wait)).toBeGreaterThan(0.5);
    expect(await tierOf(project)).toMatchObject({ tier: 'lite' });
    await service.database.query(`update outbox_message set failures = 11 where payload ->> 'eventId' = $1`, [
      eventId,
    ]);
    stripe.failNext(1, 401, { type: 'invalid_request_error', message: 'on demand' });
    await makeDue();
    await worker.drain();
    expect(await eventRow(eventId)).toMatchObject({ status: 'dead', attempts: 12, code: 'failed' });
    expect(await retryDeadLetters(service)).toBeGreaterThan(0);
    expect(await eventRow(eventId)).toMatchObject({ status: 'pending', attempts: 0, finished_at: null });
    await worker.drain();
    expect(await eventRow(eventId)).toMatchObject({ status: 'processed' });
    expect(await tierOf(project)).toMatchObject({ tier: 'pro' });
  });

  it('that a worker died with is worked through after its lease, and the dead worker writes nothing', async () => {
    await workersIdle(service.database);
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    stripe.subscriptions.set(subscription.id, subscription);
    const event = stripeEvent('customer.subscription.created', subscription);
    await postEvent(service.baseUrl, event);
    const { claimId, messages } = await service.app.get(OutboxClaimer, { strict: false }).claim({
      topics: [BILLING_EVENT],
      part: 0,
      throttledTopics: [],
      limit: 1,
      limitPerKey: 1,
      freeOf: new Map(),
      freeOfTopic: new Map(),
      afterKey: LOWEST_KEY,
    });
    await worker.drain();
    expect(await row(subscription.id)).toBeUndefined();
    await makeDue();
    await worker.drain();
    expect(await eventRow(event.id)).toMatchObject({ status: 'processed', attempts: 2 });
    expect(messages.map(eventIdOf)).toEqual([event.id]);
    const late = messages.map((message) => ({ message, claimId }));
    const settler = service.app.get(OutboxSettler, { strict: false });
    const outcome = { code: 'late', error: 'late', projectId: null };
    for (const leased of late) {
      await settler.deadLetter(leased, { kind: 'dead', error: 'late', outcome }, performance.now());
      await settler.settle(leased, outcome, performance.now());
    }
    expect(await eventRow(event.id)).toMatchObject({ status: 'processed', code: null });
  });
});

describe('a payload (both shapes)', () => {
  const at = seconds(new Date('2026-11-01T00:00:00Z'));
  const end = seconds(new Date('2026-12-01T00:00:00Z'));

  it('has its period on the item, or on the subscription before API 2025', async () => {
    for (const [ownPeriod, itemPeriod] of [
      [{}, { current_period_start: at, current_period_end: end }],
      [{ current_period_start: at, current_period_end: end }, {}],
    ]) {
      const project = await createTestProject(service);
      const subscription = stripeSubscription({
        projectId: project.id,
        items: { data: [{ price: { id: 'price_pro_year' }, ...itemPeriod }] },
        ...ownPeriod,
      });
      await tell(subscription);
      expect(await row(subscription.id)).toMatchObject({
        current_period_start: new Date('2026-11-01T00:00:00Z'),
        current_period_end: new Date('2026-12-01T00:00:00Z'),
        interval: 'year',
      });
    }
  });

  it('with a plan and no items is read too', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({
      projectId: project.id,
      items: undefined,
      plan: { id: 'price_business' },
      current_period_end: end,
    });
    await tell(subscription);
    expect(await row(subscription.id)).toMatchObject({
      tier: 'business',
      current_period_end: new Date(end * 1000),
    });
  });

  it('of two items counts the higher tier, whatever their order and what else is beside them', async () => {
    const items = ['price_pro', 'price_business', 'price_of_an_extra'].map((id) => ({ price: { id } }));
    for (const data of [items, items.toReversed()]) {
      const project = await createTestProject(service);
      const subscription = stripeSubscription({ projectId: project.id, items: { data } });
      await tell(subscription);
      expect(await row(subscription.id)).toMatchObject({ tier: 'business', price_id: 'price_business' });
    }
  });

  it('tells its end by cancel_at alone, or by cancel_at_period_end alone', async () => {
    for (const fields of [
      { cancel_at: end, cancel_at_period_end: false },
      { cancel_at: null, cancel_at_period_end: true },
    ]) {
      const project = await createTestProject(service);
      const items = { data: [{ price: { id: 'price_pro' }, current_period_end: end }] };
      const subscription = stripeSubscription({ projectId: project.id, items, ...fields });
      await tell(subscription);
      expect(await row(subscription.id)).toMatchObject({ cancel_at: new Date(end * 1000), status: 'active' });
      expect(await tierOf(project)).toMatchObject({ tier: 'pro' });
    }
  });

  it('with collection paused stays active', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({
      projectId: project.id,
      pause_collection: { behavior: 'void' },
    });
    await tell(subscription);
    expect(await row(subscription.id)).toMatchObject({ collection_paused: true });
    expect(await tierOf(project)).toMatchObject({ tier: 'pro', reason: 'active' });
  });

  it('with an unknown status keeps what the row held, and never grants anew', async () => {
    const [before, fresh] = await Promise.all([createTestProject(service), createTestProject(service)]);
    const subscription = stripeSubscription({ projectId: before.id });
    await tell(subscription);
    await tell({ ...subscription, status: 'half_active' });
    expect(await tierOf(before)).toMatchObject({ tier: 'pro', reason: 'unknown_status' });
    await tell(stripeSubscription({ projectId: fresh.id, status: 'half_active' }));
    expect(await tierOf(fresh)).toMatchObject({ tier: 'lite', reason: 'unknown_status' });
    for (const status of ['', 'x'.repeat(65), '\u0000', 7, null]) {
      await tell(stripeSubscription({ projectId: fresh.id, status }));
    }
    expect(await tierOf(fresh)).toMatchObject({ tier: 'lite' });
  });

  it('of a past due subscription without any invoice is overdue since its period began', async () => {
    const project = await createTestProject(service);
    const items = {
      data: [{ price: { id: 'price_pro' }, current_period_start: at, current_period_end: end }],
    };
    const subscription = stripeSubscription({ projectId: project.id, status: 'past_due', items });
    await tell(subscription);
    expect(await row(subscription.id)).toMatchObject({ past_due_since: new Date(at * 1000) });
  });

  it.each([
    ['cancellation_requested', 'requested', 'pro'],
    ['payment_failed', 'payment_failed', 'lite'],
    ['payment_disputed', 'dispute', 'lite'],
    [null, null, 'lite'],
    ['a_new_word', null, 'lite'],
  ])('canceled for %s has the end reason %j and the tier %s', async (reason, endReason, tier) => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({
      projectId: project.id,
      status: 'canceled',
      ended_at: seconds(daysAgo(1)),
      cancellation_details: { reason },
    });
    await tell(subscription, 'deleted');
    expect(await row(subscription.id)).toMatchObject({ end_reason: endReason });
    expect(await tierOf(project)).toMatchObject({ tier });
  });

  it('of before 2023 tells why it was canceled by its invoice alone', async () => {
    for (const [status, endReason] of [
      ['paid', 'requested'],
      ['open', 'payment_failed'],
      ['uncollectible', 'payment_failed'],
    ]) {
      const project = await createTestProject(service);
      const subscription = stripeSubscription({
        projectId: project.id,
        status: 'canceled',
        ended_at: seconds(new Date()),
        cancellation_details: undefined,
      });
      const invoice = stripeInvoice(subscription.id, { status });
      stripe.invoices.set(invoice.id, invoice);
      await tell({ ...subscription, latest_invoice: invoice.id }, 'deleted');
      expect(await row(subscription.id)).toMatchObject({ end_reason: endReason });
    }
  });
});

describe('a project', () => {
  it('with two live subscriptions has the higher tier, and is flagged', async () => {
    const project = await createTestProject(service);
    await tell(stripeSubscription({ projectId: project.id, priceId: 'price_business' }));
    await tell(stripeSubscription({ projectId: project.id }));
    const state = (await (await project.request('viewer', 'GET', '/subscription')).json()) as Json;
    expect(state).toMatchObject({
      tier: 'business',
      liveSubscriptions: 2,
      subscription: { tier: 'business' },
    });
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/billing_alerts_total\{code="second_live_subscription"\} [1-9]/);
  });

  it('whose customer is deleted gets a new one at the next checkout, and its portal is the new one’s', async () => {
    const project = await createTestProject(service);
    const ask = (page: string): Promise<Response> =>
      project.request('owner', 'POST', `/billing/${page}`, page === 'checkout' ? OFFER : undefined);
    const ownCustomers = (): unknown[] =>
      [...stripe.customers.values()]
        .filter(({ metadata }) => (metadata as Json).projectId === project.id)
        .map(({ id }) => id);
    expect((await ask('checkout')).status).toBe(200);
    const [customer] = ownCustomers();
    const subscription = stripeSubscription({ projectId: project.id, customer });
    await tell(subscription);
    stripe.subscriptions.set(subscription.id, {
      ...subscription,
      status: 'canceled',
      ended_at: seconds(new Date()),
      cancellation_details: { reason: 'cancellation_requested' },
    });
    await deliver(stripeEvent('customer.deleted', { id: customer, object: 'customer' }));
    expect(await row(subscription.id)).toMatchObject({ status: 'canceled' });
    expect(
      await service.database.query(
        'select customer_id, generation from billing_customer where project_id = $1',
        [project.id],
      ),
    ).toEqual([{ customer_id: null, generation: 1 }]);
    // The subscription still names the deleted customer.
    expect((await (await ask('portal')).json()) as Json).toMatchObject({ code: 'no_billing_customer' });
    expect((await ask('checkout')).status).toBe(200);
    const [, next, ...others] = ownCustomers();
    expect([typeof next, others]).toEqual(['string', []]);
    const sold = [...stripe.sessions.values()].filter(
      (session) => session.client_reference_id === project.id,
    );
    expect(sold.map((session) => session.customer)).toEqual([customer, next]);
    expect((await ask('portal')).status).toBe(200);
    const opened = stripe.requests.filter(({ path }) => path === '/v1/billing_portal/sessions');
    expect(opened.at(-1)?.body).toMatchObject({ customer: next });
  });

  it('whose charge is disputed or refunded keeps its tier; the event is kept for people', async () => {
    const project = await createTestProject(service);
    const customer = freshId('cus');
    await tell(stripeSubscription({ projectId: project.id, customer }));
    for (const type of ['charge.dispute.created', 'charge.refunded']) {
      const event = stripeEvent(type, { id: freshId('ch'), object: 'charge', customer });
      await deliver(event);
      expect(await eventRow(event.id)).toMatchObject({
        status: 'processed',
        code: 'audit_only',
        project_id: project.id,
      });
    }
    expect(await tierOf(project)).toMatchObject({ tier: 'pro' });
  });
});

describe('an overdue payment', () => {
  it.each([
    [13.9, 'pro', 'grace_past_due'],
    [14.1, 'lite', 'grace_expired'],
  ])('%d days after its invoice leaves the tier %s', async (days, tier, reason) => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id, status: 'past_due' });
    const invoice = stripeInvoice(subscription.id, { at: daysAgo(days) });
    stripe.invoices.set(invoice.id, invoice);
    await tell({ ...subscription, latest_invoice: invoice.id });
    expect(await tierOf(project)).toMatchObject({ tier, reason });
    // A replay gives the same answer: nothing in it is the time of arrival.
    const before = await row(subscription.id);
    await deliver(stripeEvent('invoice.payment_failed', invoice));
    expect((await row(subscription.id))?.past_due_since).toEqual(before?.past_due_since);
  });

  it('is as old as the oldest open invoice: a second one does not start the grace period again', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id, status: 'past_due' });
    const old = stripeInvoice(subscription.id, { at: daysAgo(20) });
    const latest = stripeInvoice(subscription.id, { at: daysAgo(1) });
    for (const invoice of [old, latest]) stripe.invoices.set(invoice.id, invoice);
    await tell({ ...subscription, latest_invoice: latest.id });
    expect(await tierOf(project)).toMatchObject({ tier: 'lite', reason: 'grace_expired' });
  });
});

describe('simulate and webhook', () => {
  const statuses = [...KNOWN_STATUSES, 'a_word_nobody_knows'];
  it.each(statuses.flatMap((status) => [[status, 'pro'] as const, [status, 'business'] as const]))(
    'agree about %s %s',
    async (status, tier) => {
      const [simulated, billed] = await Promise.all([createTestProject(service), createTestProject(service)]);
      for (const days of [0, 2.9, 3.1, 13.9, 14.1]) {
        const at = new Date(Math.floor(daysAgo(days).getTime() / 1000) * 1000);
        const simulation = {
          ...(status === 'past_due' && { pastDueSince: at.toISOString() }),
          ...(status === 'canceled' && { endedAt: at.toISOString() }),
        };
        await simulated.request('editor', 'POST', '/tier/simulate', { tier, status, ...simulation });

        const subscription = stripeSubscription({ projectId: billed.id, status, priceId: `price_${tier}` });
        const invoice = stripeInvoice(subscription.id, { at });
        if (status === 'past_due') stripe.invoices.set(invoice.id, invoice);
        await service.database.query('delete from subscription where project_id = $1', [billed.id]);
        await tell({
          ...subscription,
          ...(status === 'past_due' && { latest_invoice: invoice.id }),
          ...(status === 'canceled' && {
            ended_at: seconds(at),
            cancellation_details: { reason: 'cancellation_requested' },
          }),
        });
        expect(await tierOf(billed)).toEqual(await tierOf(simulated));
      }
    },
  );
});
