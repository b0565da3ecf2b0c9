import { defineEntity, p } from '@mikro-orm/core';

const NIL_UUID = `'00000000-0000-0000-0000-000000000000'`;

/** The sequencer's cursor: one row. */
export const SequencerCursorSchema = defineEntity({
  name: 'SequencerCursor',
  tableName: 'sequencer_cursor',
  properties: {
    /** Always true, so there is no second row. */
    singleton: p.boolean().primary().default(true),
    /** Records received before it are sequenced, by the database's clock. For monitoring only. */
    at: p.datetime().defaultRaw('now()'),
    /** The position: a transaction, and a record or erasure in it. */
    afterXid: p.bigint('number'),
    afterProjectId: p.uuid().defaultRaw(NIL_UUID),
    afterId: p.uuid().defaultRaw(NIL_UUID),
    afterIsErasure: p.boolean().default(false),
    /** Server that assigned the transaction id; null: not known yet. */
    cluster: p.text().nullable(),
    /** Records received before are not added to the logs. */
    beginsAt: p.datetime().defaultRaw('now()'),
    /** Entries of other modules exist since then. */
    entriesBeginAt: p.datetime().defaultRaw('now()'),
    /** File of the embedded server by which a copy of the data folder is detected; null: not seen yet, or none. */
    home: p.text().nullable(),
    /** The number of logs that are created here: 1, until a copy of the data folder is detected. */
    logEpoch: p.integer().defaultRaw('1'),
    /** Records of this transaction and later ones have a leaf; null: not known. */
    beginsXid: p.bigint('number').nullable(),
  },
});

/** A project whose records after an id must be searched for those without a leaf. */
export const EvidenceBackfillSchema = defineEntity({
  name: 'EvidenceBackfill',
  tableName: 'evidence_backfill',
  properties: { projectId: p.uuid().primary(), afterId: p.uuid().defaultRaw(NIL_UUID) },
});

/** A project's log, or the root log (ROOT_LOG). */
export const EvidenceLogSchema = defineEntity({
  name: 'EvidenceLog',
  tableName: 'evidence_log',
  properties: {
    log: p.uuid().primary(),
    /** First line of its checkpoints. */
    origin: p.text(),
    /** Number of sequenced leaves. */
    size: p.bigint('number').defaultRaw('0'),
    /** The state needed to append (domain/log.ts). */
    edge: p.blob().$type<Buffer>().defaultRaw(`'\\x'`),
    appendedAt: p.datetime().defaultRaw('now()'),
    /** When its checkpoint was last requested. */
    requestedAt: p.datetime().nullable(),
    checkpointSize: p.bigint('number').defaultRaw('0'),
    checkpoint: p.text().nullable(),
    signedAt: p.datetime().nullable(),
    anchoredSize: p.bigint('number').defaultRaw('0'),
    /** The newest one that a signed checkpoint of the root log covers, and its index there. */
    anchoredCheckpoint: p.text().nullable(),
    rootIndex: p.bigint('number').nullable(),
    /** Why no checkpoint is signed; null: there is no problem. */
    refusal: p.text().nullable(),
    refusedAt: p.datetime().nullable(),
    /** 1, or a larger number than that of the log that it continues. */
    epoch: p.integer().defaultRaw('1'),
    /** The signed statement that is its first entry; null: it continues no log. */
    continues: p.text().nullable(),
    /** Why it must not be signed, whatever the storage contains: it is a copy. null: it is not. */
    halted: p.text().nullable(),
    /** A signed checkpoint that was known when the log was halted. */
    haltedHead: p.text().nullable(),
    /** When its records were last compared with it; before the first check: when the log started. */
    checkedAt: p.datetime().defaultRaw('now()'),
    /** Result of that check, as a sentence; null: no problem. */
    problem: p.text().nullable(),
    /** The check in progress has compared records up to this id; null: no check is in progress. */
    checkAfter: p.uuid().nullable(),
    /** Damage of its storage that a check found: it is not signed until a check finds none. */
    damage: p.text().nullable(),
  },
});

/** A log that another log continues, with its last signed state. */
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
    anchoredSize: p.bigint('number'),
    anchoredCheckpoint: p.text().nullable(),
    rootIndex: p.bigint('number').nullable(),
    /** Epoch of the root log that contains the index. */
    rootEpoch: p.integer().nullable(),
    reason: p.text(),
    endedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A full tile that is not in the storage yet. */
export const EvidenceTileSchema = defineEntity({
  name: 'EvidenceTile',
  tableName: 'evidence_tile',
  properties: {
    log: p.uuid().primary(),
    /** -1: entries. */
    level: p.smallint().primary(),
    index: p.bigint('number').primary(),
    width: p.smallint().primary(),
    bytes: p.blob().$type<Buffer>(),
  },
});

/** The leaf of a record, or of its erasure, in its project's log. */
export const EvidenceLeafSchema = defineEntity({
  name: 'EvidenceLeaf',
  tableName: 'evidence_leaf',
  properties: {
    projectId: p.uuid().primary(),
    consentId: p.uuid().primary(),
    leafIndex: p.bigint('number'),
    /** Epoch of the log that contains it. */
    epoch: p.integer().defaultRaw('1'),
    /** Salt of an erasure; null for a record. */
    salt: p.blob().$type<Buffer>().nullable(),
  },
});

/** An entry that another module adds to a project's log, with its leaf. */
export const EvidenceEntrySchema = defineEntity({
  name: 'EvidenceEntry',
  tableName: 'evidence_entry',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    commitment: p.blob().$type<Buffer>(),
    storedAt: p.datetime().defaultRaw('now()'),
    /** Epoch of the log that contains it; null: not sequenced yet. */
    epoch: p.integer().nullable(),
    leafIndex: p.bigint('number').nullable(),
  },
});

/** A checkpoint that is sequenced in the root log, until a signed checkpoint of the root log covers it. */
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

/** A timestamp of a checkpoint of the root log. */
export const EvidenceTimestampSchema = defineEntity({
  name: 'EvidenceTimestamp',
  tableName: 'evidence_timestamp',
  properties: {
    /** Epoch of the root log. */
    epoch: p.integer().primary().autoincrement(false).defaultRaw('1'),
    /** Entries that the checkpoint covers. */
    size: p.bigint('number').primary().autoincrement(false),
    /** By the clock of the timestamp service. */
    stampedAt: p.datetime(),
    writtenAt: p.datetime().defaultRaw('now()'),
  },
});

export const EvidenceKeySchema = defineEntity({
  name: 'EvidenceKey',
  tableName: 'evidence_key',
  properties: {
    /** As published: name+hash+key. */
    verifier: p.text().primary(),
    firstSignedAt: p.datetime().defaultRaw('now()'),
    lastSignedAt: p.datetime().defaultRaw('now()'),
  },
});

export const evidenceEntities = [
  SequencerCursorSchema,
  EvidenceBackfillSchema,
  EvidenceLogSchema,
  EvidencePastLogSchema,
  EvidenceTileSchema,
  EvidenceLeafSchema,
  EvidenceEntrySchema,
  EvidenceRootEntrySchema,
  EvidenceTimestampSchema,
  EvidenceKeySchema,
] as const;
