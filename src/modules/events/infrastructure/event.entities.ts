import { defineEntity, p } from '@mikro-orm/core';
import { HOLD_PHASES } from '../../../platform/delivery/domain/hold.js';
import type { EventTypeName } from '../domain/catalogue.js';
import { EVENT_DELIVERY_STATES, DISABLED_REASONS } from '../domain/event-endpoint.js';

/** An endpoint of a project, with the state of its receiver. Written by SQL where attempts are settled. */
export const EventEndpointSchema = defineEntity({
  name: 'EventEndpoint',
  tableName: 'event_endpoint',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    url: p.text(),
    description: p.text(),
    eventTypes: p.array().$type<EventTypeName[]>(),
    enabled: p.boolean(),
    disabledReason: p.enum(DISABLED_REASONS).nullable(),
    keepResponseBodies: p.boolean(),
    secretCiphertext: p.blob().$type<Buffer>(),
    secretKeyId: p.text(),
    /** The previous one, which also signs until then; null: there is none. */
    formerSecretCiphertext: p.blob().$type<Buffer>().nullable(),
    formerSecretKeyId: p.text().nullable(),
    formerSecretUntil: p.datetime().nullable(),
    phase: p.enum(HOLD_PHASES).default('closed'),
    failures: p.integer().default(0),
    failingSince: p.datetime().nullable(),
    heldSince: p.datetime().nullable(),
    heldReason: p.text().nullable(),
    probes: p.integer().default(0),
    batchLimit: p.integer().default(1),
    answeredProbe: p.integer().default(0),
    /** While the circuit is not closed: the next batch of waiting events, its size, and the number of the last one. */
    nextClaimAt: p.datetime().nullable(),
    claimLimit: p.integer().default(1),
    probeNumber: p.integer().default(0),
    /** When the scheduler looks for waiting events; null: none wait. */
    wakeAt: p.datetime().nullable(),
    /** First failed attempt since the last success, and the day of the last mail about it. */
    unsuccessfulSince: p.datetime().nullable(),
    mailedDay: p.smallint().default(0),
    lastDeliveredAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

export class EventEndpoint extends EventEndpointSchema.class {}
EventEndpointSchema.setClass(EventEndpoint);

/** An event of a project, written in the transaction of the change. */
export const EventSchema = defineEntity({
  name: 'Event',
  tableName: 'event',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    type: p.text().$type<EventTypeName>(),
    data: p.json().$type<Record<string, unknown> & { id: string }>(),
    createdAt: p.datetime().defaultRaw('now()'),
    /** Created by a trigger: no endpoint gets it. */
    test: p.boolean().default(false),
  },
});

/** The delivery of an event to an endpoint. */
export const EventDeliverySchema = defineEntity({
  name: 'EventDelivery',
  tableName: 'event_delivery',
  properties: {
    projectId: p.uuid().primary(),
    endpointId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    state: p.enum(EVENT_DELIVERY_STATES),
    attempts: p.integer().default(0),
    tries: p.integer().default(0),
    queuedSince: p.datetime().defaultRaw('now()'),
    dueAt: p.datetime().nullable(),
    queuedAt: p.datetime().nullable(),
  },
});

/** A line of the delivery log. */
export const EventAttemptSchema = defineEntity({
  name: 'EventAttempt',
  tableName: 'event_attempt',
  properties: {
    projectId: p.uuid().primary(),
    endpointId: p.uuid().primary(),
    id: p.uuid().primary(),
    eventId: p.uuid(),
    outcome: p.text(),
    attempt: p.integer(),
    category: p.text().nullable(),
    httpStatus: p.integer().nullable(),
    reason: p.text().nullable(),
    durationMs: p.integer(),
    attemptedAt: p.datetime(),
    responseBody: p.text().nullable(),
  },
});
