import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type FakeStripe,
  freshId,
  postEvent,
  startFakeStripe,
  stripeEnvironment,
  stripeEvent,
  stripeSubscription,
} from '../support/fakes/fake-stripe.js';
import { BillingWorker, makeEventsDue, replayEvent } from '../support/programs/billing-worker.js';
import type { Json } from '../support/people/json.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { newId } from '../../src/platform/identity/ids.js';

const EU = 'https://eu.service.test';
const CELLS = `eu=${EU},us=https://us.service.test`;

let stripe: FakeStripe;
let service: TestService;
let worker: BillingWorker;
beforeAll(async () => {
  stripe = await startFakeStripe();
  service = await startTestService({ ...stripeEnvironment(stripe), PUBLIC_BASE_URL: EU, CELLS });
  worker = BillingWorker.of(service);
});
afterAll(async () => {
  await service.close();
  await stripe.close();
});

async function deliver(event: Json & { id: string }): Promise<Json | undefined> {
  expect((await postEvent(service.baseUrl, event)).status).toBe(200);
  await worker.drain();
  return eventRow(event.id);
}

async function eventRow(eventId: string): Promise<Json | undefined> {
  const [row] = await service.database.query('select * from billing_event where event_id = $1', [eventId]);
  return row;
}

function tell(subscription: Json & { id: string }, type = 'updated'): Promise<Json | undefined> {
  stripe.subscriptions.set(subscription.id, subscription);
  return deliver(stripeEvent(`customer.subscription.${type}`, subscription));
}

const IGNORED = { status: 'ignored', code: 'other_cell', project_id: null, last_error: null };

describe('a cell beside others', () => {
  it('stores the events of a project of another cell as ignored', async () => {
    const row = await tell(stripeSubscription({ projectId: newId() }));
    expect(row).toMatchObject({ ...IGNORED, attempts: 1, finished_at: expect.any(Date) });
    expect(await service.database.query('select from outbox_message')).toHaveLength(0);
    expect(await replayEvent(service, String(row?.['event_id']))).toBe(false);
  });

  it('processes those of its own projects', async () => {
    const project = await createTestProject(service);
    const row = await tell(stripeSubscription({ projectId: project.id }), 'created');
    expect(row).toMatchObject({ status: 'processed', project_id: project.id });
  });

  it('still reports a subscription of a project that was deleted here', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    await tell(subscription, 'created');
    await service.database.query('delete from project where id = $1', [project.id]);
    expect(await tell(subscription)).toMatchObject({ status: 'dead', code: 'project_unknown' });
  });

  it('still reports metadata that names no project of any cell', async () => {
    const row = await tell(stripeSubscription({ metadata: { projectId: 'no id at all' } }));
    expect(row).toMatchObject({ status: 'dead', code: 'project_unknown' });
  });

  it('ignores a subscription whose project only the session of its checkout names', async () => {
    const bare = stripeSubscription();
    expect(await tell(bare, 'created')).toMatchObject({ status: 'pending', code: 'project_unknown' });
    const session = {
      id: freshId('cs'),
      object: 'checkout.session',
      subscription: bare.id,
      client_reference_id: newId(),
    };
    expect(await deliver(stripeEvent('checkout.session.completed', session))).toMatchObject(IGNORED);
    await makeEventsDue(service);
    await worker.drain();
    const rows = await service.database.query(
      'select status, code from billing_event where subscription_id = $1',
      [bare.id],
    );
    expect(rows).toEqual([
      { status: 'ignored', code: 'other_cell' },
      { status: 'ignored', code: 'other_cell' },
    ]);
  });

  it('ignores customers and refunds of other cells, and handles its own', async () => {
    const deleted = (customerId: string): Json & { id: string } =>
      stripeEvent('customer.deleted', { id: customerId, object: 'customer' });
    const refund = (customerId: string): Json & { id: string } =>
      stripeEvent('charge.refunded', { id: freshId('ch'), object: 'charge', customer: customerId });
    expect(await deliver(deleted(freshId('cus')))).toMatchObject(IGNORED);
    expect(await deliver(refund(freshId('cus')))).toMatchObject(IGNORED);

    // A customer before its first subscription.
    const project = await createTestProject(service);
    const customerId = freshId('cus');
    await service.database.query('insert into billing_customer (project_id, customer_id) values ($1, $2)', [
      project.id,
      customerId,
    ]);
    expect(await deliver(deleted(customerId))).toMatchObject({ status: 'processed' });
    const [customer] = await service.database.query(
      'select customer_id, generation from billing_customer where project_id = $1',
      [project.id],
    );
    expect(customer).toEqual({ customer_id: null, generation: 1 });

    const subscription = stripeSubscription({ projectId: project.id, customer: customerId });
    await tell(subscription, 'created');
    expect(await deliver(refund(customerId))).toMatchObject({ status: 'processed', code: 'audit_only' });
  });
});
