import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BillingMaintenance } from '../../src/modules/billing/application/billing-maintenance.js';
import { PriceList } from '../../src/modules/billing/infrastructure/price-list.js';
import {
  type FakeStripe,
  postEvent,
  startFakeStripe,
  stripeEnvironment,
  stripeEvent,
  stripeSubscription,
} from '../support/fakes/fake-stripe.js';
import { BillingWorker, replayEvent } from '../support/programs/billing-worker.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const HOUR_MS = 3_600_000;

let stripe: FakeStripe;
let service: TestService;
let worker: BillingWorker;
let maintenance: BillingMaintenance;
beforeAll(async () => {
  stripe = await startFakeStripe();
  service = await startTestService(stripeEnvironment(stripe));
  worker = BillingWorker.of(service);
  maintenance = service.app.get(BillingMaintenance, { strict: false });
});
beforeEach(async () => {
  await service.database.query('delete from billing_event');
  await service.database.query('delete from subscription');
});
afterAll(async () => {
  await service.close();
  await stripe.close();
});

async function subscribed(
  fields: Json = {},
): Promise<{ project: TestProject; subscription: Json & { id: string } }> {
  const project = await createTestProject(service);
  const subscription = stripeSubscription({ projectId: project.id, ...fields });
  stripe.subscriptions.set(subscription.id, subscription);
  await postEvent(service.baseUrl, stripeEvent('customer.subscription.created', subscription));
  await worker.drain();
  return { project, subscription };
}

async function tierOf(project: TestProject): Promise<unknown> {
  return ((await (await project.request('viewer', 'GET', '/tier')).json()) as Json).tier;
}

