import type { EntityManager } from '@mikro-orm/postgresql';
import { sql, type RawBuilder } from 'kysely';
import { boundedScan, type ScannedRow } from '../../../platform/database/bounded-scan.js';
import { constantSql } from '../../../platform/database/compile-sql.js';
import { listLiteral } from '../../../platform/database/list-literal.js';
import type { Reads } from '../../../platform/database/prepared-reads.js';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import type { RecordConditions } from '../consent.hooks.js';
import { CONSENT_ID_AGE_MAX_MS, CONSENT_ID_AHEAD_MAX_MS } from '../domain/consent-input.js';
import { consentKey, type ConsentRecorded, type ConsentRef } from '../domain/consent-recorded.js';
import type { RecordFilter } from '../domain/record-filter.js';
import { consentTables } from './consent.tables.js';

const COLUMNS: Record<keyof ConsentRecorded, string> = {
  id: 'id',
  projectId: 'project_id',
  analytics: 'analytics',
  marketing: 'marketing',
  preferences: 'preferences',
  action: 'action',
  hostname: 'hostname',
  customEndpoint: 'custom_endpoint',
  configHash: 'config_hash',
  language: 'language',
  surface: 'surface',
  services: 'services',
  extra: 'extra',
  receivedAt: 'received_at',
  skippedReason: 'skipped_reason',
  salt: 'salt',
  importId: 'import_id',
  originalId: 'original_id',
};

/** The select list that reads a `ConsentRecorded` from `consent_record c`. */
export const RECORD_COLUMNS = sql.join(
  Object.entries(COLUMNS).map(([member, column]) => sql`${sql.ref(`c.${column}`)} as ${sql.id(member)}`),
);

/** The members of a `ConsentRecorded`, in the order of `RECORD_COLUMNS`. */
export const RECORD_MEMBERS = sql.join(Object.keys(COLUMNS).map((member) => sql.id(member)));

/** The same columns for a query without a record: null, except the given expressions. */
export function columnsWithoutRecord(
  known: Partial<Record<keyof ConsentRecorded, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  return sql.join(Object.keys(COLUMNS).map((member) => known[member as keyof ConsentRecorded] ?? sql`null`));
}

/** Reads records by id, keyed by `consentKey`. Deleted records are missing from the map. */
export async function loadRecords(
  reads: Reads,
  refs: readonly ConsentRef[],
): Promise<Map<string, ConsentRecorded>> {
  const rows = await reads.rows<ConsentRecorded>(RECORDS, [
    listLiteral(
      'uuid',
      refs.map(({ projectId }) => projectId),
    ),
    listLiteral(
      'uuid',
      refs.map(({ consentId }) => consentId),
    ),
  ]);
  return new Map(rows.map((row) => [consentKey({ projectId: row.projectId, consentId: row.id }), row]));
}

const RECORDS = {
  name: 'consent-records',
  text: constantSql(sql`
    select ${RECORD_COLUMNS}
    from unnest($1::uuid[], $2::uuid[]) as requested (project_id, id)
    -- The limit makes it one primary-key lookup per record. A join reads whole partitions where the planner's
    -- statistics are out of date (22 ms against 0.9 ms for 100 of 20,000 new records).
    cross join lateral (
      select * from consent_record r where r.project_id = requested.project_id and r.id = requested.id limit 1
    ) c`),
};

