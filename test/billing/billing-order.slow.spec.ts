import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Client } from 'pg';
import { BillingMaintenance } from '../../src/modules/billing/application/billing-maintenance.js';
import { SubscriptionSync } from '../../src/modules/billing/application/subscription-sync.js';
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
  TEST_PRICES,
} from '../support/fakes/fake-stripe.js';
import { BillingWorker, makeEventsDue } from '../support/programs/billing-worker.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { workersIdle } from '../support/programs/workers-idle.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;
const START = Math.floor(Date.now() / 1000) * 1000 - 100 * HOUR_MS;
const hour = (n: number): Date => new Date(START + n * HOUR_MS);

/**
 * All columns that a sync writes, except columns that differ between two runs: ids and times of
 * writing.
 */
const MEANING = `provider, customer_id, price_id, tier, "interval", status, known_status, current_period_start,
  current_period_end, cancel_at, canceled_at, ended_at, end_reason, past_due_since, collection_paused`;

/** Two workers on one database, as two processes have them. */
function workersOf(service: TestService): BillingWorker[] {
  return [BillingWorker.of(service), BillingWorker.another(service)];
}

/** Lets both workers work until nothing is pending, retries brought forward. */
async function settle(service: TestService, workers: BillingWorker[]): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await makeEventsDue(service);
    await Promise.all(workers.map((worker) => worker.drain()));
    const left = await service.database.query(`select 1 from billing_event where status = 'pending'`);
    if (left.length === 0) return;
  }
}

async function stateOf(service: TestService, project: TestProject): Promise<Json> {
  const rows = await service.database.query(`select ${MEANING} from subscription where project_id = $1`, [
    project.id,
  ]);
  const tier = (await (await project.request('viewer', 'GET', '/tier')).json()) as Json;
  const dead = await service.database.query(`select code from billing_event where status = 'dead'`);
  return { rows, tier, dead };
}

/** The life of a subscription, as changes at Stripe. */
function lifeOf(project: TestProject): {
  base: Json & { id: string };
  changes: Json[];
  invoice: Json & { id: string };
} {
  const base = stripeSubscription({ projectId: project.id, status: 'incomplete' });
  const invoice = stripeInvoice(base.id, { at: hour(40) });
  const items = { data: [{ price: { id: 'price_business' }, current_period_end: seconds(hour(900)) }] };
  const changes = [
    { status: 'incomplete' },
    { status: 'active' },
    { status: 'active', items },
    { status: 'past_due', items, latest_invoice: invoice.id },
    { status: 'active', items, latest_invoice: invoice.id },
    { status: 'active', items, cancel_at_period_end: true },
    {
      status: 'canceled',
      items,
      ended_at: seconds(hour(60)),
      cancellation_details: { reason: 'cancellation_requested' },
    },
  ];
  return { base, invoice, changes };
}

