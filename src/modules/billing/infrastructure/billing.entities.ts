import { defineEntity, p } from '@mikro-orm/core';

/**
 * The inbox of the billing provider's webhooks. Its key does not start with the project, which is
 * often unknown at arrival.
 */
export const BillingEventSchema = defineEntity({
  name: 'BillingEvent',
  tableName: 'billing_event',
  properties: {
    provider: p.text().primary(),
    /** The provider's id of the event, so that a repeated event is one row. */
    eventId: p.text().primary(),
    type: p.text(),
    /** The provider's id of the event's object; null: it has none. */
    objectId: p.text().nullable(),
    /** null: the event names no subscription. */
    subscriptionId: p.text().nullable(),
    /** null: the event names no customer. */
    customerId: p.text().nullable(),
    /** null until it is known; kept when the project is deleted. */
    projectId: p.uuid().nullable(),
    /**
     * The signed body as received: JSON, as text, because jsonb refuses some valid JSON. null: 90
     * days after the outcome.
     */
    payload: p.text().nullable(),
    /** The provider's timestamp of the event (whole seconds). */
    providerCreatedAt: p.datetime(),
    /** How it was received. */
    source: p.enum(['webhook', 'reconciliation'] as const),
    status: p.enum(['pending', 'processed', 'ignored', 'dead'] as const),
    /** Attempts so far; one that ended without an outcome counts too. */
    attempts: p.integer().default(0),
    /** Stable code of the last failure or decision; null on success. */
    code: p.text().nullable(),
    /** The same as a sentence; null on success. */
    lastError: p.text().nullable(),
    receivedAt: p.datetime().defaultRaw('now()'),
    /** When the last outcome was written; null while pending. */
    finishedAt: p.datetime().nullable(),
  },
});

export class BillingEvent extends BillingEventSchema.class {}
BillingEventSchema.setClass(BillingEvent);

/**
 * The tier and interval of a price. Append-only and permanent, otherwise old
 * subscriptions would change their tier.
 */
export const BillingPriceSchema = defineEntity({
  name: 'BillingPrice',
  tableName: 'billing_price',
  properties: {
    priceId: p.text().primary(),
    tier: p.enum(['pro', 'business'] as const),
    interval: p.enum(['month', 'year'] as const),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class BillingPrice extends BillingPriceSchema.class {}
BillingPriceSchema.setClass(BillingPrice);

/** A project's customer at the provider. */
export const BillingCustomerSchema = defineEntity({
  name: 'BillingCustomer',
  tableName: 'billing_customer',
  properties: {
    projectId: p.uuid().primary(),
    /** null before the customer is created, and after it was deleted at Stripe. */
    customerId: p.text().nullable(),
    /** Part of the idempotency key for creating the customer; incremented when a customer was deleted. */
    generation: p.integer().default(0),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p
      .datetime()
      .defaultRaw('now()')
      .onUpdate(() => new Date()),
  },
});

export class BillingCustomer extends BillingCustomerSchema.class {}
BillingCustomerSchema.setClass(BillingCustomer);

/** The one open checkout of a project. */
export const BillingCheckoutSchema = defineEntity({
  name: 'BillingCheckout',
  tableName: 'billing_checkout',
  properties: {
    projectId: p.uuid().primary(),
    /** The price it sells; a checkout for another price closes it first. */
    priceId: p.text(),
    customerId: p.text(),
    /** Subscriptions of the project at that time: after another one, a checkout is a new one. */
    subscriptions: p.integer(),
    /**
     * With this key the provider returns the same checkout again, even after a crash before it was stored.
     */
    idempotencyKey: p.text(),
    /** The provider's session id; null while the session is being created. */
    sessionId: p.text().nullable(),
    claimedAt: p.datetime(),
  },
});

export class BillingCheckout extends BillingCheckoutSchema.class {}
BillingCheckoutSchema.setClass(BillingCheckout);

/** Manual grants and revocations by operators. Append-only. */
export const BillingGrantLogSchema = defineEntity({
  name: 'BillingGrantLog',
  tableName: 'billing_grant_log',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    subscriptionId: p.uuid(),
    action: p.enum(['grant', 'revoke'] as const),
    tier: p.text(),
    reason: p.text(),
    /** The end of the grant; of a revoked one: the end it would have had. */
    expiresAt: p.datetime(),
    operator: p.text(),
    at: p.datetime(),
  },
});

export class BillingGrantLog extends BillingGrantLogSchema.class {}
BillingGrantLogSchema.setClass(BillingGrantLog);
