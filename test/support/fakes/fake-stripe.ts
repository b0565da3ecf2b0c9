import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'node:querystring';
import { Stripe } from 'stripe';
import type { Json } from '../people/json.js';
import { TEST_WEBHOOK_SECRET } from '../programs/service.js';

/** A request as it arrived. */
interface StripeRequest {
  method: string;
  path: string;
  idempotencyKey: string | undefined;
  body: Json;
}

/** A small Stripe on loopback that the real SDK talks to: customers, subscriptions, invoices, checkout, events. */
export interface FakeStripe {
  /** For STRIPE_API_BASE. */
  url: string;
  requests: StripeRequest[];
  customers: Map<string, Json>;
  subscriptions: Map<string, Json>;
  invoices: Map<string, Json>;
  sessions: Map<string, Json>;
  /** What `GET /v1/events` lists. */
  events: Json[];
  /** Answers the next requests with an error; 0 resets the connection instead. Forgets earlier orders. */
  failNext(times: number, status: number, error?: Json): void;
  /** Holds every answer back after its content was fixed, so that it is stale when it arrives. */
  delay: (request: StripeRequest) => Promise<void>;
  close(): Promise<void>;
}

/** Environment for a service that uses the fake. */
export function stripeEnvironment(fake: FakeStripe): NodeJS.ProcessEnv {
  return { STRIPE_SECRET_KEY: 'sk_test_fake', STRIPE_API_BASE: fake.url, STRIPE_PRICES: TEST_PRICES };
}

export const TEST_PRICES =
  'price_pro=pro:month,price_pro_year=pro:year,price_business=business:month,price_business_year=business:year';

export async function startFakeStripe(): Promise<FakeStripe> {
  const answersByKey = new Map<string, { status: number; body: string; params: string }>();
  const failures: { status: number; error: Json }[] = [];
  const fake: Omit<FakeStripe, 'url' | 'close'> = {
    requests: [],
    customers: new Map(),
    subscriptions: new Map(),
    invoices: new Map(),
    sessions: new Map(),
    events: [],
    failNext: (times, status, error = { type: 'api_error', message: 'on demand' }) => {
      failures.length = 0;
      for (let n = 0; n < times; n += 1) failures.push({ status, error });
    },
    delay: () => Promise.resolve(),
  };

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? '', 'http://fake');
    const params = Buffer.concat(chunks).toString();
    const key = request.headers['idempotency-key'];
    const seen: StripeRequest = {
      method: request.method ?? '',
      path: url.pathname,
      idempotencyKey: typeof key === 'string' ? key : undefined,
      body: unflatten(parse(params)),
    };
    fake.requests.push(seen);
    const failure = failures.shift();
    const send = (status: number, body: string): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' }).end(body);
    };
    if (failure?.status === 0) {
      request.socket.destroy();
      return;
    }
    if (failure) {
      send(failure.status, JSON.stringify({ error: failure.error }));
      return;
    }
    const known = seen.idempotencyKey === undefined ? undefined : answersByKey.get(seen.idempotencyKey);
    if (known && known.params !== params) {
      send(400, JSON.stringify({ error: { type: 'idempotency_error', message: 'other parameters' } }));
      return;
    }
    if (known) {
      send(known.status, known.body);
      return;
    }
    const answer = answerOf(fake, seen, url.searchParams);
    const refused = seen.path.endsWith('/expire') && fake.sessions.has(seen.path.split('/').at(-2) ?? '');
    const body = JSON.stringify(answer ?? { error: refused ? NOT_OPEN : missing(seen.path) });
    const status = answer ? 200 : refused ? 400 : 404;
    if (seen.method === 'POST' && seen.idempotencyKey !== undefined) {
      answersByKey.set(seen.idempotencyKey, { status, body, params });
    }
    await fake.delay(seen);
    send(status, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

const NOT_OPEN = {
  type: 'invalid_request_error',
  message: 'Only Checkout Sessions with a status in ["open"] can be expired.',
};

function answerOf(
  fake: Omit<FakeStripe, 'url' | 'close'>,
  { method, path, body }: StripeRequest,
  query: URLSearchParams,
): Json | null {
  const [, expired] = /^\/v1\/checkout\/sessions\/([\w-]+)\/expire$/.exec(path) ?? [];
  if (expired !== undefined) return expire(fake.sessions.get(expired));
  const [, collection, id] = /^\/v1\/([a-z_]+(?:\/sessions)?)(?:\/([\w-]+))?$/.exec(path) ?? [];
  switch (`${method} ${collection}`) {
    case 'GET subscriptions': {
      if (id === undefined) {
        const own = [...fake.subscriptions.values()].filter(
          (subscription) => subscription.customer === query.get('customer'),
        );
        return list(path, own);
      }
      const found = fake.subscriptions.get(id);
      if (!found) return null;
      const invoice = fake.invoices.get(String(found.latest_invoice));
      const expand = query.getAll('expand[0]').includes('latest_invoice');
      return expand && invoice ? { ...found, latest_invoice: invoice } : found;
    }
    case 'GET invoices': {
      const wanted = query.get('subscription');
      const status = query.get('status');
      return list(
        path,
        [...fake.invoices.values()].filter(
          (invoice) => ownerOf(invoice) === wanted && (status === null || invoice.status === status),
        ),
      );
    }
    case 'GET events':
      return list(path, fake.events);
    case 'POST customers': {
      const customer = { id: freshId('cus'), object: 'customer', ...body };
      fake.customers.set(customer.id, customer);
      return customer;
    }
    case 'GET checkout/sessions':
      return fake.sessions.get(id ?? '') ?? null;
    case 'POST checkout/sessions': {
      const sessionId = freshId('cs');
      const url = `https://checkout.stripe.example/${sessionId}`;
      const session = {
        ...body,
        status: 'open',
        id: sessionId,
        object: 'checkout.session',
        url,
        subscription: null,
      };
      fake.sessions.set(sessionId, session);
      return session;
    }
    case 'POST billing_portal/sessions':
      return { id: freshId('bps'), object: 'billing_portal.session', url: 'https://portal.stripe.example/p' };
    default:
      return null;
  }
}

/** As Stripe has it: one that is open expires, any other is refused. */
function expire(session: Json | undefined): Json | null {
  if (session?.status !== 'open') return null;
  session.status = 'expired';
  return session;
}

function ownerOf(invoice: Json): unknown {
  const parent = invoice.parent as { subscription_details?: { subscription?: unknown } } | undefined;
  return parent?.subscription_details?.subscription ?? invoice.subscription;
}

function list(url: string, data: Json[]): Json {
  return { object: 'list', url, has_more: false, data };
}

function missing(path: string): Json {
  return { type: 'invalid_request_error', code: 'resource_missing', message: `No such thing: ${path}` };
}

/** `a[b][0]=c`, as the SDK sends it, as an object (arrays too: their keys are numbers). */
function unflatten(flat: Record<string, unknown>): Json {
  const root: Json = {};
  for (const [key, value] of Object.entries(flat)) {
    const path = key.split(/[[\]]+/).filter((part) => part !== '');
    const last = path.pop() ?? key;
    let at = root;
    for (const part of path) at = (at[part] ??= {}) as Json;
    at[last] = value;
  }
  return root;
}

export function freshId(prefix: string): string {
  return `${prefix}_${randomBytes(9).toString('hex')}`;
}

export function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}

