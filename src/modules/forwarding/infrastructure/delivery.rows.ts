import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { boundedScan, type ScannedRow } from '../../../platform/database/bounded-scan.js';
import type { PartitionedTable } from '../../../platform/database/partitions.js';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import { projectOf, type Settled } from '../../../platform/outbox/domain/outbox-message.js';
import type { DeliverySubject, RecordConditions } from '../../consent/consent.hooks.js';
import { joinRecord } from '../../consent/consent.records.js';
import { consentKey, type DeliveryStateName } from '../../consent/domain/consent-recorded.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { joinProject } from '../../projects/project.rows.js';
import type { EndpointFacts } from '../domain/endpoint-status.js';
import type {
  DeliveryFilter,
  DeliveryOutcome,
  DeliveryOutcomeKind,
  DeliveryView,
  ResendSelection,
} from '../domain/delivery-outcome.js';
import type { FailureCategory } from '../../../platform/delivery/domain/outcome.js';
import { retryOf } from '../domain/retry.js';
import { forwardingTables } from './forwarding.tables.js';
import { LAST_DELIVERED_AT } from './last-outcomes.rows.js';
import { hasRetry, nextAttemptAt } from './retry.rows.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Failed deliveries are kept longer, because an owner may still resend them (design §4). */
export const FAILED_DAYS_KEPT = 90;

/** The two partitioned halves of `delivery`. */
export const DELIVERY_PARTITIONS: readonly (PartitionedTable & { daysKept: number })[] = [
  { name: 'delivery_settled', period: 'day', daysKept: 30 },
  { name: 'delivery_failed', period: 'day', daysKept: FAILED_DAYS_KEPT },
];

export function deliveriesKeptSince(now: Date, { daysKept }: { daysKept: number }): Date {
  return new Date(now.getTime() - daysKept * DAY_MS);
}

export type SettledDelivery = Settled<DeliveryOutcome>;

/** First key of the advisory lock; the second is the hash of the project's id. */
const REPEAT_LOCK_CLASS = 7_201_123;

/** Largest difference between the clocks of workers and the database. */
const CLOCKS_APART = '1 hour';

/** The select list of a `DeliveryView`, over `c`. */
const DELIVERY_COLUMNS = sql`
  c.id, c.consent_id as "consentId", c.outcome, c.category, c.http_status as "httpStatus", c.reason,
  c.duration_ms as "durationMs", c.attempted_at as "attemptedAt", c.host, c.attempt,
  c.response_body is not null as "hasResponseBody",
  ${nextAttemptAt({ projectId: sql.ref('c.project_id'), consentId: sql.ref('c.consent_id'), deliveryId: sql.ref('c.id') })} as "nextAttemptAt"
`;

/** An insert of a row for each outcome, without its `on conflict` or `returning` clause. */
function insertion(
  settled: readonly SettledDelivery[],
  superseded: ReadonlySet<SettledDelivery>,
): RawBuilder<unknown> {
  const outcomes = settled.map(({ outcome }) => outcome);
  return sql`
    insert into delivery (project_id, id, consent_id, outcome, category, http_status, reason, duration_ms,
                          attempted_at, host, superseded, attempt, response_body)
    select * from unnest(
      ${settled.map(({ message }) => projectOf(message))}::uuid[],
      ${outcomes.map(({ id }) => id)}::uuid[],
      ${settled.map(({ message }) => message.subjectId)}::uuid[],
      ${outcomes.map(({ outcome }) => outcome)}::text[],
      ${outcomes.map(({ category }) => category)}::text[],
      ${outcomes.map(({ httpStatus }) => httpStatus)}::int[],
      ${outcomes.map(({ reason }) => reason)}::text[],
      ${outcomes.map(({ durationMs }) => durationMs)}::int[],
      ${outcomes.map(({ attemptedAt }) => attemptedAt)}::timestamptz[],
      ${outcomes.map(({ host }) => host)}::text[],
      ${settled.map((one) => superseded.has(one))}::boolean[],
      ${settled.map(({ message }) => retryOf(message)?.attempt ?? 1)}::int[],
      ${outcomes.map(({ responseBody }) => responseBody ?? null)}::text[])`;
}

