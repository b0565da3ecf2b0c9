import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BILLING_EVENT, messageOf } from '../../src/modules/billing/domain/billing-message.js';
import { BillingWorker } from '../support/programs/billing-worker.js';
import {
  type FakeStripe,
  postEvent,
  startFakeStripe,
  stripeEnvironment,
  stripeEvent,
  stripeSubscription,
} from '../support/fakes/fake-stripe.js';
import { startTestService, type TestService } from '../support/programs/service.js';

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

describe('an event that was processed in the meantime', () => {
  it('keeps its outcome, and its message is deleted', async () => {
    const event = stripeEvent('customer.subscription.updated', stripeSubscription());
    await postEvent(service.baseUrl, event);
    await service.database.query(`update billing_event set status = 'processed', code = 'by_another'`);
    await BillingWorker.of(service).drain();
    expect(await events()).toMatchObject([{ status: 'processed', code: 'by_another' }]);
    expect(await messages()).toEqual([]);
  });
});