/** Returns the ids that are a record of the project, in the order given. */
export async function existingRecords(
  tx: EntityManager,
  projectId: string,
  consentIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from consent_record where project_id = ${projectId} and id = any(${consentIds}::uuid[])
  `.execute(tx.getKysely());
  const found = new Set(rows.map(({ id }) => id));
  return consentIds.filter((id) => found.has(id));
}

/** Returns the keys of the records that exist, and locks them until the transaction ends. */
export async function lockRecords(tx: EntityManager, refs: readonly ConsentRef[]): Promise<Set<string>> {
  const { rows } = await sql<ConsentRef>`
    select kept.project_id as "projectId", kept.id as "consentId"
    from unnest(
      ${refs.map(({ projectId }) => projectId)}::uuid[],
      ${refs.map(({ consentId }) => consentId)}::uuid[]
    ) as requested (project_id, id)
    cross join lateral (
      select c.project_id, c.id from consent_record c
      where c.project_id = requested.project_id and c.id = requested.id
      limit 1 for key share of c
    ) kept
    order by 1, 2
  `.execute(tx.getKysely());
  return new Set(rows.map(consentKey));
}

/** When a record was erased; null: it was not. */
export async function findErasedAt(
  em: EntityManager,
  { projectId, consentId }: ConsentRef,
): Promise<Date | null> {
  const erased = await consentTables(em)
    .selectFrom('erased_record')
    .select('erasedAt')
    .where('projectId', '=', projectId)
    .where('consentId', '=', consentId)
    .executeTakeFirst();
  return erased?.erasedAt ?? null;
}

/**
 * A fragment for another module's statement: joins the record as `c`, which drops rows of deleted
 * records.
 */
export function joinRecord({
  projectId,
  consentId,
}: Record<'projectId' | 'consentId', RawBuilder<unknown>>): RawBuilder<unknown> {
  return sql`join consent_record c on c.project_id = ${projectId} and c.id = ${consentId}`;
}

/*
 * A record's id contains its creation time in the banner, which may differ from the receipt within
 * the bounds that the ingest accepts. These bounds on the id let PostgreSQL skip the partitions of
 * other months.
 */

/** No record that was received at this instant or later has a lower id. */
function lowestIdReceivedAt(instant: Date): string {
  return uuidLowerBound(new Date(instant.getTime() - CONSENT_ID_AGE_MAX_MS));
}

/** Every record that was received at this instant or earlier has a lower id. */
function lowestIdReceivedAfter(instant: Date): string {
  return uuidLowerBound(new Date(instant.getTime() + CONSENT_ID_AHEAD_MAX_MS + 1));
}

/** Conditions on the primary key: the project, and the ids that records of the period can have. */
export function rangeConditions(projectId: string, { from, to }: RecordFilter): RawBuilder<unknown>[] {
  const range: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
  if (from) range.push(sql`c.id >= ${lowestIdReceivedAt(from)}::uuid`);
  if (to) range.push(sql`c.id < ${lowestIdReceivedAfter(to)}::uuid`);
  return range;
}

/** The filter's conditions on everything else. */
export function filterConditions(filter: RecordFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  // An imported record counts at the time of its consent, which is that of its id.
  if (filter.from)
    conditions.push(sql`case when c.import_id is null then c.received_at >= ${filter.from}
      else c.id >= ${uuidLowerBound(filter.from)}::uuid end`);
  if (filter.to)
    conditions.push(sql`case when c.import_id is null then c.received_at < ${filter.to}
      else c.id < ${uuidLowerBound(filter.to)}::uuid end`);
  if (filter.action !== undefined) conditions.push(sql`c.action = ${filter.action}`);
  if (filter.hostname !== undefined) conditions.push(sql`c.hostname = ${filter.hostname.toLowerCase()}`);
  for (const flag of ['analytics', 'marketing', 'preferences'] as const) {
    if (filter[flag] !== undefined) conditions.push(sql`${sql.ref(`c.${flag}`)} = ${filter[flag]}`);
  }
  if (filter.configHash !== undefined) conditions.push(sql`c.config_hash = ${filter.configHash}`);
  if (filter.language !== undefined)
    conditions.push(sql`lower(c.language) = ${filter.language.toLowerCase()}`);
  if (filter.surface !== undefined) conditions.push(sql`c.surface = ${filter.surface}`);
  return conditions;
}

/** Selects the page of records before an id; null: the first page. */
interface RecordPageFilter extends RecordFilter {
  id?: string;
  visitorHash?: Buffer;
  /** The id of an imported record in the product from which it came. */
  originalId?: string;
  before: string | null;
  limit: number;
}

/** A page of a project's records, newest first, that also match the conditions of another module. */
export function recordPage(
  projectId: string,
  filter: RecordPageFilter,
  { conditions, ...bound }: RecordConditions,
): RawBuilder<ScannedRow<ConsentRecorded>> {
  const range = rangeConditions(projectId, filter);
  if (filter.before !== null) range.push(sql`c.id < ${filter.before}::uuid`);
  if (filter.id !== undefined) range.push(sql`c.id = ${filter.id}::uuid`);
  if (filter.originalId !== undefined) range.push(sql`c.original_id = ${filter.originalId}`);
  // This condition has its own index, ordered by id. As part of the range, it limits which rows are scanned.
  if (filter.visitorHash) range.push(sql`c.visitor_hash = ${filter.visitorHash}`);
  return boundedScan<ConsentRecorded>({
    table: 'consent_record',
    columns: RECORD_COLUMNS,
    range,
    filters: [...filterConditions(filter), ...conditions],
    limit: filter.limit,
    ...bound,
  });
}

export function visitorRecordCount(projectId: string, visitorHash: Buffer): RawBuilder<{ records: number }> {
  return sql`
    select count(*)::int as records from consent_record
    where project_id = ${projectId} and visitor_hash = ${visitorHash}`;
}

/** Records received in a period: `from` inclusive, `to` exclusive. */
export interface SkippedRange {
  projectId: string;
  from: Date;
  to: Date;
  limit: number;
}

/**
 * Marks records as forwarded and locks them until the transaction ends: an erasure waits for the
 * lock, and then finds their outbox messages. Returns the ids that exist, in the order given.
 */
export async function lockForForwarding(
  tx: EntityManager,
  projectId: string,
  consentIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with marked as (
      update consent_record set skipped_reason = null
      where project_id = ${projectId} and id = any(${consentIds}::uuid[]) and skipped_reason is not null
    )
    select c.id
    from unnest(${consentIds}::uuid[]) with ordinality as requested (id, position)
    join consent_record c on c.project_id = ${projectId} and c.id = requested.id
    order by requested.position
    for key share of c
  `.execute(tx.getKysely());
  return rows.map(({ id }) => id);
}