describe('with a key: any order, any duplicates, two workers, delayed reads', () => {
  let stripe: FakeStripe;
  let service: TestService;
  beforeAll(async () => {
    stripe = await startFakeStripe();
    service = await startTestService(stripeEnvironment(stripe));
  });
  beforeEach(() => service.database.query('delete from billing_event'));
  afterAll(async () => {
    await service.close();
    await stripe.close();
  });

  // An event is delivered after its change and any number of later changes, at least once.
  const deliveries = fc.array(fc.record({ event: fc.nat(6), later: fc.nat(6) }), { maxLength: 8 });
  // Mostly at once, so that there are stale reads; sometimes after later ones.
  const lag = fc.array(fc.constantFrom(0, 0, 0, 1, 4), { minLength: 7, maxLength: 7 });

  it('ends in the state that Stripe holds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 7 }),
        lag,
        deliveries,
        // Long enough that a later event is read and written in between.
        fc.array(fc.constantFrom(0, 0, 80), { minLength: 2, maxLength: 9 }),
        async (length, lags, more, delays) => {
          await service.database.query('delete from billing_event');
          const project = await createTestProject(service);
          const { base, changes, invoice } = lifeOf(project);
          stripe.invoices.set(invoice.id, invoice);
          const workers = workersOf(service);
          let read = 0;
          stripe.delay = async () => {
            const ms = delays[read++ % delays.length] ?? 0;
            await new Promise((wake) => setTimeout(wake, ms));
          };
          const events = changes.map((change, n) =>
            stripeEvent('customer.subscription.updated', { ...base, ...change }, { at: hour(n) }),
          );
          const due = [...lags.map((later, event) => ({ event, later })), ...more].filter(
            ({ event }) => event < length,
          );
          const drains: Promise<void>[] = [];
          for (let step = 0; step < length + 7; step += 1) {
            const change = step < length ? changes[step] : undefined;
            if (change) stripe.subscriptions.set(base.id, { ...base, ...change });
            if (step === 4 && length > 4) invoice.status = 'paid';
            const now = due.filter(({ event, later }) => event + later === step);
            await Promise.all(now.map(({ event }) => postEvent(service.baseUrl, events[event] ?? {})));
            drains.push(...workers.map((worker) => worker.drain()));
          }
          await Promise.all(drains);
          await settle(service, workers);
          const final = { ...base, ...changes[length - 1] } as Json;
          const state = (await stateOf(service, project)) as { rows: Json[]; dead: Json[]; tier: Json };
          expect(state.dead).toEqual([]);
          expect(state.rows).toHaveLength(1);
          expect(state.rows[0]).toMatchObject({
            status: final.status,
            tier: length > 2 ? 'business' : 'pro',
            past_due_since: final.status === 'past_due' ? hour(40) : null,
          });
          const tier = final.status === 'incomplete' ? 'lite' : length > 2 ? 'business' : 'pro';
          expect(state.tier).toMatchObject({ tier });
          invoice.status = 'open';
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('without a key: the payloads, in the order of created', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ STRIPE_PRICES: TEST_PRICES });
  });
  beforeEach(() => service.database.query('delete from billing_event'));
  afterAll(() => service.close());

  /** A whole life as events, several of them within one second, as Stripe sends them. */
  function eventsOf(project: TestProject, length: number): Json[] {
    const period = { current_period_start: seconds(hour(0)), current_period_end: seconds(hour(720)) };
    const items = { data: [{ price: { id: 'price_pro' }, ...period }] };
    const subscription = stripeSubscription({ status: 'incomplete', items });
    const { id } = subscription;
    const session = { id: freshId('cs'), subscription: id, client_reference_id: project.id };
    const first = stripeInvoice(id, { at: hour(0), billing_reason: 'subscription_create', status: 'paid' });
    const invoice = stripeInvoice(id, { at: hour(30) });
    const paid = { ...invoice, status: 'paid' };
    const overdue = { ...subscription, status: 'past_due', latest_invoice: invoice.id };
    const at = (type: string, object: Json, n: number): Json => stripeEvent(type, object, { at: hour(n) });
    return [
      at('customer.subscription.created', subscription, 0),
      at('invoice.paid', first, 0),
      at('customer.subscription.updated', { ...subscription, status: 'active' }, 0),
      at('checkout.session.completed', session, 0),
      at('invoice.payment_failed', invoice, 31),
      at('customer.subscription.updated', overdue, 31),
      at('customer.subscription.updated', { ...overdue, metadata: { note: 'changed' } }, 40),
      at('invoice.paid', paid, 45),
      at('customer.subscription.updated', { ...overdue, status: 'active' }, 45),
      at(
        'customer.subscription.deleted',
        { ...overdue, status: 'canceled', ended_at: seconds(hour(50)) },
        50,
      ),
      at('customer.deleted', { id: subscription.customer, object: 'customer' }, 51),
    ].slice(0, length);
  }

  it('ends in the state of the events in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: 11 }).chain((length) =>
          fc.record({
            length: fc.constant(length),
            order: fc.shuffledSubarray([...Array(length).keys()], { minLength: length }),
            again: fc.array(fc.nat(length - 1), { maxLength: 5 }),
          }),
        ),
        async ({ length, order, again }) => {
          const states: Json[] = [];
          for (const sequence of [[...Array(length).keys()], [...order, ...again]]) {
            await service.database.query('delete from billing_event');
            await service.database.query('delete from project');
            const project = await createTestProject(service);
            const events = eventsOf(project, length);
            const workers = workersOf(service);
            const drains: Promise<void>[] = [];
            for (const index of sequence) {
              await postEvent(service.baseUrl, events[index] ?? {});
              drains.push(...workers.map((worker) => worker.drain()));
            }
            await Promise.all(drains);
            await settle(service, workers);
            states.push(await stateOf(service, project));
          }
          expect(states[1]).toEqual(states[0]);
          const [row] = (states[0] as { rows: Json[] }).rows;
          const expected = [
            'active',
            'past_due',
            'past_due',
            'past_due',
            'active',
            'active',
            'canceled',
            'canceled',
          ];
          expect(row).toMatchObject({ status: expected[length - 4] });
          if (row?.status === 'past_due') expect(row.past_due_since).toEqual(hour(30));
        },
      ),
      { numRuns: 15 },
    );
  });

  it('takes two changes of one second in the order that they tell, whatever their ids', async () => {
    for (const ids of [
      ['evt_a', 'evt_b'],
      ['evt_b', 'evt_a'],
    ]) {
      await service.database.query('delete from billing_event');
      const project = await createTestProject(service);
      const active = stripeSubscription({ projectId: project.id });
      const late = { ...active, status: 'past_due' };
      const of = (object: Json, previous: Json, id: string | undefined): Json => ({
        ...stripeEvent('customer.subscription.updated', object, { id, at: hour(1) }),
        data: { object, previous_attributes: previous },
      });
      // A payment fails and succeeds within a second; the success counts.
      for (const event of [
        stripeEvent('customer.subscription.created', active, { at: hour(0) }),
        of(late, { status: 'active' }, ids[0]),
        of(active, { status: 'past_due' }, ids[1]),
      ]) {
        await postEvent(service.baseUrl, event);
      }
      // A worker that was busy keeps polling for a while.
      for (const worker of workersOf(service)) await worker.drain();
      expect(await stateOf(service, project)).toMatchObject({ rows: [{ status: 'active' }] });
    }
  });

  it('reads the events under the lock: who writes last has seen what came while it waited', async () => {
    // The count below must only include this worker.
    await workersIdle(service.database);
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    await postEvent(
      service.baseUrl,
      stripeEvent('customer.subscription.created', subscription, { at: hour(0) }),
    );
    const other = new Client({ connectionString: service.database.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select from project where id = $1 for no key update', [project.id]);
      const sync = service.app.get(SubscriptionSync, { strict: false });
      const written = sync.sync(subscription.id, { reason: 'test' });
      await until('it waits for the lock', async () => {
        const waiting = await service.database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length === 1;
      });
      const ended = { ...subscription, status: 'canceled', ended_at: seconds(hour(1)) };
      await postEvent(service.baseUrl, stripeEvent('customer.subscription.deleted', ended, { at: hour(1) }));
      await other.query('commit');
      expect(await written).toMatchObject({ kind: 'written', ended: true });
    } finally {
      await other.end();
    }
    expect(await stateOf(service, project)).toMatchObject({ rows: [{ status: 'canceled' }] });
  });

  it('keeps the payloads of a subscription that runs: they are all it is known by', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    const maintenance = service.app.get(BillingMaintenance, { strict: false });
    const send = async (type: string, object: Json, n: number): Promise<void> => {
      await postEvent(service.baseUrl, stripeEvent(type, object, { at: hour(n) }));
      for (const worker of workersOf(service)) await worker.drain();
      await service.database.query(`update billing_event set finished_at = now() - interval '91 days'`);
      await maintenance.prune(new Date());
    };
    const payloads = async (): Promise<(string | null)[]> =>
      (await service.database.query<{ payload: string | null }>('select payload from billing_event')).map(
        ({ payload }) => payload,
      );
    await send('customer.subscription.created', subscription, 0);
    expect(await payloads()).toEqual([expect.stringContaining(subscription.id)]);
    await send('customer.subscription.deleted', { ...subscription, status: 'canceled' }, 1);
    expect(await payloads()).toEqual([null, null]);
  });

  it('takes an overdue payment from the invoice alone, and its recovery too', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    const send = async (type: string, object: Json, at: Date): Promise<void> => {
      await postEvent(service.baseUrl, stripeEvent(type, object, { at }));
      for (const worker of workersOf(service)) await worker.drain();
    };
    await send('customer.subscription.created', subscription, hour(0));
    const invoice = stripeInvoice(subscription.id, { at: hour(30) });
    await send('invoice.payment_failed', invoice, hour(31));
    expect(await stateOf(service, project)).toMatchObject({
      rows: [{ status: 'past_due', past_due_since: hour(30) }],
      tier: { tier: 'pro', reason: 'grace_past_due' },
    });
    await send('invoice.paid', { ...invoice, status: 'paid' }, hour(32));
    expect(await stateOf(service, project)).toMatchObject({
      rows: [{ status: 'active', past_due_since: null }],
      tier: { tier: 'pro', reason: 'active' },
    });
  });

  it('sells nothing: 503 billing_not_configured, in a sentence', async () => {
    const project = await createTestProject(service);
    for (const [path, body] of [
      ['/billing/checkout', { tier: 'pro', interval: 'month' }],
      ['/billing/portal', undefined],
      ['/billing/sync', undefined],
    ] as const) {
      const response = await project.request('owner', 'POST', path, body);
      expect(response.status).toBe(503);
      const problem = (await response.json()) as Json;
      expect(problem.code).toBe('billing_not_configured');
      expect(problem.detail).toMatch(/STRIPE_SECRET_KEY/);
    }
    expect(await (await project.request('viewer', 'GET', '/subscription')).json()).toEqual({
      tier: 'lite',
      reason: 'no_subscription',
      graceEndsAt: null,
      subscription: null,
      liveSubscriptions: 0,
      billingAvailable: false,
    });
  });
});
