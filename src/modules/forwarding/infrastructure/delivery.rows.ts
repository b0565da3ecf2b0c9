import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { joinRecord } from '../../consent/consent.records.js';
import { boundedScan, type ScannedRow } from '../../../platform/database/bounded-scan.js';
import { projectOf, type Settled } from '../../../platform/outbox/domain/outbox-message.js';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import type { DeliveryFilter, DeliveryView, ResendSelection } from '../domain/delivery.js';
import type { DeliveryOutcome, DeliveryOutcomeKind, FailureCategory } from '../domain/outcome.js';
import { retryOf } from '../domain/retry.js';
import { hasRetry, nextAttemptAt } from './retry-views.rows.js';
import { forwardingTables } from './forwarding.tables.js';

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

/**
 * Serializes the transactions of a project that compare successes with failures of the same
 * message.
 */
export async function lockRepeats(tx: EntityManager, settled: readonly SettledDelivery[]): Promise<void> {
  const projectIds = [...new Set(settled.map(({ message }) => projectOf(message)))].toSorted();
  await sql`
    select pg_advisory_xact_lock(${REPEAT_LOCK_CLASS}::int, hashtext(id))
    from unnest(${projectIds}::text[]) as project (id)
  `.execute(tx.getKysely());
}

/**
 * Keys (`consentKey`) of the messages with a logged success, attempted after the message was
 * appended.
 */
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
export function resendableRecords(
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
