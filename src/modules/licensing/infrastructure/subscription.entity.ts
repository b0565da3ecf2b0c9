import { defineEntity, p } from '@mikro-orm/core';
import { END_REASONS, SUBSCRIPTION_PROVIDERS } from '../domain/subscription.js';

/** A paid tier of a project; `domain/subscription.ts` documents the members. */
const SubscriptionSchema = defineEntity({
  name: 'Subscription',
  tableName: 'subscription',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    provider: p.enum(SUBSCRIPTION_PROVIDERS),
    /** The provider's own id. Manual: the row's id. Simulated: the project's id. */
    externalId: p.text(),
    /** The provider's customer; null for manual and simulated ones. */
    customerId: p.text().nullable(),
    /** The provider's price; null for manual and simulated ones. */
    priceId: p.text().nullable(),
    /** The granted tier; null: the price is unknown, so it grants nothing. */
    tier: p.enum(['pro', 'business', 'enterprise'] as const).nullable(),
    /** The billing interval; null: not billed, or the price is unknown. */
    interval: p.enum(['month', 'year'] as const).nullable(),
    /** As sent by the provider. Write it through `statusAfter`, with the six fields that it returns. */
    status: p.text(),
    /** The last known status; null: never a known one. */
    knownStatus: p.text().nullable(),
    /** Since when the status applies; changes between unknown values do not move it. */
    statusSince: p.datetime(),
    currentPeriodStart: p.datetime().nullable(),
    currentPeriodEnd: p.datetime().nullable(),
    /** When it will end; null: it renews. */
    cancelAt: p.datetime().nullable(),
    /** When the end was requested; null: not requested. */
    canceledAt: p.datetime().nullable(),
    /** When it ended; null while it is running. */
    endedAt: p.datetime().nullable(),
    /** Why it ended; null while it is running, or if the reason is unknown: then there is no grace period. */
    endReason: p.enum(END_REASONS).nullable(),
    /** Since when a payment is overdue; null: none is. */
    pastDueSince: p.datetime().nullable(),
    /** Collection is paused; the subscription stays active. */
    collectionPaused: p.boolean().default(false),
    /** Number of the sync that wrote the row; a smaller one never overwrites it. 0: none. */
    syncSeq: p.bigint('number').defaultRaw('0'),
    /** Why an operator granted it; null: not granted by an operator. */
    reason: p.text().nullable(),
    /** The operator; null: not granted by an operator. */
    grantedBy: p.text().nullable(),
    /** From this time on it grants nothing, with any status; null: only its status decides. */
    expiresAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

export class SubscriptionEntity extends SubscriptionSchema.class {}
SubscriptionSchema.setClass(SubscriptionEntity);

export { SubscriptionSchema };
