import { Injectable } from '@nestjs/common';
import type { Stripe } from 'stripe';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { loadOnDemand } from '../../../platform/process/load-on-demand.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type BillingSettings, billingSettings } from '../billing.settings.js';

/** Timeout of one request. With retries a response takes at most 30 s, less than a lease. */
const REQUEST_TIMEOUT_MS = 10_000;
const NETWORK_RETRIES_MAX = 2;
const PAGE_MAX = 100;
/** Events read by one reconciliation; the rest waits for the next one. */
const UNDELIVERED_EVENTS_MAX = 2_000;
const RETRY_AFTER_SECONDS = 30;

/** Parameters of a new checkout. */
export interface CheckoutRequest {
  projectId: string;
  customerId: string;
  priceId: string;
  successUrl: string;
  cancelUrl: string;
  idempotencyKey: string;
}

/** All calls to Stripe. The domain reads the responses, in any API version. */
@Injectable()
export class StripeGateway {
  private readonly stripe: Stripe | null;

  constructor(@InjectSettings(billingSettings) { stripeSecretKey, stripeApiBase }: BillingSettings) {
    const base = new URL(stripeApiBase);
    this.stripe = stripeSecretKey
      ? new (stripeLibrary())(stripeSecretKey, {
          protocol: base.protocol === 'http:' ? 'http' : 'https',
          host: base.hostname,
          port: base.port || (base.protocol === 'http:' ? 80 : 443),
          timeout: REQUEST_TIMEOUT_MS,
          maxNetworkRetries: NETWORK_RETRIES_MAX,
          telemetry: false,
        })
      : null;
  }

  /** Whether there is a key; without one every method below throws `billing_not_configured`. */
  get configured(): boolean {
    return this.stripe !== null;
  }

  /** The subscription with its latest invoice; null: Stripe has none with that id. */
  async subscription(id: string): Promise<unknown> {
    try {
      return await this.client.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
    } catch (error) {
      if (
        error instanceof stripeLibrary().errors.StripeInvalidRequestError &&
        error.code === 'resource_missing'
      )
        return null;
      throw error;
    }
  }

  /** The subscription's unpaid invoices, newest first. */
  async openInvoices(subscriptionId: string): Promise<unknown[]> {
    const page = await this.client.invoices.list({
      subscription: subscriptionId,
      status: 'open',
      limit: PAGE_MAX,
    });
    return page.data;
  }

  /** The ids of a customer's subscriptions, ended ones included. */
  async subscriptionsOf(customerId: string): Promise<{ id: string; status: string }[]> {
    const page = await this.client.subscriptions.list({
      customer: customerId,
      status: 'all',
      limit: PAGE_MAX,
    });
    return page.data.map(({ id, status }) => ({ id, status }));
  }

  /** Events since an instant that Stripe has not delivered to every endpoint, in the format of webhooks. */
  async undeliveredEvents(since: Date): Promise<unknown[]> {
    return this.client.events
      .list({
        delivery_success: false,
        created: { gte: Math.floor(since.getTime() / 1000) },
        limit: PAGE_MAX,
      })
      .autoPagingToArray({ limit: UNDELIVERED_EVENTS_MAX });
  }

  /** Creates a project's customer. The same key returns the same customer. */
  async createCustomer(projectId: string, idempotencyKey: string): Promise<string> {
    // No other parameters: Stripe refuses the same key with different ones.
    const customer = await this.client.customers.create({ metadata: { projectId } }, { idempotencyKey });
    return customer.id;
  }

  /** A Checkout page that sells a subscription; the same key returns the same one. */
  async createCheckout(request: CheckoutRequest): Promise<{ id: string; url: string }> {
    const { projectId, customerId, priceId, successUrl, cancelUrl, idempotencyKey } = request;
    const session = await this.client.checkout.sessions.create(
      {
        mode: 'subscription',
        customer: customerId,
        client_reference_id: projectId,
        metadata: { projectId },
        subscription_data: { metadata: { projectId } },
        line_items: [{ price: priceId, quantity: 1 }],
        success_url: successUrl,
        cancel_url: cancelUrl,
      },
      { idempotencyKey },
    );
    if (!session.url) throw new Error('Stripe created a checkout session without a URL');
    return { id: session.id, url: session.url };
  }

  /** Closes a Checkout page, so that it can no longer be paid. `complete`: it was paid before. */
  async closeCheckout(id: string): Promise<'closed' | 'complete'> {
    try {
      await this.client.checkout.sessions.expire(id);
      return 'closed';
    } catch (error) {
      // It is no longer open, or unknown to this account.
      if (!(error instanceof stripeLibrary().errors.StripeInvalidRequestError)) throw error;
      if (error.code === 'resource_missing') return 'closed';
      const { status } = await this.client.checkout.sessions.retrieve(id);
      if (status === 'open') throw error;
      return status === 'complete' ? 'complete' : 'closed';
    }
  }

  /** The URL of the customer's pages at Stripe: invoices, payment method, cancellation. */
  async createPortal(customerId: string, returnUrl: string): Promise<string> {
    const session = await this.client.billingPortal.sessions.create({
      customer: customerId,
      return_url: returnUrl,
    });
    return session.url;
  }