/** Ids of the records in the range that were never queued, oldest first. */
export async function skippedRecordIds(
  tx: EntityManager,
  { projectId, from, to, limit }: SkippedRange,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from consent_record
    where project_id = ${projectId} and id >= ${lowestIdReceivedAt(from)} and id < ${lowestIdReceivedAfter(to)}
      and received_at >= ${from} and received_at < ${to} and skipped_reason is not null and import_id is null
    order by id limit ${limit}
  `.execute(tx.getKysely());
  return rows.map(({ id }) => id);
}

/** Records in one response to a visitor, the newest. A person creates a few a year. */
export const KEY_RECORDS_MAX = 100;

/**
 * The newest records of a visitor's key, newest first, one more than `KEY_RECORDS_MAX` if there are
 * more. Statement and index are the same with or without records, so the response time doesn't
 * reveal whether a key exists.
 */
export function recordsOfKey(
  reads: Reads,
  projectId: string,
  visitorKeyHash: Buffer,
): Promise<ConsentRecorded[]> {
  return reads.rows<ConsentRecorded>(RECORDS_OF_KEY, [projectId, visitorKeyHash]);
}

const RECORDS_OF_KEY = {
  name: 'consent-records-of-key',
  text: constantSql(sql`
    select ${RECORD_COLUMNS}
    from consent_record c where c.project_id = $1::uuid and c.visitor_key_hash = $2::bytea
    order by c.id desc limit ${sql.lit(KEY_RECORDS_MAX + 1)}`),
};