/** A subscription in the shape of the current API; `fields` override. */
export function stripeSubscription(fields: Json & { priceId?: string; projectId?: string } = {}): Json & {
  id: string;
} {
  const { priceId = 'price_pro', projectId, ...rest } = fields;
  const start = seconds(new Date());
  return {
    id: freshId('sub'),
    object: 'subscription',
    customer: 'cus_of_the_test',
    status: 'active',
    created: start,
    items: {
      object: 'list',
      data: [
        {
          id: freshId('si'),
          price: { id: priceId, object: 'price' },
          current_period_start: start,
          current_period_end: start + 30 * 86_400,
        },
      ],
    },
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    cancellation_details: { comment: null, feedback: null, reason: null },
    pause_collection: null,
    latest_invoice: null,
    metadata: projectId === undefined ? {} : { projectId },
    ...rest,
  };
}

/** An invoice in the shape of the current API. */
export function stripeInvoice(
  subscriptionId: string,
  fields: Json & { at?: Date } = {},
): Json & { id: string } {
  const { at = new Date(), ...rest } = fields;
  return {
    id: freshId('in'),
    object: 'invoice',
    status: 'open',
    created: seconds(at),
    due_date: null,
    status_transitions: { finalized_at: seconds(at), paid_at: null },
    billing_reason: 'subscription_cycle',
    parent: { type: 'subscription_details', subscription_details: { subscription: subscriptionId } },
    ...rest,
  };
}

/** An event as Stripe posts it. */
export function stripeEvent(
  type: string,
  object: Json,
  fields: Json & { at?: Date } = {},
): Json & { id: string } {
  const { at = new Date(), ...rest } = fields;
  return {
    id: freshId('evt'),
    object: 'event',
    type,
    created: seconds(at),
    livemode: false,
    api_version: '2026-10-28.endive',
    // A snapshot, as Stripe takes one.
    data: { object: structuredClone(object) },
    ...rest,
  };
}

export function signatureOf(
  payload: string,
  { secret = TEST_WEBHOOK_SECRET, at = new Date() }: { secret?: string; at?: Date } = {},
): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds(at) });
}

/** Posts an event to the service's webhook, signed. */
export function postEvent(baseUrl: string, event: Json, path = '/v1/webhooks/billing'): Promise<Response> {
  const payload = JSON.stringify(event);
  return fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signatureOf(payload) },
    body: payload,
  });
}
