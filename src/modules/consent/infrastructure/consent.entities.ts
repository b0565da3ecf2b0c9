import { defineEntity, p } from '@mikro-orm/core';
import { AUDIENCE_DIMENSIONS, AUDIENCE_SPANS } from '../domain/consent-counts.js';

/** PostgreSQL's spelling of the default. */
const CURRENT_XID = '((pg_current_xact_id())::text)::bigint';

/**
 * One decision of a visitor; never changed. Partitioned by month on the id, whose first 48 bits are
 * its time. Written only in batches by SQL.
 */
export const ConsentRecordSchema = defineEntity({
  name: 'ConsentRecord',
  tableName: 'consent_record',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    analytics: p.boolean(),
    marketing: p.boolean(),
    preferences: p.boolean(),
    action: p.text(),
    /** The page's host; null: not sent. */
    hostname: p.text().nullable(),
    /** Legacy endpoint named in the request (spec §2.2); null in nearly every row. */
    customEndpoint: p.text().nullable(),
    /** Additional fields, as sent; null: none. */
    extra: p.json<Record<string, unknown>>().nullable(),
    receivedAt: p.datetime().defaultRaw('now()'),
    /** Why it was not queued for forwarding, as a code; null: it was queued. */
    skippedReason: p.text().nullable(),
    /** Hash of the published configuration that was shown, in hex; null: not sent. */
    configHash: p.text().nullable(),
    /** Language that was shown, BCP 47; null: not sent. */
    language: p.text().nullable(),
    /** Where the choice was made (SURFACES); null: not sent. */
    surface: p.text().nullable(),
    /** Whether each service was accepted, by its id; null: not sent. */
    services: p.json<Record<string, boolean>>().nullable(),
    /** Hash that identifies the visitor (domain/visitor-reference.ts); null: the record identifies none. */
    visitorHash: p.blob().$type<Buffer>().nullable(),
    /** Hash of the visitor key (domain/visitor-reference.ts); null: not sent. */
    visitorKeyHash: p.blob().$type<Buffer>().nullable(),
    /** The salt that seals the record; null: stored without. */
    salt: p.blob().nullable(),
    /** The transaction that stored it, which determines its place in the sequence. */
    storedXid: p.bigint('number').defaultRaw(CURRENT_XID),
    /** The import that stored it; null: the service collected it. */
    importId: p.uuid().nullable(),
    /** Its id in the product from which it was imported. */
    originalId: p.text().nullable(),
  },
});

/** An owner's request to erase a visitor's records. */
export const ErasureRequestSchema = defineEntity({
  name: 'ErasureRequest',
  tableName: 'erasure_request',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** One of the two hashes identifies the visitor; both are null once the request is finished. */
    visitorHash: p.blob().$type<Buffer>().nullable(),
    visitorKeyHash: p.blob().$type<Buffer>().nullable(),
    reason: p.text(),
    requestedAt: p.datetime().defaultRaw('now()'),
    /** Records erased so far. */
    erased: p.bigint('number').defaultRaw('0'),
    /** null: a worker erases the rest. */
    finishedAt: p.datetime().nullable(),
  },
});

/** Number of erasures with visitor keys in an hour, deleted once it is in the audit log. */
export const VisitorErasureHourSchema = defineEntity({
  name: 'VisitorErasureHour',
  tableName: 'visitor_erasure_hour',
  properties: {
    projectId: p.uuid().primary(),
    /** Start of the hour, in UTC. */
    at: p.datetime().primary(),
    erasures: p.integer(),
  },
});

/** How a project's records identify visitors (domain/visitor-reference.ts). */
export const VisitorReferenceSchema = defineEntity({
  name: 'VisitorReference',
  tableName: 'visitor_reference',
  properties: {
    projectId: p.uuid().primary(),
    field: p.text().nullable(),
    hashed: p.boolean(),
    salt: p.blob().$type<Buffer>(),
  },
});

/** A project whose stored records are being indexed by visitor. */
export const VisitorIndexingSchema = defineEntity({
  name: 'VisitorIndexing',
  tableName: 'visitor_indexing',
  properties: {
    projectId: p.uuid().primary(),
    /** Records up to this id are indexed. */
    afterId: p.uuid().defaultRaw(`'00000000-0000-0000-0000-000000000000'`),
    requestedAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
});

/** The id of an erased record, to erase it again after a restore from a backup. */
export const ErasedRecordSchema = defineEntity({
  name: 'ErasedRecord',
  tableName: 'erased_record',
  properties: {
    projectId: p.uuid().primary(),
    consentId: p.uuid().primary(),
    erasedAt: p.datetime().defaultRaw('now()'),
    /** The transaction that erased it. */
    storedXid: p.bigint('number').defaultRaw(CURRENT_XID),
  },
});

const counts = {
  records: p.bigint('number'),
  /** Choices, one per device and day (counts-sql.ts); all other counts are subsets. */
  asked: p.bigint('number').defaultRaw('0'),
  analytics: p.bigint('number'),
  marketing: p.bigint('number'),
  preferences: p.bigint('number'),
  /** All three categories granted. */
  fullAccept: p.bigint('number'),
  /** No category granted. */
  rejection: p.bigint('number'),
  withdrawal: p.bigint('number'),
};

/** Keys and counts of a rollup: the records of one project, action and hostname in one interval. */
const rollup = {
  projectId: p.uuid().primary(),
  /** The start of the interval, in UTC. */
  at: p.datetime().primary(),
  action: p.text().primary(),
  /** Empty for records without a hostname. */
  hostname: p.text().primary(),
  ...counts,
};

/** Counts of consent records by hour. */
export const ConsentRollupHourSchema = defineEntity({
  name: 'ConsentRollupHour',
  tableName: 'consent_rollup_hour',
  properties: rollup,
});

/** Counts of consent records by day. */
export const ConsentRollupDaySchema = defineEntity({
  name: 'ConsentRollupDay',
  tableName: 'consent_rollup_day',
  properties: rollup,
});

/** Counts of consent records by hour or day: by region, and separately by language (ADR 12). */
export const ConsentRollupAudienceSchema = defineEntity({
  name: 'ConsentRollupAudience',
  tableName: 'consent_rollup_audience',
  properties: {
    projectId: p.uuid().primary(),
    span: p.enum(AUDIENCE_SPANS).primary(),
    /** The start of the interval, in UTC. */
    at: p.datetime().primary(),
    dimension: p.enum(AUDIENCE_DIMENSIONS).primary(),
    /** Empty for records without a name; `*` for invalid names and those beyond the limit. */
    name: p.text().primary(),
    ...counts,
  },
});

/** Progress of the rollups: one row. */
export const ConsentRollupStateSchema = defineEntity({
  name: 'ConsentRollupState',
  tableName: 'consent_rollup_state',
  properties: {
    /** Always true, so that there is only one row. */
    singleton: p.boolean().primary().default(true),
    /** Records received before this instant are in the rollups; later ones are not. */
    doneUntil: p.datetime(),
  },
});