/** Returns the projects that have a hold, which saves a round trip. */
export async function insertDeliveries(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
  superseded: ReadonlySet<SettledDelivery>,
): Promise<Set<string>> {
  const projectIds = [...new Set(settled.map(({ message }) => projectOf(message)))];
  const { rows } = await sql<{ projectId: string }>`
    with logged as (${insertion(settled, superseded)})
    select project_id as "projectId" from forwarding_hold where project_id = any(${projectIds}::uuid[])
  `.execute(tx.getKysely());
  return new Set(rows.map(({ projectId }) => projectId));
}

/** Skips attempts that are already logged. Returns the ids of the others. */
export async function insertLateDeliveries(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
  superseded: ReadonlySet<SettledDelivery>,
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    ${insertion(settled, superseded)} on conflict do nothing returning id
  `.execute(tx.getKysely());
  return new Set(rows.map(({ id }) => id));
}

/** Serializes the transactions of a project that compare successes with failures of the same message. */
export async function lockRepeats(tx: EntityManager, settled: readonly SettledDelivery[]): Promise<void> {
  const projectIds = [...new Set(settled.map(({ message }) => projectOf(message)))].toSorted();
  await sql`
    select pg_advisory_xact_lock(${REPEAT_LOCK_CLASS}::int, hashtext(id))
    from unnest(${projectIds}::text[]) as project (id)
  `.execute(tx.getKysely());
}

/** Keys (`consentKey`) of the messages with a logged success, attempted after the message was appended. */
export async function readDelivered(
  tx: EntityManager,
  settled: readonly SettledDelivery[],
): Promise<Set<string>> {
  const { rows } = await sql<{ projectId: string; consentId: string }>`
    select distinct d.project_id as "projectId", d.consent_id as "consentId"
    from ${messages(settled)}
    join delivery d on ${attemptsOfMessage('delivered')}
  `.execute(tx.getKysely());
  return new Set(rows.map(consentKey));
}

/** Marks the failures of delivered messages as superseded. */
export async function supersedeFailures(
  tx: EntityManager,
  delivered: readonly SettledDelivery[],
): Promise<void> {
  if (delivered.length === 0) return;
  await sql`
    update delivery d set superseded = true from ${messages(delivered)}
    where ${attemptsOfMessage('failed')} and not d.superseded
  `.execute(tx.getKysely());
}

/** The messages as a table `m`. */
function messages(settled: readonly SettledDelivery[]): RawBuilder<unknown> {
  return sql`unnest(
      ${settled.map(({ message }) => projectOf(message))}::uuid[],
      ${settled.map(({ message }) => message.subjectId)}::uuid[],
      ${settled.map(({ message }) => retryOf(message)?.queuedAt ?? message.createdAt)}::timestamptz[]
    ) as m (project_id, consent_id, created_at)`;
}

/** A condition on attempts `d`: attempts of the message `m`, with this outcome. */
function attemptsOfMessage(outcome: DeliveryOutcomeKind): RawBuilder<boolean> {
  return sql`d.project_id = m.project_id and d.consent_id = m.consent_id
      and d.outcome = ${outcome} and d.attempted_at >= m.created_at - ${CLOCKS_APART}::interval`;
}

/** A page of attempts, newest first, before the attempt `before`. */
export function deliveryPage(
  projectId: string,
  { status, category, consentId, from, to }: DeliveryFilter,
  { before, limit }: { before: string | null; limit: number },
): RawBuilder<ScannedRow<DeliveryView>> {
  const range: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
  if (consentId) range.push(sql`c.consent_id = ${consentId}::uuid`);
  if (from) range.push(sql`c.id >= ${uuidLowerBound(from)}::uuid`);
  if (to) range.push(sql`c.id < ${uuidLowerBound(to)}::uuid`);
  if (before) range.push(sql`c.id < ${before}::uuid`);
  const filters: RawBuilder<unknown>[] = [];
  if (status) filters.push(sql`c.outcome = ${status}`);
  if (category) filters.push(sql`c.category = ${category}`);
  return boundedScan<DeliveryView>({ table: 'delivery', columns: DELIVERY_COLUMNS, range, filters, limit });
}

/** The record's latest attempt, without superseded failures; null if the log holds none. */
export async function latestDelivery(
  em: EntityManager,
  projectId: string,
  consentId: string,
): Promise<DeliveryView | null> {
  const { rows } = await sql<DeliveryView>`
    select ${DELIVERY_COLUMNS} from delivery c
    where c.project_id = ${projectId} and c.consent_id = ${consentId} and not c.superseded
    order by c.id desc
    limit 1
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** The stored response body of an attempt; undefined: there is no such attempt. null: none was stored. */
export async function readResponseBody(
  em: EntityManager,
  projectId: string,
  deliveryId: string,
): Promise<string | null | undefined> {
  const { rows } = await sql<{ responseBody: string | null }>`
    select response_body as "responseBody" from delivery
    where project_id = ${projectId} and id = ${deliveryId}::uuid
  `.execute(em.getKysely());
  return rows[0]?.responseBody;
}

/**
 * Ids of stored records whose latest attempt is in the period and has the outcome, oldest attempt
 * first; without `waiting` and retried records.
 */
export async function selectResendable(
  em: EntityManager,
  projectId: string,
  selection: ResendableSelection,
): Promise<string[]> {
  const attempts = await selectResendableAttempts(em, projectId, selection);
  return attempts.map(({ consentId }) => consentId);
}

/** A record's latest attempt. */
interface LatestAttempt {
  consentId: string;
  attemptedAt: Date;
  category: FailureCategory | null;
  httpStatus: number | null;
}

/** The records of `selectResendable` with their latest attempts. */
export async function selectResendableAttempts(
  em: EntityManager,
  projectId: string,
  selection: ResendableSelection,
): Promise<LatestAttempt[]> {
  const { rows } = await resendableRecords(sql`${projectId}`, selection).execute(em.getKysely());
  return rows;
}

type ResendableSelection = Omit<ResendSelection, 'status'> & {
  status: DeliveryOutcomeKind;
  waiting: string[];
  limit: number;
};

/** The query of `selectResendable`, over a project's id as SQL. */
function resendableRecords(
  projectId: RawBuilder<unknown>,
  { status, category, from, to, waiting, limit }: ResendableSelection,
): RawBuilder<LatestAttempt> {
  const lower = uuidLowerBound(from);
  // The second bound on `later.id` is redundant, but lets PostgreSQL skip the older partitions.
  return sql<LatestAttempt>`
    select d.consent_id as "consentId", d.attempted_at as "attemptedAt", d.category, d.http_status as "httpStatus"
    from delivery d
    ${joinRecord({ projectId: sql.ref('d.project_id'), consentId: sql.ref('d.consent_id') })}
    where d.project_id = ${projectId} and d.outcome = ${status} and not d.superseded
      and (${category ?? null}::text is null or d.category = ${category ?? null})
      and d.id >= ${lower} and d.id < ${uuidLowerBound(to)}
      and not exists (
        select from delivery later
        where later.project_id = ${projectId} and later.consent_id = d.consent_id
          and later.id > d.id and later.id >= ${lower} and not later.superseded
      )
      and d.consent_id <> all(${waiting}::uuid[])
      and not ${hasRetry({ projectId: sql.ref('d.project_id'), consentId: sql.ref('d.consent_id') })}
    order by d.id
    limit ${limit}
  `;
}

/** Projects with a failed attempt since then, not counting superseded ones. */
export async function projectsWithFailures(em: EntityManager, since: Date): Promise<string[]> {
  const { rows } = await sql<{ projectId: string }>`
    select distinct project_id as "projectId" from delivery
    where outcome = 'failed' and not superseded and id >= ${uuidLowerBound(since)}
  `.execute(em.getKysely());
  return rows.map(({ projectId }) => projectId);
}

/** Deletes the deliveries of these records; absent: of all records of the project. */
export async function deleteDeliveries(
  tx: EntityManager,
  projectId: string,
  consentIds?: readonly string[],
): Promise<void> {
  const deletion = forwardingTables(tx).deleteFrom('delivery').where('projectId', '=', projectId);
  const ofRecords = consentIds && deletion.where(sql<boolean>`consent_id = any(${consentIds}::uuid[])`);
  await (ofRecords ?? deletion).execute();
}

/**
 * Records that one page scans. Each needs an index lookup in the log for every day since it was received: one or two
 * for a record of today, up to 60 for one of last month (ADR 42 has the times).
 */
const SCANNED_ROWS_MAX = 1_000;

/** Conditions on records whose delivery is in a state; `waiting` are the ids of records that are queued or retried. */
export function deliveryConditions(
  state: Exclude<DeliveryStateName, 'unsent'>,
  waiting: readonly string[],
): RecordConditions {
  if (state === 'pending') return { conditions: [QUEUED_ONCE, sql`c.id = any(${waiting}::uuid[])`] };
  const conditions = [QUEUED_ONCE, sql`c.id <> all(${waiting}::uuid[])`, sql`${LATEST_OUTCOME} = ${state}`];
  // Few records ever fail, and failures have separate partitions, so check them first.
  if (state === 'failed') conditions.push(EVER_FAILED, NOT_RETRIED);
  return { conditions, scannedMax: SCANNED_ROWS_MAX };
}

/** A condition on records that were never queued. */
export const UNSENT: RecordConditions = { conditions: [sql`c.skipped_reason is not null`] };

const QUEUED_ONCE: RawBuilder<unknown> = sql`c.skipped_reason is null`;

/** Attempts follow the record, so skip earlier days. The hour allows for clocks that differ. */
const ATTEMPT_OF_RECORD = sql`
  d.project_id = c.project_id and d.consent_id = c.id
    and d.id >= partition_bound((c.received_at - interval '1 hour') at time zone 'UTC')
`;

const LATEST_OUTCOME = sql`(
  select d.outcome from delivery d where ${ATTEMPT_OF_RECORD} and not d.superseded order by d.id desc limit 1
)`;

/** The outcome of each record's latest attempt, by its id; records without one are missing. */
export async function latestOutcomes(
  em: EntityManager,
  projectId: string,
  records: readonly DeliverySubject[],
): Promise<Map<string, DeliveryOutcomeKind>> {
  const { rows } = await sql<{ id: string; outcome: DeliveryOutcomeKind | null }>`
    select c.id, ${LATEST_OUTCOME} as outcome
    from (
      select ${projectId}::uuid as project_id, r.id, r.received_at
      from unnest(
        ${records.map(({ id }) => id)}::uuid[], ${records.map(({ receivedAt }) => receivedAt)}::timestamptz[]
      ) as r (id, received_at)
    ) c
  `.execute(em.getKysely());
  return new Map(rows.flatMap(({ id, outcome }) => (outcome === null ? [] : [[id, outcome]])));
}

/** `waiting` is bounded. */
const NOT_RETRIED = sql`not ${hasRetry({ projectId: sql.ref('c.project_id'), consentId: sql.ref('c.id') })}`;

/** No "exists": the planner would turn it into a join that reads the whole log. */
const EVER_FAILED = sql`
  (select true from delivery d where ${ATTEMPT_OF_RECORD} and d.outcome = 'failed' limit 1)
`;

/** Input of the status of each project's receiver; projects that never saved settings are missing. */
export async function readEndpointFacts(
  em: EntityManager,
  projectIds: readonly string[],
): Promise<({ projectId: string } & EndpointFacts)[]> {
  const { rows } = await sql<{ projectId: string } & EndpointFacts>`
    select f.project_id as "projectId", f.enabled and p.tier = any(${[...FORWARDING_TIERS]}::text[]) as "isOn",
           ${LAST_DELIVERED_AT} as "lastDeliveredAt", l.at as "lastFailedAt", h.failing_since as "failingSince",
           case when h.phase = 'open' then h.held_since end as "heldSince"
    from forwarding_settings f
    ${joinProject(sql.ref('f.project_id'))}
    left join forwarding_last_failure l on l.project_id = f.project_id
    left join forwarding_hold h on h.project_id = f.project_id
    where f.project_id = any(${[...projectIds]}::uuid[])
  `.execute(em.getKysely());
  return rows;
}

/** At most `limit` records of each project whose latest attempt failed and that are not retried, oldest first. */
export async function selectFailedRecords(
  em: EntityManager,
  projectIds: readonly string[],
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<{ projectId: string; consentId: string }[]> {
  const { rows } = await sql<{ projectId: string; consentId: string }>`
    select s.project_id as "projectId", failed."consentId"
    from unnest(${[...projectIds]}::uuid[]) as s (project_id)
    cross join lateral (
      ${resendableRecords(sql.ref('s.project_id'), { status: 'failed', from, to, waiting: [], limit })}
    ) failed
  `.execute(em.getKysely());
  return rows;
}
