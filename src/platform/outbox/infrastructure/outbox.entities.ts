import { defineEntity, p } from '@mikro-orm/core';

/**
 * Work to do after a commit. Rows are deleted when settled. Appended, claimed and settled only by
 * SQL.
 */
export const OutboxMessageSchema = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox_message',
  properties: {
    /**
     * Messages of one key are claimed in order: a project's id, or a name's
     * (domain/ordering-key.ts).
     */
    orderingKey: p.uuid().primary(),
    /** Numbered by the database, across keys. */
    id: p.bigint('number').primary().autoincrement(),
    /** The partition: new messages go to the open one (outbox.partitions.ts). */
    part: p.smallint().primary().default(0),
    /** The project of the message; null: none, or unknown. */
    projectId: p.uuid().nullable(),
    topic: p.text(),
    /** Subject of the message, e.g. the consent id. */
    subjectId: p.uuid(),
    /** Additional data of the message; null if the subject is enough. */
    payload: p.json<Record<string, unknown>>().nullable(),
    /** The claim that holds the lease; null if unclaimed. Every later write must match it. */
    claimId: p.uuid().nullable(),
    /** When it may be claimed: the end of the lease, or of the wait before a retry. */
    availableAt: p.datetime().defaultRaw('now()'),
    /** Claims without a written outcome: worker crashes. */
    abandonedAttempts: p.smallint().default(0),
    /** Number of attempts that threw or requested a retry. */
    failures: p.integer().default(0),
    /** Last error of the handler; null if it never failed. */
    lastError: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** The open partition: that of the newest row. Only the function `outbox_open` writes it. */
export const OutboxOpeningSchema = defineEntity({
  name: 'OutboxOpening',
  tableName: 'outbox_opening',
  properties: { id: p.bigint('number').primary().autoincrement(false), part: p.smallint() },
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
    /** As in the message; null: it belongs to no project. */
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
