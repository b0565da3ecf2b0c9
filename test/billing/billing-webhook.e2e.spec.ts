import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  freshId,
  postEvent,
  signatureOf,
  stripeEvent,
  stripeSubscription,
} from '../support/fakes/fake-stripe.js';
import { startTestService, TEST_WEBHOOK_SECRET, type TestService } from '../support/programs/service.js';

const SECOND_SECRET = 'whsec_the_one_that_comes_next';
const MIB = 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ STRIPE_WEBHOOK_SECRETS: `${TEST_WEBHOOK_SECRET},${SECOND_SECRET}` });
});
beforeEach(() => service.database.query('delete from billing_event'));
afterAll(() => service.close());

const aPayload = (): string =>
  JSON.stringify(stripeEvent('customer.subscription.updated', stripeSubscription()));

async function post(
  body: string | Buffer,
  signature: string | null,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: { code?: string; received?: boolean } }> {
  const response = await fetch(`${service.baseUrl}/v1/webhooks/billing`, {
    method: 'POST',
    headers: { ...(signature !== null && { 'stripe-signature': signature }), ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as { code?: string } };
}

const stored = (): Promise<{ event_id: string; type: string; status: string }[]> =>
  service.database.query('select event_id, type, status from billing_event order by received_at');

describe('POST /v1/webhooks/billing (spec §4.4)', () => {
  it.each(['/v1/webhooks/billing', '/v1/webhooks/stripe'])(
    'takes a signed event at %s, once',
    async (path) => {
      const event = stripeEvent('customer.subscription.created', stripeSubscription());
      for (let n = 0; n < 3; n += 1) {
        const response = await postEvent(service.baseUrl, event, path);
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual({ received: true });
      }
      expect(await stored()).toEqual([
        { event_id: event.id, type: 'customer.subscription.created', status: 'pending' },
      ]);
    },
  );

  it('stores the signed bytes as they came', async () => {
    const payload = aPayload().replace('{', '{ \n');
    expect((await post(payload, signatureOf(payload))).status).toBe(200);
    expect(await service.database.query('select payload from billing_event')).toEqual([{ payload }]);
  });

  it.each([TEST_WEBHOOK_SECRET, SECOND_SECRET])('takes what any of its secrets signed', async (secret) => {
    const payload = aPayload();
    expect((await post(payload, signatureOf(payload, { secret }))).status).toBe(200);
  });

  it('takes any media type, or none: the signature says it all', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const payload = aPayload();
      expect((await post(payload, signatureOf(payload), { 'content-type': type })).status).toBe(200);
    }
  });

  it('answers no CORS, asks for no session, and takes a foreign origin', async () => {
    const payload = aPayload();
    const response = await fetch(`${service.baseUrl}/v1/webhooks/billing`, {
      method: 'POST',
      headers: {
        'stripe-signature': signatureOf(payload),
        origin: 'https://elsewhere.example',
        cookie: 'a=b',
      },
      body: payload,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('refuses every signature that is not right with 400 and stores nothing', async () => {
    const payload = aPayload();
    const right = signatureOf(payload);
    const v1 = right.split('v1=')[1] ?? '';
    const now = Math.floor(Date.now() / 1000);
    const wrong: [string | null, string][] = [
      [null, 'webhook_signature_missing'],
      ['', 'webhook_signature_missing'],
      ['nonsense', 'webhook_signature_malformed'],
      [`t=${now}`, 'webhook_signature_malformed'],
      [`v1=${v1}`, 'webhook_signature_malformed'],
      [`t=soon,v1=${v1}`, 'webhook_signature_malformed'],
      [`t=${now},t=${now},v1=${v1}`, 'webhook_signature_malformed'],
      [`t=${now},v0=${v1}`, 'webhook_signature_malformed'],
      [`t=${now},v1=${'0'.repeat(64)}`, 'webhook_signature_invalid'],
      [signatureOf(payload, { secret: 'whsec_of_somebody_else' }), 'webhook_signature_invalid'],
      [signatureOf(`${payload} `), 'webhook_signature_invalid'],
    ];
    for (const [signature, code] of wrong) {
      expect(await post(payload, signature)).toMatchObject({ status: 400, body: { code } });
    }
    expect(await post('', signatureOf(''))).toMatchObject({ status: 400 });
    expect(await stored()).toEqual([]);
  });

  it.each([
    [-290, 200],
    [-310, 400],
    [290, 200],
    [310, 400],
  ])(
    'with a signature %d s from now answers %d: the tolerance is 300 s both ways',
    async (offset, status) => {
      const payload = aPayload();
      const at = new Date(Date.now() + offset * 1000);
      const answer = await post(payload, signatureOf(payload, { at }));
      expect(answer.status).toBe(status);
      if (status === 400) expect(answer.body.code).toBe('webhook_signature_expired');
    },
  );

  it.each([
    'not JSON',
    'null',
    '[]',
    '7',
    '{}',
    JSON.stringify({ id: 'evt_1', type: 'x', created: 1 }),
    JSON.stringify({ id: 7, type: 'x', created: 1, data: { object: {} } }),
    JSON.stringify({ id: 'evt_\u0000', type: 'x', created: 1, data: { object: {} } }),
    JSON.stringify({ id: 'evt_1', type: 'x\u0000', created: 1, data: { object: {} } }),
    JSON.stringify({ id: 'evt_1', type: 'x', created: 'now', data: { object: {} } }),
    JSON.stringify({ id: 'evt_1', type: 'x', created: 1e300, data: { object: {} } }),
    JSON.stringify({ id: 'evt_1', object: 'v2.core.event', type: 'x', created: 1, data: { object: {} } }),
  ])('refuses a signed body that is no event: %s', async (payload) => {
    const answer = await post(payload, signatureOf(payload));
    expect(answer).toMatchObject({ status: 400, body: { code: 'webhook_payload_invalid' } });
    expect(await stored()).toEqual([]);
  });

  it('takes text in an event that a database would refuse', async () => {
    const odd = JSON.stringify(
      stripeEvent('customer.subscription.updated', {
        id: 'sub_\u0000',
        customer: '\ud800',
        metadata: { '\u0000': '\udfff', projectId: '\u0000' },
      }),
    );
    expect((await post(odd, signatureOf(odd))).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });

  it('takes 1 MiB, and refuses more with 413', async () => {
    const event = { ...stripeEvent('invoice.paid', {}), padding: '' };
    const room = MIB - Buffer.byteLength(JSON.stringify(event));
    const largest = JSON.stringify({ ...event, padding: 'x'.repeat(room) });
    expect(await post(largest, signatureOf(largest))).toMatchObject({ status: 200 });
    const tooLarge = JSON.stringify({ ...event, padding: 'x'.repeat(room + 1) });
    expect(await post(tooLarge, signatureOf(tooLarge))).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
  });

  it.each([
    'invoice.created',
    'customer.subscription.something_new',
    'payment_intent.succeeded',
    'constructor',
    'customer.updated',
  ])('stores %s as ignored with 200', async (type) => {
    const event = stripeEvent(type, { id: freshId('xx'), object: 'thing' });
    expect((await postEvent(service.baseUrl, event)).status).toBe(200);
    expect(await stored()).toEqual([{ event_id: event.id, type, status: 'ignored' }]);
  });

  it.each([
    ...['created', 'updated', 'deleted', 'paused', 'resumed', 'pending_update_applied'].map(
      (name) => `customer.subscription.${name}`,
    ),
    ...['pending_update_expired', 'trial_will_end'].map((name) => `customer.subscription.${name}`),
    ...['completed', 'async_payment_succeeded', 'async_payment_failed', 'expired'].map(
      (name) => `checkout.session.${name}`,
    ),
    ...['paid', 'payment_failed', 'payment_action_required'].map((name) => `invoice.${name}`),
    ...['finalization_failed', 'marked_uncollectible', 'overdue'].map((name) => `invoice.${name}`),
    'customer.deleted',
    'charge.dispute.created',
    'charge.refunded',
  ])('keeps %s for the worker', async (type) => {
    const event = stripeEvent(type, { id: freshId('xx'), object: 'thing' });
    expect((await postEvent(service.baseUrl, event)).status).toBe(200);
    expect(await stored()).toEqual([{ event_id: event.id, type, status: 'pending' }]);
  });

  it('answers 405 to GET, and 5xx where the event could not be stored, so that Stripe tries again', async () => {
    expect((await fetch(`${service.baseUrl}/v1/webhooks/billing`)).status).toBe(405);
    await service.database.query('alter table billing_event rename to billing_event_away');
    const payload = aPayload();
    try {
      expect((await post(payload, signatureOf(payload))).status).toBeGreaterThanOrEqual(500);
    } finally {
      await service.database.query('alter table billing_event_away rename to billing_event');
    }
    expect((await post(payload, signatureOf(payload))).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });

  it('answers 503 where the database is away, and stores nothing', async () => {
    const { database } = service;
    await database.query(`create function going_down() returns trigger language plpgsql as
      $$ begin raise exception 'the database system is shutting down' using errcode = '57P01'; end $$`);
    await database.query(
      'create trigger going_down before insert on billing_event for each row execute function going_down()',
    );
    const payload = aPayload();
    try {
      expect(await post(payload, signatureOf(payload))).toMatchObject({
        status: 503,
        body: { code: 'temporarily_unavailable' },
      });
    } finally {
      await database.query('drop function going_down cascade');
    }
    expect(await stored()).toEqual([]);
  });
});
