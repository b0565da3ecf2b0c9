import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type FakeStripe,
  postEvent,
  seconds,
  startFakeStripe,
  stripeEnvironment,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
} from '../support/fakes/fake-stripe.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

let stripe: FakeStripe;
let service: TestService;
let dataDir: string;
beforeAll(async () => {
  stripe = await startFakeStripe();
  service = await startTestService(stripeEnvironment(stripe));
  dataDir = mkdtempSync(join(tmpdir(), 'consent-billing-'));
});
afterAll(async () => {
  await service.close();
  await stripe.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A separate worker process, from `dist`, on the service's database. */
class WorkerProcess {
  private child: ChildProcess | null = null;

  async start(): Promise<void> {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'dist/worker.js'], {
      env: {
        PATH,
        HOME,
        DATA_DIR: dataDir,
        NODE_ENV: 'test',
        DATABASE_URL: service.database.url,
        LOG_LEVEL: 'silent',
        OUTBOX_LEASE_MS: '1500',
        OUTBOX_POLL_MS: '100',
        FORWARDING_TIMEOUT_MS: '1000',
        ...stripeEnvironment(stripe),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child = child;
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    await until('the worker to be ready', () => output.includes('worker ready'));
  }

  async kill(signal: 'SIGKILL' | 'SIGINT'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

/** Kills the worker without a word while it waits for Stripe's answer, and starts another. */
async function killWhileAsking(worker: WorkerProcess, act: () => Promise<void>): Promise<void> {
  let asked = false;
  stripe.delay = () => {
    asked = true;
    return new Promise((resolve) => setTimeout(resolve, 60_000).unref());
  };
  await act();
  await until('the worker to ask Stripe', () => asked);
  await worker.kill('SIGKILL');
  stripe.delay = () => Promise.resolve();
  await worker.start();
}

async function read(project: TestProject, path: string): Promise<Json> {
  return (await (await project.request('viewer', 'GET', path)).json()) as Json;
}

const tierIs = (project: TestProject, tier: string, reason: string): Promise<unknown> =>
  until(`tier ${tier} (${reason})`, async () => {
    const now = await read(project, '/tier');
    return now.tier === tier && now.reason === reason;
  });

/** The status of two routes that need the tier pro: forwarding, and an export that is read to its end. */
async function guarded(project: TestProject): Promise<number> {
  // Switched on: switching off needs no tier.
  const body = { enabled: true, endpointUrl: 'https://receiver.example.com/', authMode: 'none' };
  const forwarding = await project.request('editor', 'PUT', '/forwarding', body);
  const exported = await project.request('viewer', 'GET', '/consents/export?format=csv');
  expect(exported.status).toBe(forwarding.status);
  if (exported.ok) expect(await exported.text()).toMatch(/^"id",/);
  return forwarding.status;
}

async function send(...events: Json[]): Promise<void> {
  for (const event of events) expect((await postEvent(service.baseUrl, event)).status).toBe(200);
}

describe.each([
  ['a worker that lives', (_worker: WorkerProcess, act: () => Promise<void>) => act()],
  ['a worker that is killed (-9) at every step', killWhileAsking],
] as const)('the life of a subscription, with %s', (_, disturbed) => {
  const worker = new WorkerProcess();
  beforeAll(() => worker.start());
  afterAll(() => worker.kill('SIGINT'));

  it('goes from checkout to pro, to lite after 14 days without payment, and back to pro', async () => {
    const project = await createTestProject(service);
    expect(await guarded(project)).toBe(403);

    // Checkout. Two clicks at once are one customer and one page.
    const wanted = { tier: 'pro', interval: 'month' };
    const clicks = await Promise.all(
      [1, 2].map(() => project.request('owner', 'POST', '/billing/checkout', wanted)),
    );
    const answers = (await Promise.all(clicks.map((click) => click.json()))) as { url: string }[];
    expect(clicks.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.url).toMatch(/^https:\/\/checkout\.stripe\.example\//);
    expect(answers[1]).toEqual(answers[0]);
    const own = [...stripe.sessions.values()].filter((found) => found.client_reference_id === project.id);
    expect(own).toMatchObject([
      {
        mode: 'subscription',
        client_reference_id: project.id,
        metadata: { projectId: project.id },
        subscription_data: { metadata: { projectId: project.id } },
        line_items: { 0: { price: 'price_pro', quantity: '1' } },
      },
    ]);

    // The owner pays. The webhooks arrive in the wrong order, and twice.
    const session = own[0] ?? {};
    const subscription = stripeSubscription({ projectId: project.id, customer: session.customer });
    const paid = { ...session, object: 'checkout.session', subscription: subscription.id };
    stripe.subscriptions.set(subscription.id, subscription);
    const updated = stripeEvent('customer.subscription.updated', subscription);
    const created = stripeEvent('customer.subscription.created', { ...subscription, status: 'incomplete' });
    const completed = stripeEvent('checkout.session.completed', paid);
    await disturbed(worker, () => send(updated, created, completed, created, updated, completed));
    await tierIs(project, 'pro', 'active');
    expect(await guarded(project)).toBe(200);

    // A second checkout is refused, with the way to the portal.
    const again = await project.request('owner', 'POST', '/billing/checkout', wanted);
    expect(again.status).toBe(409);
    expect(await again.json()).toMatchObject({
      code: 'subscription_exists',
      portalUrl: 'https://portal.stripe.example/p',
    });

    // The next payment fails; 13 days later the tier is still the same.
    const invoice = stripeInvoice(subscription.id, { at: daysAgo(13) });
    stripe.invoices.set(invoice.id, invoice);
    const overdue = { ...subscription, status: 'past_due', latest_invoice: invoice.id };
    stripe.subscriptions.set(subscription.id, overdue);
    const overdueEvents = [
      stripeEvent('customer.subscription.updated', overdue),
      stripeEvent('invoice.payment_failed', invoice),
    ];
    await disturbed(worker, () => send(...overdueEvents, ...overdueEvents));
    await tierIs(project, 'pro', 'grace_past_due');
    expect(await guarded(project)).toBe(200);

    // 14 days later it is lite, and the guarded route says why.
    const older = seconds(daysAgo(14));
    Object.assign(invoice, { created: older, status_transitions: { finalized_at: older } });
    await send(stripeEvent('invoice.payment_failed', invoice));
    await tierIs(project, 'lite', 'grace_expired');
    expect(await guarded(project)).toBe(403);

    // The payment succeeds after all.
    Object.assign(invoice, { status: 'paid' });
    stripe.subscriptions.set(subscription.id, { ...overdue, status: 'active' });
    await disturbed(worker, () => send(stripeEvent('invoice.paid', invoice)));
    await tierIs(project, 'pro', 'active');
    expect(await guarded(project)).toBe(200);

    const rows = await service.database.query('select status from subscription where project_id = $1', [
      project.id,
    ]);
    expect(rows).toEqual([{ status: 'active' }]);
    const changes = await service.database.query(
      'select from_tier, to_tier from tier_change where project_id = $1 order by id',
      [project.id],
    );
    expect(changes).toEqual([
      { from_tier: 'lite', to_tier: 'pro' },
      { from_tier: 'pro', to_tier: 'lite' },
      { from_tier: 'lite', to_tier: 'pro' },
    ]);
    await until('all events to be processed', async () => {
      const left = await service.database.query(`select 1 from billing_event where status <> 'processed'`);
      return left.length === 0;
    });
  });
});

describe('checkout, portal and sync', () => {
  const wanted = { tier: 'business', interval: 'yearly' };

  it('are for the owner alone; everybody reads the subscription', async () => {
    const project = await createTestProject(service);
    for (const path of ['/billing/checkout', '/billing/portal', '/billing/sync']) {
      for (const role of ['viewer', 'editor'] as const) {
        expect((await project.request(role, 'POST', path, wanted)).status).toBe(403);
      }
    }
    expect(await read(project, '/subscription')).toMatchObject({ tier: 'lite', billingAvailable: true });
  });

  it('refuses what is not sold with 422', async () => {
    const project = await createTestProject(service);
    const wrong = [
      {},
      null,
      [],
      { tier: 'enterprise', interval: 'month' },
      { tier: 'lite', interval: 'month' },
      { tier: 'pro', interval: 'week' },
      { tier: ['pro'], interval: 'month' },
      { tier: 'pro', interval: 'month', price: 'price_pro' },
    ];
    for (const body of wrong) {
      const response = await project.request('owner', 'POST', '/billing/checkout', body);
      expect(response.status).toBe(422);
    }
  });

  it('makes one customer, however often Stripe fails in between', async () => {
    const project = await createTestProject(service);
    // The SDK retries, with the same idempotency key.
    stripe.failNext(1, 0);
    const first = await project.request('owner', 'POST', '/billing/checkout', wanted);
    expect(first.status).toBe(200);
    const own = [...stripe.customers.values()].filter(
      (customer) => (customer.metadata as Json).projectId === project.id,
    );
    expect(own).toHaveLength(1);
    stripe.failNext(9, 500);
    const second = await project.request('owner', 'POST', '/billing/checkout', wanted);
    stripe.failNext(0, 0);
    expect(second.status).toBe(503);
    expect(await second.json()).toMatchObject({ code: 'billing_provider_unavailable' });
    expect((await project.request('owner', 'POST', '/billing/portal')).status).toBe(200);
  });

  it('refuses a portal before any checkout with 409', async () => {
    const project = await createTestProject(service);
    const response = await project.request('owner', 'POST', '/billing/portal');
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ code: 'no_billing_customer' });
  });

  it('finds a live subscription at Stripe whose webhook has not come yet', async () => {
    const project = await createTestProject(service);
    await project.request('owner', 'POST', '/billing/checkout', wanted);
    const [customer] = await service.database.query<{ customer_id: string }>(
      'select customer_id from billing_customer where project_id = $1',
      [project.id],
    );
    const subscription = stripeSubscription({
      projectId: project.id,
      customer: customer?.customer_id,
      priceId: 'price_business',
    });
    stripe.subscriptions.set(subscription.id, subscription);
    const again = await project.request('owner', 'POST', '/billing/checkout', wanted);
    expect(again.status).toBe(409);
    // The return from the checkout does not wait for the webhook either.
    const synced = await project.request('owner', 'POST', '/billing/sync');
    expect(synced.status).toBe(200);
    expect(await synced.json()).toMatchObject({
      tier: 'business',
      reason: 'active',
      liveSubscriptions: 1,
      subscription: {
        provider: 'stripe',
        tier: 'business',
        interval: 'month',
        status: 'active',
        endedAt: null,
      },
    });
    expect((await project.request('owner', 'POST', '/billing/sync')).status).toBe(200);
  });

  /** The checkouts of a project that could still be paid. */
  const openCheckouts = (project: TestProject): Json[] =>
    [...stripe.sessions.values()].filter(
      (session) => session.status === 'open' && session.client_reference_id === project.id,
    );

  it('leaves one checkout open at most, whoever opens how many at once', async () => {
    const offers = [
      { tier: 'pro', interval: 'month' },
      { tier: 'pro', interval: 'year' },
      { tier: 'business', interval: 'month' },
    ];
    for (let round = 0; round < 5; round += 1) {
      const project = await createTestProject(service);
      const answers = await Promise.all(
        [...offers, ...offers].map((offer) => project.request('owner', 'POST', '/billing/checkout', offer)),
      );
      const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Json[];
      expect(openCheckouts(project)).toHaveLength(1);
      const codes = bodies.map((body, n) => (answers[n]?.status === 200 ? 'opened' : body.code));
      expect(codes).toContain('opened');
      expect(codes.filter((code) => code !== 'opened' && code !== 'checkout_in_progress')).toEqual([]);
      // A later checkout replaces the earlier page, which can no longer be paid.
      const last = await project.request('owner', 'POST', '/billing/checkout', offers[round % 3]);
      expect(openCheckouts(project)).toEqual([expect.objectContaining((await last.json()) as Json)]);
    }
  });

  it('refuses another checkout once the open one was paid, before any webhook tells', async () => {
    const project = await createTestProject(service);
    await project.request('owner', 'POST', '/billing/checkout', { tier: 'pro', interval: 'month' });
    const [session = {}] = openCheckouts(project);
    session.status = 'complete';
    // Its payment is still in progress.
    const subscription = stripeSubscription({ customer: session.customer, status: 'incomplete' });
    stripe.subscriptions.set(subscription.id, subscription);
    const other = await project.request('owner', 'POST', '/billing/checkout', wanted);
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ code: 'subscription_exists' });
    // It came to nothing: there is room for another.
    stripe.subscriptions.set(subscription.id, { ...subscription, status: 'incomplete_expired' });
    expect((await project.request('owner', 'POST', '/billing/checkout', wanted)).status).toBe(200);
    expect(openCheckouts(project)).toHaveLength(1);
  });

  it('finds the checkout of a process that died before it wrote it down', async () => {
    const project = await createTestProject(service);
    const pro = { tier: 'pro', interval: 'month' };
    await project.request('owner', 'POST', '/billing/checkout', pro);
    const died = (claimedAt: string): Promise<unknown> =>
      service.database.query(
        `update billing_checkout set session_id = null, claimed_at = ${claimedAt} where project_id = $1`,
        [project.id],
      );
    await died('now()');
    const early = await project.request('owner', 'POST', '/billing/checkout', wanted);
    expect(await early.json()).toMatchObject({ code: 'checkout_in_progress' });
    await died(`now() - interval '2 minutes'`);
    expect((await project.request('owner', 'POST', '/billing/checkout', wanted)).status).toBe(200);
    expect(openCheckouts(project)).toHaveLength(1);
  });

  it('sync of a project that never bought anything changes nothing', async () => {
    const project = await createTestProject(service);
    expect(await (await project.request('owner', 'POST', '/billing/sync')).json()).toMatchObject({
      tier: 'lite',
      subscription: null,
    });
  });
});