describe(BillingMaintenance.name, () => {
  it('takes in what Stripe could not deliver, once', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    stripe.subscriptions.set(subscription.id, subscription);
    const lost = stripeEvent('customer.subscription.created', subscription);
    const meaningless = stripeEvent('invoice.created', { id: 'in_1', object: 'invoice' });
    const delivered = stripeEvent('customer.subscription.updated', subscription);
    await postEvent(service.baseUrl, delivered);
    stripe.events = [lost, delivered, meaningless];
    expect(await maintenance.fetchUndelivered(new Date())).toBe(2);
    expect(await maintenance.fetchUndelivered(new Date())).toBe(0);
    await worker.drain();
    expect(await tierOf(project)).toBe('pro');
    const rows = await service.database.query(
      'select event_id, source, status from billing_event order by event_id = $1 desc, event_id = $2 desc',
      [lost.id, delivered.id],
    );
    expect(rows).toEqual([
      { event_id: lost.id, source: 'reconciliation', status: 'processed' },
      { event_id: delivered.id, source: 'webhook', status: 'processed' },
      { event_id: meaningless.id, source: 'reconciliation', status: 'ignored' },
    ]);
  });

  it('asks after each running subscription once in 20 hours, and counts what had drifted', async () => {
    const { project: drifted, subscription } = await subscribed();
    const { project: same } = await subscribed({ priceId: 'price_business' });
    const { subscription: ended } = await subscribed({ status: 'canceled' });
    stripe.subscriptions.set(subscription.id, { ...subscription, status: 'unpaid' });
    stripe.subscriptions.delete(ended.id);
    expect(await maintenance.reconcile(new Date(Date.now() + 19 * HOUR_MS))).toEqual({
      checked: 0,
      drifted: 0,
      failed: 0,
    });
    const later = new Date(Date.now() + 21 * HOUR_MS);
    expect(await maintenance.reconcile(later)).toEqual({ checked: 2, drifted: 1, failed: 0 });
    expect([await tierOf(drifted), await tierOf(same)]).toEqual(['lite', 'business']);
    const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
    expect(metrics).toMatch(/^billing_drift_total 1$/m);
    const [change] = await service.database.query(
      'select reason, event_id from tier_change where project_id = $1 order by id desc limit 1',
      [drifted.id],
    );
    expect(change).toEqual({ reason: 'reconciliation', event_id: null });
  });

  it('deletes ignored events after 30 days, and no others', async () => {
    await subscribed();
    await postEvent(service.baseUrl, stripeEvent('invoice.created', { id: 'in_2', object: 'invoice' }));
    expect(await maintenance.prune(new Date(Date.now() + 29 * 24 * HOUR_MS))).toBe(0);
    expect(await maintenance.prune(new Date(Date.now() + 31 * 24 * HOUR_MS))).toBe(1);
    expect(await service.database.query('select status from billing_event')).toEqual([
      { status: 'processed' },
    ]);
  });

  it('drops the payloads of processed events after 90 days, and of no others', async () => {
    const seed = (id: string, status: string, days: number): Promise<unknown> =>
      service.database.query(
        `insert into billing_event (provider, event_id, type, payload, provider_created_at, source, status, finished_at)
         values ('stripe', $1, 'invoice.paid', '{"customer_email":"a@example.com"}', now(), 'webhook', $2,
                 now() - make_interval(days => $3, mins => -1))`,
        [id, status, days],
      );
    const ids = ['evt_old', 'evt_young', 'evt_dead'];
    // One after the other: they share a connection.
    await seed('evt_old', 'processed', 91);
    await seed('evt_young', 'processed', 90);
    await seed('evt_dead', 'dead', 91);
    await maintenance.prune(new Date());
    const kept = await service.database.query<{ event_id: string; payload: string | null }>(
      'select event_id, payload from billing_event where event_id = any($1) order by received_at, event_id',
      [ids],
    );
    expect(Object.fromEntries(kept.map(({ event_id, payload }) => [event_id, payload !== null]))).toEqual({
      evt_old: false,
      evt_young: true,
      evt_dead: true,
    });
    // It can't be replayed any more, and the command reports that without an error.
    expect(await replayEvent(service, 'evt_old')).toBe(false);
    await service.database.query('delete from billing_event where event_id = any($1)', [ids]);
  });

  it('goes on with the others where one fails', async () => {
    const { subscription: gone } = await subscribed();
    const { project, subscription } = await subscribed();
    stripe.subscriptions.delete(gone.id);
    stripe.subscriptions.set(subscription.id, { ...subscription, status: 'unpaid' });
    const later = new Date(Date.now() + 21 * HOUR_MS);
    expect(await maintenance.reconcile(later)).toEqual({ checked: 2, drifted: 1, failed: 1 });
    expect(await tierOf(project)).toBe('lite');
  });
});

describe(PriceList.name, () => {
  it('keeps prices that are no longer sold, and refuses a new meaning of an old one', async () => {
    const { database, settings } = service;
    const withPrices = (prices: typeof settings.billing.prices): PriceList =>
      new PriceList(database.orm.em, { ...settings.billing, prices });
    const list = withPrices([{ priceId: 'price_next', tier: 'pro', interval: 'month' }]);
    await list.onModuleInit();
    await list.onModuleInit();
    expect((await list.read()).get('price_pro')).toEqual({ tier: 'pro', interval: 'month' });
    expect(list.sold('pro', 'month')).toBe('price_next');
    expect(list.sold('business', 'month')).toBeUndefined();
    const changed = withPrices([{ priceId: 'price_next', tier: 'business', interval: 'month' }]);
    await expect(changed.onModuleInit()).rejects.toThrow('STRIPE_PRICES changes the meaning of price_next');
  });
});