  private get client(): Stripe {
    if (!this.stripe)
      throw new DomainError(
        'billing_not_configured',
        'Billing is not set up on this service. The operator must set STRIPE_SECRET_KEY and STRIPE_PRICES.',
      );
    return this.stripe;
  }
}

/** Whether it is an error of Stripe or of the connection to it. */
export function isProviderError(error: unknown): boolean {
  return error instanceof stripeLibrary().errors.StripeError;
}

/** An error as a sentence, with Stripe's explanation of its kind. It may contain a key (`withoutKeys`). */
export function describeProviderError(error: unknown): string {
  if (error instanceof stripeLibrary().errors.StripeError) {
    const { type, code, statusCode, requestId, message } = error;
    const facts = [type, code, statusCode, requestId].filter((fact) => fact !== undefined && fact !== null);
    return `${facts.join(' ')}: ${message}`;
  }
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Maps Stripe's refusals and failures to a DomainError for our client; returns other errors unchanged. */
export function toStripeRefusal(error: unknown): unknown {
  if (!isProviderError(error)) return error;
  return new DomainError(
    'billing_provider_unavailable',
    'The billing provider could not process the request. Try again shortly.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
    { cause: error },
  );
}

/** Stripe's library, loaded on demand: a thousand kilobytes that services without billing never use. */
function stripeLibrary(): typeof import('stripe').Stripe {
  // Its CommonJS module is the class itself.
  return loadOnDemand('stripe') as typeof import('stripe').Stripe;
}

/** Allowed distance of the signature's time from now, in either direction (design §6.4). */
const SIGNATURE_TOLERANCE_SECONDS = 300;

const SCHEME = /^v1=[0-9a-f]{64}$/;
const TIMESTAMP = /^t=(\d{1,12})$/;

/**
 * Verifies and parses the payload. Two secrets are valid while one is being rotated, and either may
 * have signed it.
 * @throws DomainError `webhook_signature_missing`, `…_malformed`, `…_invalid`, `…_expired` or
 * `webhook_payload_invalid`, all 400.
 */
export function verifiedPayload(
  body: Buffer,
  header: string | undefined,
  { secrets, now }: { secrets: readonly string[]; now: Date },
): unknown {
  if (header === undefined || header === '')
    throw new DomainError('webhook_signature_missing', 'The Stripe-Signature header is missing.');
  const ageSeconds = Math.floor(now.getTime() / 1000) - signedAtSeconds(header);
  for (const secret of secrets) {
    const verdict = toVerdict(body, { header, secret, now });
    if (verdict.kind === 'other_secret') continue;
    // The library accepts a timestamp in the future; such a signature could be replayed later.
    if (verdict.kind === 'expired' || Math.abs(ageSeconds) > SIGNATURE_TOLERANCE_SECONDS)
      throw new DomainError(
        'webhook_signature_expired',
        `The timestamp of the signature differs from the server time by more than ${SIGNATURE_TOLERANCE_SECONDS} s. Check both clocks.`,
      );
    if (verdict.kind === 'unreadable')
      throw new DomainError(
        'webhook_payload_invalid',
        'The signature is valid, but the body is not a JSON event.',
      );
    return verdict.payload;
  }
  throw new DomainError(
    'webhook_signature_invalid',
    'No signing secret of this service matches the signature. Send the body unchanged, and check the secret.',
  );
}

/**
 * The timestamp in the header. Exactly one is allowed: of two, the library and we might read different ones.
 */
function signedAtSeconds(header: string): number {
  const parts = header.split(',').map((part) => part.trim());
  const timestamps = parts.map((part) => TIMESTAMP.exec(part)?.[1]).filter((value) => value !== undefined);
  const hasTwo = parts.filter((part) => part.startsWith('t=')).length !== 1;
  if (timestamps[0] === undefined || hasTwo || !parts.some((part) => SCHEME.test(part)))
    throw new DomainError(
      'webhook_signature_malformed',
      'The Stripe-Signature header must look like t=<seconds>,v1=<64 hexadecimal digits>.',
    );
  return Number(timestamps[0]);
}

type Verdict =
  | { kind: 'payload'; payload: unknown }
  | { kind: 'other_secret' }
  | { kind: 'expired' }
  | { kind: 'unreadable' };

function toVerdict(
  body: Buffer,
  { header, secret, now }: { header: string; secret: string; now: Date },
): Verdict {
  const { errors, webhooks } = stripeLibrary();
  try {
    const payload: unknown = webhooks.constructEvent(
      body,
      header,
      secret,
      SIGNATURE_TOLERANCE_SECONDS,
      undefined,
      now.getTime(),
    );
    return { kind: 'payload', payload };
  } catch (error) {
    if (!(error instanceof errors.StripeSignatureVerificationError)) return { kind: 'unreadable' };
    // The library distinguishes the two only by the message.
    return error.message.startsWith('Timestamp outside') ? { kind: 'expired' } : { kind: 'other_secret' };
  }
}
