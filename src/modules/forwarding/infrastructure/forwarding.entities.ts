import { defineEntity, p } from '@mikro-orm/core';
import { HOLD_PHASES } from '../../../platform/delivery/domain/hold.js';

/** The forwarding settings of a project (spec §2.2). Saves and counts lock the row. */
export const ForwardingSettingsSchema = defineEntity({
  name: 'ForwardingSettings',
  tableName: 'forwarding_settings',
  properties: {
    projectId: p.uuid().primary(),
    enabled: p.boolean().default(false),
    /** null: no endpoint is configured. */
    endpointUrl: p.text().nullable(),
    authMode: p.enum(['bearer', 'none'] as const).default('bearer'),
    /** Nonce, tag and ciphertext of the bearer token; null: none is stored. */
    tokenCiphertext: p.blob().$type<Buffer>().nullable(),
    /** The key of SECRET_KEYS that encrypted it; null: none is stored. */
    tokenKeyId: p.text().nullable(),
    /**
     * Scheme, host and port that the token was entered for, and the only place it is sent to. null:
     * there was no endpoint.
     */
    tokenOrigin: p.text().nullable(),
    /** null: none was ever stored. */
    tokenUpdatedAt: p.datetime().nullable(),
    /** The secret that signs requests, stored like the token; null: the project has none. */
    signingCiphertext: p.blob().$type<Buffer>().nullable(),
    signingKeyId: p.text().nullable(),
    signingCreatedAt: p.datetime().nullable(),
    /** The previous one, which also signs until then; null: there is none. */
    formerSigningCiphertext: p.blob().$type<Buffer>().nullable(),
    formerSigningKeyId: p.text().nullable(),
    formerSigningUntil: p.datetime().nullable(),
    /** null: nothing was ever delivered. */
    lastDeliveredAt: p.datetime().nullable(),
    updatedAt: p.datetime().defaultRaw('now()'),
    /** null: never saved, the row only serves as a lock. */
    savedAt: p.datetime().nullable().defaultRaw('now()'),
    /** Whether records are sent to the endpoint of their request while the project has none. */
    allowCustomEndpoint: p.boolean().default(false),
    /** Whether the receiver is notified of erased records. */
    forwardErasures: p.boolean().default(false),
    /** Whether failed deliveries are retried automatically, and for how long after the first attempt. */
    retryFailures: p.boolean().default(false),
    retryHours: p.smallint().default(24),
    /** Whether failed attempts keep the beginning of their response body. */
    keepResponseBodies: p.boolean().default(false),
    /** When owners were last mailed about records that were not delivered; null: never. */
    undeliveredMailedAt: p.datetime().nullable(),
    /** The day (UTC) of the counts below; null: nothing was counted yet. */
    usageDay: p.date().nullable(),
    resentOnDay: p.integer().default(0),
    testedOnDay: p.integer().default(0),
  },
});

export class ForwardingSettingsEntity extends ForwardingSettingsSchema.class {}
ForwardingSettingsSchema.setClass(ForwardingSettingsEntity);

/** The latest failed delivery of a project. Written by SQL at settlement. */
export const ForwardingLastFailureSchema = defineEntity({
  name: 'ForwardingLastFailure',
  tableName: 'forwarding_last_failure',
  properties: {
    projectId: p.uuid().primary(),
    reason: p.text(),
    category: p.text().nullable(),
    httpStatus: p.integer().nullable(),
    at: p.datetime(),
  },
});

/**
 * One finished attempt. Partitioned by retention of the outcome, then by day of the id, whose first
 * 48 bits are the time of the attempt. Written only in batches by SQL.
 */
export const DeliverySchema = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    outcome: p.text().primary(),
    consentId: p.uuid(),
    /** Why it failed; null for the other outcomes. */
    category: p.text().nullable(),
    /** null: no status line was received. */
    httpStatus: p.integer().nullable(),
    /** A sentence for a failure, a code for a skip, else null. */
    reason: p.text().nullable(),
    durationMs: p.integer(),
    attemptedAt: p.datetime(),
    /** The receiver's host, never its whole URL; null: nothing was sent. */
    host: p.text().nullable(),
    /** A failed repeat of a delivered attempt, ignored in the record's state. */
    superseded: p.boolean().default(false),
    /** 1, unless the attempt was an automatic retry. */
    attempt: p.integer().default(1),
    /** The beginning of the response body of a failed attempt; null: none was stored. */
    responseBody: p.text().nullable(),
  },
});

/** A record whose latest attempt failed and that is retried (domain/retry.ts). */
export const DeliveryRetrySchema = defineEntity({
  name: 'DeliveryRetry',
  tableName: 'delivery_retry',
  properties: {
    projectId: p.uuid().primary(),
    consentId: p.uuid().primary(),
    /** Attempts so far, and the latest one in the delivery log. */
    attempts: p.integer(),
    deliveryId: p.uuid(),
    /** When the record was first queued. */
    queuedSince: p.datetime(),
    firstAttemptAt: p.datetime(),
    dueAt: p.datetime(),
    /** When its outbox message was appended; null: not yet. */
    queuedAt: p.datetime().nullable(),
  },
});

/** The state of a receiver that fails or just failed (domain/hold.ts). No row: healthy. */
export const ForwardingHoldSchema = defineEntity({
  name: 'ForwardingHold',
  tableName: 'forwarding_hold',
  properties: {
    projectId: p.uuid().primary(),
    phase: p.enum(HOLD_PHASES).default('closed'),
    failures: p.integer().default(0),
    failingSince: p.datetime().nullable(),
    heldSince: p.datetime().nullable(),
    heldReason: p.text().nullable(),
    endedAt: p.datetime().nullable(),
    notifiedAt: p.datetime().nullable(),
    probes: p.integer().default(0),
    batchLimit: p.integer().default(1),
    answeredProbe: p.integer().default(0),
    lost: p.integer().default(0),
    sent: p.integer().default(0),
  },
});

export class ForwardingHold extends ForwardingHoldSchema.class {}
ForwardingHoldSchema.setClass(ForwardingHold);