describe('npm run ops', () => {
  async function ops(...args: string[]): Promise<{ code: number; text: string }> {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, NODE_ENV: 'test', DATABASE_URL: service.database.url };
    try {
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', 'dist/ops.js', ...args],
        { env },
      );
      return { code: 0, text: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, text: stdout + stderr };
    }
  }

  it('lists a dead event, and retries and replays it, after a dry run that changes nothing', async () => {
    expect(await ops('billing', 'events')).toEqual({ code: 0, text: 'No dead events.\n' });
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    const event = stripeEvent('customer.subscription.created', subscription);
    await postEvent(service.baseUrl, event);
    await worker.drain();
    const { text } = await ops('billing', 'events');
    expect(text).toContain(event.id);
    expect(text).toContain('subscription_not_found');
    const letter = (await ops('outbox', 'dead')).text;
    expect(letter).toMatch(
      new RegExp(`  billing\\.event  ${event.id}  1 failures: subscription_not_found: `),
    );
    const [, id = ''] = / {2}(\d+) {2}billing/.exec(letter) ?? [];

    stripe.subscriptions.set(subscription.id, subscription);
    expect((await ops('billing', 'replay', event.id, '--dry-run')).text).toBe('Would replay 1.\n');
    expect((await ops('outbox', 'retry', id, '--dry-run')).text).toBe('Would retry 1.\n');
    await worker.drain();
    expect(await tierOf(project)).toBe('lite');
    expect((await ops('outbox', 'retry', id)).text).toContain('Retrying 1;');
    expect((await ops('billing', 'events', '--status', 'pending')).text).toContain(event.id);
    await worker.drain();
    expect(await tierOf(project)).toBe('pro');

    stripe.subscriptions.set(subscription.id, { ...subscription, status: 'unpaid' });
    expect((await ops('billing', 'replay', event.id)).text).toContain('Replaying 1;');
    await worker.drain();
    expect(await tierOf(project)).toBe('lite');
    // Eight commands, each a process.
  });

  it('grants enterprise with reason and end, and revokes it at once; both are logged', async () => {
    const project = await createTestProject(service);
    const until = new Date(Date.now() + 24 * HOUR_MS).toISOString();
    const grant = [
      'billing',
      'grant',
      project.id,
      'enterprise',
      '--until',
      until,
      '--reason',
      'contract 7',
      '--by',
      'op-1',
    ];
    expect((await ops(...grant, '--dry-run')).text).toBe(
      `Would change the tier of ${project.id} from lite to enterprise (active).\n`,
    );
    expect(await tierOf(project)).toBe('lite');
    expect(await service.database.query('select 1 from billing_grant_log')).toEqual([]);
    expect((await ops(...grant)).code).toBe(0);
    expect(await tierOf(project)).toBe('enterprise');
    // A second grant changes the first: a project has one at a time.
    await ops(
      'billing',
      'grant',
      project.id,
      'business',
      '--until',
      until,
      '--reason',
      'contract 8',
      '--by',
      'op-1',
    );
    expect(await tierOf(project)).toBe('business');
    const revoked = await ops('billing', 'revoke', project.id, '--reason', 'contract ended', '--by', 'op-2');
    expect(revoked.text).toContain('from business to lite (canceled)');
    expect(await tierOf(project)).toBe('lite');
    expect((await ops('billing', 'revoke', project.id, '--reason', 'again', '--by', 'op-2')).code).toBe(1);
    const log = await service.database.query(
      'select action, tier, reason, operator from billing_grant_log where project_id = $1 order by id',
      [project.id],
    );
    expect(log).toEqual([
      { action: 'grant', tier: 'enterprise', reason: 'contract 7', operator: 'op-1' },
      { action: 'grant', tier: 'business', reason: 'contract 8', operator: 'op-1' },
      { action: 'revoke', tier: 'business', reason: 'contract ended', operator: 'op-2' },
    ]);
    const changes = await service.database.query(
      'select to_tier, reason, actor from tier_change where project_id = $1 order by id',
      [project.id],
    );
    expect(changes).toEqual([
      { to_tier: 'enterprise', reason: 'grant', actor: 'operator:op-1' },
      { to_tier: 'business', reason: 'grant', actor: 'operator:op-1' },
      { to_tier: 'lite', reason: 'revoke', actor: 'operator:op-2' },
    ]);
    // Five commands, each a process.
  });
});
