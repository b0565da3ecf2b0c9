import { defineEntity, p } from '@mikro-orm/core';
import { SUBSCRIPTION_PROVIDERS } from '../domain/subscription.js';
import { END_REASONS } from '../domain/subscription-status.js';

/** A paid tier of a project; the members are explained in `domain/subscription.ts`. */
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
    /** What it grants; null where the price is none that we know, and then it grants nothing. */
    tier: p.enum(['pro', 'business', 'enterprise'] as const).nullable(),
    /** How often it is billed; null where nothing is billed, or the price is unknown. */
    interval: p.enum(['month', 'year'] as const).nullable(),
    /** As the provider says it. Write it through `statusAfter`, with the six fields that it returns. */
    status: p.text(),
    /** The last status that we understood; null where we never did. */
    knownStatus: p.text().nullable(),
    /** Since when the status holds; changes between unknown words do not move it. */
    statusSince: p.datetime(),
    currentPeriodStart: p.datetime().nullable(),
    currentPeriodEnd: p.datetime().nullable(),
    /** When it is going to end; null where it renews. */
    cancelAt: p.datetime().nullable(),
    /** When its end was asked for; null where it was not. */
    canceledAt: p.datetime().nullable(),
    /** When it ended; null while it runs. */
    endedAt: p.datetime().nullable(),
    /** Why it ended; null while it runs, and where the reason is unknown: then there is no grace period. */
    endReason: p.enum(END_REASONS).nullable(),
    /** Since when a payment is overdue; null where none is. */
    pastDueSince: p.datetime().nullable(),
    /** Collection is paused; the subscription stays active. */
    collectionPaused: p.boolean().default(false),
    /** Number of the synchronisation that wrote the row; a smaller one never overwrites it. 0: none did. */
    syncSeq: p.bigint('number').defaultRaw('0'),
    /** Why an operator granted it; null where none did. */
    reason: p.text().nullable(),
    /** Which operator; null where none did. */
    grantedBy: p.text().nullable(),
    /** From this instant on it grants nothing, with any status; null: only its status decides. */
    expiresAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

export class SubscriptionEntity extends SubscriptionSchema.class {}
SubscriptionSchema.setClass(SubscriptionEntity);

export { SubscriptionSchema };
