import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { appendMessagesSql } from '../../../platform/outbox/outbox.sql.js';
import { lookUpProject } from '../../projects/project.rows.js';
import { CONSENT_RECORDED } from '../domain/consent-recorded.js';
import { HASH_PREFIX } from '../domain/visitor-reference.js';
import type { ForwardingPredicate } from '../consent.hooks.js';
import { lookUpVisitorReference } from './visitor-reference.rows.js';

/** A consent from another product. Its id has the time at which it was given. */
export interface ImportedRecord {
  id: string;
  originalId: string;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  action: string;
  hostname: string | null;
  language: string | null;
  /** Value of the project's visitor field; null: none. Not stored if the project has no such field. */
  visitor: string | null;
}

/**
 * `repeated`: the same consent is stored. `conflict`: another one is stored under its id. `erased`:
 * it was stored, and then erased.
 */
export type ImportOutcome = 'stored' | 'repeated' | 'conflict' | 'erased';

export interface ImportBatch {
  projectId: string;
  importId: string;
  records: readonly ImportedRecord[];
  /** Whether the project's forwarding applies; null: records are not forwarded. */
  forward: ForwardingPredicate | null;
  /** One salt for each record, if records are sealed. */
  salts: readonly Buffer[] | null;
}

/** Why an imported record is not forwarded, unless the import requests it. */
const IMPORTED = 'imported';

const INPUT_COLUMNS = sql`position, id, original_id, analytics, marketing, preferences, action, hostname, language, visitor`;

function inputOf(records: readonly ImportedRecord[]): RawBuilder<unknown> {
  return sql`
    select ${INPUT_COLUMNS} from unnest(
      ${records.map(({ id }) => id)}::uuid[], ${records.map(({ originalId }) => originalId)}::text[],
      ${records.map(({ analytics }) => analytics)}::bool[], ${records.map(({ marketing }) => marketing)}::bool[],
      ${records.map(({ preferences }) => preferences)}::bool[], ${records.map(({ action }) => action)}::text[],
      ${records.map(({ hostname }) => hostname)}::text[], ${records.map(({ language }) => language)}::text[],
      ${records.map(({ visitor }) => visitor)}::text[]
    ) with ordinality as t (
      id, original_id, analytics, marketing, preferences, action, hostname, language, visitor, position
    )`;
}

/** The outcome of an input row `i` that was not inserted, over the stored record `c`. */
const OUTCOME = sql`case when i.erased then 'erased' when c.id is null then null
  when (c.analytics, c.marketing, c.preferences, c.action, c.hostname, c.language) is not distinct from
       (i.analytics, i.marketing, i.preferences, i.action, i.hostname, i.language) then 'repeated'
  else 'conflict' end`;

/** The limits make each a lookup by primary key. */
function isErased(projectId: string): RawBuilder<unknown> {
  return sql`exists (
    select from erased_record e where e.project_id = ${projectId}::uuid and e.consent_id = input.id limit 1
  )`;
}

function storedAs(projectId: string): RawBuilder<unknown> {
  return sql`left join lateral (
    select * from consent_record r where r.project_id = ${projectId}::uuid and r.id = i.id limit 1
  ) c on true`;
}

/**
 * Stores consents that are not stored or erased yet, in the caller's transaction. Returns their outcomes, in the order
 * given. All get the time of the transaction as their time of receipt, as in the ingest.
 */
export async function insertImported(
  tx: EntityManager,
  { projectId, importId, records, forward, salts }: ImportBatch,
): Promise<ImportOutcome[]> {
  const skippedReason = forward
    ? forward({ projectId: sql.ref('p.id'), tier: sql.ref('p.tier'), customEndpoint: sql`null::text` })
    : sql`${IMPORTED}::text`;
  const queued = appendMessagesSql({
    orderingKey: sql.ref('project_id'),
    projectId: sql.ref('project_id'),
    subjectId: sql.ref('id'),
    topic: CONSENT_RECORDED,
    from: sql`inserted where skipped_reason is null`,
  });
  const { rows } = await sql<{ outcome: ImportOutcome }>`
    with input as materialized (${inputOf(records)}),
    judged as materialized (
      select input.*, ${isErased(projectId)} as erased, (${skippedReason}) as skipped_reason,
             v.field as visitor_field, v.hashed as visitor_hashed,
             case when v.field is not null then sha256(v.salt || convert_to(input.visitor, 'UTF8')) end as visitor_hash
      from input ${lookUpProject(sql`${projectId}::uuid`)} ${lookUpVisitorReference(sql`${projectId}::uuid`)}
    ),
    inserted as (
      insert into consent_record (
        project_id, id, analytics, marketing, preferences, action, hostname, extra, received_at, skipped_reason, language,
        visitor_hash, salt, import_id, original_id
      )
      select ${projectId}::uuid, id, analytics, marketing, preferences, action, hostname,
             case when visitor_hash is not null then jsonb_build_object(visitor_field, case when visitor_hashed
               then ${HASH_PREFIX}::text || encode(visitor_hash, 'hex') else visitor end) end,
             date_trunc('milliseconds', now()), skipped_reason, language, visitor_hash,
             (${salts ?? null}::bytea[])[position::int], ${importId}::uuid, original_id
      from judged where not erased
      on conflict do nothing
      returning project_id, id, skipped_reason
    ), queued as (${queued})
    select case when s.id is not null then 'stored' else coalesce(${OUTCOME}, 'repeated') end as outcome
    from judged i left join inserted s on s.id = i.id ${storedAs(projectId)}
    order by i.position
  `.execute(tx.getKysely());
  return rows.map(({ outcome }) => outcome);
}

/** The outcomes that `insertImported` would have, in the order given. */
export async function judgeImported(
  em: EntityManager,
  projectId: string,
  records: readonly ImportedRecord[],
): Promise<ImportOutcome[]> {
  const { rows } = await sql<{ outcome: ImportOutcome }>`
    with input as materialized (${inputOf(records)})
    select coalesce(${OUTCOME}, 'stored') as outcome
    from (select input.*, ${isErased(projectId)} as erased from input) i ${storedAs(projectId)}
    order by i.position
  `.execute(em.getKysely());
  return rows.map(({ outcome }) => outcome);
}
