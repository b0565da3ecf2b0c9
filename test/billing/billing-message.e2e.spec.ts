import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { BILLING_EVENT, messageOf } from '../../src/billing/domain/billing-message.js';
import { ormOptions } from '../../src/app/orm-options.js';
import { BillingWorker } from '../support/billing-worker.js';
import {
  type FakeStripe,
  postEvent,
  startFakeStripe,
  stripeEnvironment,
  stripeEvent,
  stripeSubscription,
} from '../support/fake-stripe.js';
import { createTestProject } from '../support/project.js';
import { startTestService, type TestService } from '../support/service.js';

const TAKE_OVER = 'Migration20261121001004_billing_messages';
type Row = Record<string, unknown>;

let stripe: FakeStripe;
let service: TestService;
beforeAll(async () => {
  stripe = await startFakeStripe();
  service = await startTestService(stripeEnvironment(stripe));
});
beforeEach(() => service.database.query('delete from billing_event'));
beforeEach(() => service.database.query('delete from outbox_message'));
afterAll(async () => {
  await service.close();
  await stripe.close();
});

const messages = (): Promise<Row[]> =>
  service.database.query('select * from outbox_message where topic = $1 order by id', [BILLING_EVENT]);
const events = (): Promise<Row[]> =>
  service.database.query('select * from billing_event order by received_at, event_id');

/** As the version before writes it. */
const storeAsBefore = (
  id: string,
  { subscriptionId = 'sub_before', status = 'pending', payload = '{}' } = {},
) =>
  service.database.query(
    `insert into billing_event (provider, event_id, type, subscription_id, payload, provider_created_at, source, status,
                                attempts, code, last_error)
     values ('stripe', $1, 'customer.subscription.updated', $2, $3, now(), 'webhook', $4, 3, 'a_code', 'a sentence')`,
    [id, subscriptionId, payload, status],
  );

describe('an event and its message', () => {
  it('are written together, under the key of the subscription', async () => {
    const event = stripeEvent('customer.subscription.updated', stripeSubscription({ id: 'sub_one' }));
    expect((await postEvent(service.baseUrl, event)).status).toBe(200);
    expect((await postEvent(service.baseUrl, event)).status).toBe(200);
    const wanted = messageOf({ id: event.id, subscriptionId: 'sub_one', customerId: null });
    expect(await messages()).toMatchObject([
      {
        ordering_key: wanted.orderingKey,
        project_id: null,
        subject_id: wanted.subjectId,
        payload: { eventId: event.id },
      },
    ]);
    expect(await events()).toMatchObject([{ event_id: event.id, status: 'pending' }]);
  });

  it('are none of them kept where the process fails between the two: Stripe sends the event again', async () => {
    await service.database.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise 'no message'; end $$`);
    await service.database.query(
      'create trigger fail before insert on outbox_message for each row execute function fail()',
    );
    const event = stripeEvent('customer.subscription.updated', stripeSubscription());
    try {
      expect((await postEvent(service.baseUrl, event)).status).toBe(500);
      expect([await events(), await messages()]).toEqual([[], []]);
    } finally {
      await service.database.query('drop function fail cascade');
    }
    expect((await postEvent(service.baseUrl, event)).status).toBe(200);
    expect([await events(), await messages()]).toMatchObject([[{}], [{}]]);
  });

  it('are no pair where the event means nothing', async () => {
    await postEvent(service.baseUrl, stripeEvent('invoice.created', { id: 'in_1', object: 'invoice' }));
    expect(await events()).toMatchObject([{ status: 'ignored' }]);
    expect(await messages()).toEqual([]);
  });
});

describe('the version before, while this one is rolled out', () => {
  it('gives each event that it stores a message at its commit, which a worker of this version takes', async () => {
    const project = await createTestProject(service);
    const subscription = stripeSubscription({ projectId: project.id });
    stripe.subscriptions.set(subscription.id, subscription);
    const event = stripeEvent('customer.subscription.created', subscription);
    await storeAsBefore(event.id, { subscriptionId: subscription.id, payload: JSON.stringify(event) });
    const wanted = messageOf({ id: event.id, subscriptionId: subscription.id, customerId: null });
    expect(await messages()).toMatchObject([
      { ordering_key: wanted.orderingKey, subject_id: wanted.subjectId, payload: { eventId: event.id } },
    ]);
    await BillingWorker.of(service).drain();
    expect(await events()).toMatchObject([{ status: 'processed', project_id: project.id }]);

    // Its operator replays it.
    await service.database.query(`update billing_event set status = 'pending', attempts = 0`);
    expect(await messages()).toHaveLength(1);
    // A worker of the version before has been faster.
    await service.database.query(`update billing_event set status = 'processed', code = 'by_another'`);
    await BillingWorker.of(service).drain();
    expect(await events()).toMatchObject([{ status: 'processed', code: 'by_another' }]);
    expect(await messages()).toEqual([]);
  });

  it('leaves its pending events and its dead ones to the migration, each once', async () => {
    const owner = await MikroORM.init(ormOptions(service.database.ownerUrl));
    try {
      await owner.migrator.down([TAKE_OVER]);
      await storeAsBefore('evt_pending');
      await storeAsBefore('evt_dead', { status: 'dead' });
      await storeAsBefore('evt_processed', { status: 'processed' });
      expect(await messages()).toEqual([]);
      await owner.migrator.up([TAKE_OVER]);
    } finally {
      await owner.close();
    }
    expect(await messages()).toMatchObject([{ payload: { eventId: 'evt_pending' }, failures: 3 }]);
    expect(await service.database.query('select * from outbox_dead_letter')).toMatchObject([
      { payload: { eventId: 'evt_dead' }, failures: 3, last_error: 'a_code: a sentence' },
    ]);
  });
});
