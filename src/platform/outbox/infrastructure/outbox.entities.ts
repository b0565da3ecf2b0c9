import { defineEntity, p } from '@mikro-orm/core';

/** Work to be done after a commit. Rows go when settled. Appended, claimed and settled by SQL alone. */
export const OutboxMessageSchema = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox_message',
  properties: {
    /** Messages of one key are claimed in their order: a project's id, or a name's (domain/ordering-key.ts). */
    orderingKey: p.uuid().primary(),
    /** Numbered by the database, across keys. */
    id: p.bigint('number').primary().autoincrement(),
    /** The partition: new messages go to the open one (outbox.partitions.ts). */
    part: p.smallint().primary().default(0),
    /** The project of the message; null if there is none or it is unknown. */
    projectId: p.uuid().nullable(),
    topic: p.text(),
    /** Subject of the message, e.g. the consent id. */
    subjectId: p.uuid(),
    /** Further facts of the message; null if the subject is enough. */
    payload: p.json<Record<string, unknown>>().nullable(),
    /** The claim that holds the lease; null if unclaimed. Every later write must match it. */
    claimId: p.uuid().nullable(),
    /** When it may be claimed: the end of the lease, or of the wait before a retry. */
    availableAt: p.datetime().defaultRaw('now()'),
    /** How often it was claimed without an outcome being written: worker deaths. */
    abandonedAttempts: p.smallint().default(0),
    /** Number of attempts that threw or requested a retry. */
    failures: p.integer().default(0),
    /** Last error of the handler; null if it never failed. */
    lastError: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** Until when workers poll; at most one row. Unlogged, so a server crash empties it. */
export const WorkerPollingSchema = defineEntity({
  name: 'WorkerPolling',
  tableName: 'worker_polling',
  properties: {
    one: p.boolean().primary().default(true),
    until: p.datetime(),
  },
});

/** A message that failed too often, kept for an operator to inspect. */
export const OutboxDeadLetterSchema = defineEntity({
  name: 'OutboxDeadLetter',
  tableName: 'outbox_dead_letter',
  properties: {
    orderingKey: p.uuid().primary(),
    /** The message's number. */
    id: p.bigint('number').primary(),
    /** As in the message; null where it is about no project. */
    projectId: p.uuid().nullable(),
    topic: p.text(),
    subjectId: p.uuid(),
    /** As in the message; null if the subject is enough. */
    payload: p.json<Record<string, unknown>>().nullable(),
    failures: p.integer(),
    /** Last error of the handler; null if the worker crashed each time. */
    lastError: p.text().nullable(),
    /** When the message was appended. */
    createdAt: p.datetime(),
    diedAt: p.datetime().defaultRaw('now()'),
  },
});

/** Limits the claims of a topic for one ordering key. */
export const ClaimThrottleSchema = defineEntity({
  name: 'ClaimThrottle',
  tableName: 'claim_throttle',
  properties: {
    orderingKey: p.uuid().primary(),
    topic: p.text().primary(),
    /** No claim before this; while a batch is in progress, the end of its lease. */
    nextClaimAt: p.datetime(),
    /** Messages in the next batch. */
    batchLimit: p.integer(),
    /** Counts the claims; messages carry the number of theirs. */
    probeNumber: p.integer().default(0),
  },
});
