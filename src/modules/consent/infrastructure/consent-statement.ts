import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { constantSql } from '../../../platform/database/compile-sql.js';
import type { PreparedStatement } from '../../../platform/database/prepared-reads.js';
import { lookUpProject } from '../../projects/project.rows.js';
import { appendMessagesSql, POLLING_MS_SQL } from '../../../platform/outbox/outbox.sql.js';
import type { ConsentInput } from '../domain/consent-input.js';
import { CONSENT_RECORDED } from '../domain/consent-recorded.js';
import { HASH_PREFIX } from '../domain/visitor-reference.js';
import type { ForwardingPredicate } from '../consent.hooks.js';
import { lookUpVisitorReference, visitorHashSql, visitorValueSql } from './visitor-reference.rows.js';

export interface ConsentRow extends ConsentInput {
  projectId: string;
  id: string;
  /** Host of the request's `Origin` header; null: no header, or any origin may send. */
  originHost: string | null;
}

/** The outbox messages of the forwarded records; each project's in the order of its records. */
const APPENDED = appendMessagesSql({
  orderingKey: sql.ref('project_id'),
  projectId: sql.ref('project_id'),
  subjectId: sql.ref('id'),
  topic: CONSENT_RECORDED,
  from: sql`inserted where skipped_reason is null`,
});

const VISITOR_HASH = visitorHashSql(visitorValueSql(sql`input.extra::jsonb`));

/** Length of each record's salt. */
const SALT_BYTES = 32;

/** Why a row was not inserted. */
export const ROW_CONFLICT = 1;
export const ROW_UNKNOWN_PROJECT = 2;
export const ROW_ORIGIN_REFUSED = 3;

/** The single row that the statement returns. */
export interface BatchResult {
  /** When the batch was received, by the database's clock, in milliseconds since 1970. */
  receivedMs: number;
  /** How many outbox messages were written. */
  announced: number;
  /** For how many more milliseconds a worker polls without a wake-up; null: no worker does. */
  pollingMs: number | null;
  /**
   * Rows that were not inserted: their position, from 1, and one of the codes above; null: all were
   * inserted.
   */
  refused: { position: number; code: number }[] | null;
}

/**
 * The statement that stores a batch: records and outbox messages in one transaction and one round
 * trip. It checks that the project exists and that its domains allow the origin, and decides
 * whether the record is forwarded, so no check can be stale. An existing id is reported and left
 * unchanged, and a refused row doesn't fail the other rows. All rows get the transaction's time of
 * receipt, from which the rollups derive when an hour is complete (consent.rollup.ts).
 */
export function batchStatement(predicate: ForwardingPredicate): PreparedStatement {
  const skippedReason = predicate({
    projectId: sql.ref('p.id'),
    tier: sql.ref('p.tier'),
    customEndpoint: sql.ref('input.custom_endpoint'),
  });
  return {
    name: 'consent-batch',
    text: constantSql(sql`
      with input as materialized (
        select * from unnest(
          $1::uuid[], $2::uuid[], $3::bool[], $4::bool[], $5::bool[], $6::text[], $7::text[], $8::text[],
          $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bytea[]
        ) with ordinality as t (
          project_id, id, analytics, marketing, preferences, action, hostname, custom_endpoint,
          extra, origin_host, config_hash, language, surface, services, visitor_key_hash, position
        )
      ), judged as materialized (
        select input.*, p.id is not null as known,
          (p.domains = '{}' or input.origin_host is null or exists (
            select 1 from unnest(p.domains) as d (domain)
            where input.origin_host = d.domain or right(input.origin_host, length(d.domain) + 1) = '.' || d.domain
          )) as origin_allowed,
          (${skippedReason}) as skipped_reason,
          -- The additional fields are not parsed where the project names no field.
          case when v.field is not null then ${VISITOR_HASH} end as visitor_hash,
          v.hashed as visitor_hashed, v.field as visitor_field
        from input ${lookUpProject(sql.ref('input.project_id'))} ${lookUpVisitorReference(sql.ref('input.project_id'))}
      ), inserted as (
        insert into consent_record (
          project_id, id, analytics, marketing, preferences, action, hostname, custom_endpoint, extra, received_at,
          skipped_reason, config_hash, language, surface, services, visitor_hash, visitor_key_hash, salt
        )
        select project_id, id, analytics, marketing, preferences, action, hostname, custom_endpoint,
               case when visitor_hashed and visitor_hash is not null
                 then jsonb_set(extra::jsonb, array[visitor_field],
                                to_jsonb(${sql.lit(HASH_PREFIX)} || encode(visitor_hash, 'hex')))
                 else extra::jsonb end,
               date_trunc('milliseconds', now()), skipped_reason, config_hash, language, surface, services::jsonb,
               visitor_hash, visitor_key_hash,
               substring($16::bytea from ((judged.position - 1) * ${sql.lit(SALT_BYTES)} + 1)::int for ${sql.lit(SALT_BYTES)})
        from judged where known and origin_allowed
        on conflict do nothing
        returning project_id, id, skipped_reason
      ), queued as (
        ${APPENDED}
      )
      select
        (extract(epoch from date_trunc('milliseconds', now())) * 1000)::float8 as "receivedMs",
        (select count(*)::int from queued) as announced,
        ${POLLING_MS_SQL} as "pollingMs",
        (
          select json_agg(json_build_object(
            'position', judged.position,
            'code', case when not known then ${sql.lit(ROW_UNKNOWN_PROJECT)}
                         when not origin_allowed then ${sql.lit(ROW_ORIGIN_REFUSED)} else ${sql.lit(ROW_CONFLICT)} end
          ))
          from judged left join inserted using (project_id, id) where inserted.id is null
        ) as refused
    `),
  };
}

/** The statement's parameters: a list for each column, then the salts of all rows as one value, null without salts. */
export function batchParameters(rows: ConsentRow[], salted: boolean): unknown[] {
  return [
    rows.map((row) => row.projectId),
    rows.map((row) => row.id),
    rows.map((row) => row.analytics),
    rows.map((row) => row.marketing),
    rows.map((row) => row.preferences),
    rows.map((row) => row.action),
    rows.map((row) => row.hostname),
    rows.map((row) => row.customEndpoint),
    rows.map((row) => row.extraJson),
    rows.map((row) => row.originHost),
    rows.map((row) => row.configHash),
    rows.map((row) => row.language),
    rows.map((row) => row.surface),
    rows.map((row) => row.services && JSON.stringify(row.services)),
    rows.map((row) => row.visitorKeyHash),
    salted ? randomBytes(rows.length * SALT_BYTES) : null,
  ];
}
