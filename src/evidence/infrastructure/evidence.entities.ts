import { defineEntity, p } from '@mikro-orm/core';

const NIL_UUID = `'00000000-0000-0000-0000-000000000000'`;

/** Up to where records and erasures are sequenced: one row. */
export const SequencerCursorSchema = defineEntity({
  name: 'SequencerCursor',
  tableName: 'sequencer_cursor',
  properties: {
    /** Always true, so that there is no second row. */
    singleton: p.boolean().primary().default(true),
    /** What was received before it is sequenced, by the database's clock; the order does not depend on it. */
    at: p.datetime().defaultRaw('now()'),
    /** The position: a transaction, and what of it is sequenced. */
    afterXid: p.bigint('number'),
    afterProjectId: p.uuid().defaultRaw(NIL_UUID),
    afterId: p.uuid().defaultRaw(NIL_UUID),
    afterIsErasure: p.boolean().default(false),
    /** Server whose transactions these are; null: not known yet. */
    cluster: p.text().nullable(),
    /** What was received before is not sealed. */
    beginsAt: p.datetime().defaultRaw('now()'),
    /** The file of the embedded server by which a copy of the data folder is noticed; null: there is none yet. */
    home: p.text().nullable(),
  },
});

/** A project whose records behind an id are looked through for those that have no place. */
export const EvidenceBackfillSchema = defineEntity({
  name: 'EvidenceBackfill',
  tableName: 'evidence_backfill',
  properties: {
    projectId: p.uuid().primary(),
    afterId: p.uuid().defaultRaw(NIL_UUID),
  },
});

/** A project's log, or that of all projects' checkpoints (ROOT_LOG). */
export const EvidenceLogSchema = defineEntity({
  name: 'EvidenceLog',
  tableName: 'evidence_log',
  properties: {
    log: p.uuid().primary(),
    /** First line of its checkpoints. */
    origin: p.text(),
    /** Leaves that have their place. */
    size: p.bigint('number').defaultRaw('0'),
    /** What is needed to append (domain/log.ts). */
    edge: p.blob().defaultRaw(`'\\x'`),
    appendedAt: p.datetime().defaultRaw('now()'),
    /** When its signature was asked for last. */
    askedAt: p.datetime().nullable(),
    checkpointSize: p.bigint('number').defaultRaw('0'),
    /** The newest signed checkpoint. */
    checkpoint: p.text().nullable(),
    signedAt: p.datetime().nullable(),
    rootedSize: p.bigint('number').defaultRaw('0'),
    /** The newest one that a signed checkpoint of the root log covers, and its place there. */
    rootedCheckpoint: p.text().nullable(),
    rootIndex: p.bigint('number').nullable(),
    /** Why no checkpoint is signed; null: nothing is wrong. */
    refusal: p.text().nullable(),
    refusedAt: p.datetime().nullable(),
    /** Number of the log: each that continues another one has the next. */
    epoch: p.integer().defaultRaw('1'),
    /** The signed statement that is its first entry; null: it continues none. */
    continues: p.text().nullable(),
    /** Why it must not be signed, whatever the storage holds: it is a copy. Null: it is none. */
    halted: p.text().nullable(),
    /** A signed checkpoint that was known when it was halted. */
    haltedHead: p.text().nullable(),
    /** When its records were last compared with it; until then, when it began. */
    checkedAt: p.datetime().defaultRaw('now()'),
    /** What that check has found, as a sentence; null: nothing is wrong. */
    problem: p.text().nullable(),
    /** The consent id up to which the check in progress has come; null: none is in progress. */
    checkAfter: p.uuid().nullable(),
  },
});

/** A log that was continued by another one: it stays as it was signed last. */
export const EvidencePastLogSchema = defineEntity({
  name: 'EvidencePastLog',
  tableName: 'evidence_past_log',
  properties: {
    log: p.uuid().primary(),
    epoch: p.integer().primary().autoincrement(false),
    origin: p.text(),
    checkpointSize: p.bigint('number'),
    checkpoint: p.text(),
    continues: p.text().nullable(),
    rootedSize: p.bigint('number'),
    rootedCheckpoint: p.text().nullable(),
    rootIndex: p.bigint('number').nullable(),
    /** Number of the root log that this is an index of. */
    rootEpoch: p.integer().nullable(),
    reason: p.text(),
    endedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A tile that is yet to be written to the storage. */
export const EvidenceTileSchema = defineEntity({
  name: 'EvidenceTile',
  tableName: 'evidence_tile',
  properties: {
    log: p.uuid().primary(),
    /** -1: entries. */
    level: p.smallint().primary(),
    index: p.bigint('number').primary(),
    width: p.smallint().primary(),
    bytes: p.blob(),
  },
});

/** Where a record, or its erasure, stands in its project's log. */
export const EvidenceLeafSchema = defineEntity({
  name: 'EvidenceLeaf',
  tableName: 'evidence_leaf',
  properties: {
    projectId: p.uuid().primary(),
    consentId: p.uuid().primary(),
    leafIndex: p.bigint('number'),
    /** Number of the log that has it. */
    epoch: p.integer().defaultRaw('1'),
    /** Of an erasure; null of a record. */
    salt: p.blob().nullable(),
  },
});

/** A checkpoint that has its place in the root log, until a signed checkpoint of that covers it. */
export const EvidenceRootEntrySchema = defineEntity({
  name: 'EvidenceRootEntry',
  tableName: 'evidence_root_entry',
  properties: {
    rootIndex: p.bigint('number').primary().autoincrement(false),
    log: p.uuid(),
    size: p.bigint('number'),
    checkpoint: p.text(),
  },
});

/** A time-stamp of a checkpoint of the root log, which the storage has. */
export const EvidenceStampSchema = defineEntity({
  name: 'EvidenceStamp',
  tableName: 'evidence_stamp',
  properties: {
    /** Number of the root log that was stamped. */
    epoch: p.integer().primary().autoincrement(false).defaultRaw('1'),
    /** Entries that the checkpoint covers. */
    size: p.bigint('number').primary().autoincrement(false),
    /** By the clock of the time-stamp service. */
    stampedAt: p.datetime(),
    writtenAt: p.datetime().defaultRaw('now()'),
  },
});

/** A key that has signed. */
export const EvidenceKeySchema = defineEntity({
  name: 'EvidenceKey',
  tableName: 'evidence_key',
  properties: {
    /** As it is published. */
    verifier: p.text().primary(),
    firstSignedAt: p.datetime().defaultRaw('now()'),
    lastSignedAt: p.datetime().defaultRaw('now()'),
  },
});
