import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { NOW } from '../../../platform/database/tables.js';
import type { Reads } from '../../../platform/database/prepared-reads.js';
import type { HoldPhase } from '../../../platform/delivery/domain/hold.js';
import type { RetryFailures } from '../domain/retry.js';
import { DeliveryRetrySchema } from './forwarding.entities.js';
import { forwardingTables } from './forwarding.tables.js';

/** A record of a project. */
export interface RecordRef {
  projectId: string;
  consentId: string;
}

/** A record whose latest attempt failed and that will be attempted again. */
export interface RetryRow extends RecordRef {
  /** Attempts so far. */
  attempts: number;
  queuedSince: Date;
  firstAttemptAt: Date;
}

/** A retry to schedule. */
export interface NewRetry extends RetryRow {
  /** The latest attempt in the delivery log. */
  deliveryId: string;
  delayMs: number;
}

/** Projects that one step visits. */
export const PROJECTS_PER_STEP = 256;
/** Waiting retries that one call makes due. */
const RELEASED_MAX = 1_000;
/** Released retries are spread over this time. */
const RELEASE_SECONDS = 2;

/** A condition on the settings `f`: failed deliveries are retried. */
const IS_ON: RawBuilder<boolean> = sql`f.enabled and f.endpoint_url is not null and f.retry_failures`;

/** The settings of projects that retry failed deliveries, by project id. `now` is the database's. */
export async function readRetrySettings(
  tx: EntityManager,
  projectIds: readonly string[],
): Promise<{ now: Date; retryFailures: Map<string, RetryFailures> }> {
  const { rows } = await sql<{ projectId: string; hours: number; now: Date }>`
    select f.project_id as "projectId", f.retry_hours as hours, now() as now
    from forwarding_settings f where f.project_id = any(${projectIds}::uuid[]) and ${IS_ON}
  `.execute(tx.getKysely());
  const settings = rows.map(({ projectId, hours }) => [projectId, { enabled: true, hours }] as const);
  return { now: rows[0]?.now ?? new Date(), retryFailures: new Map(settings) };
}

/** Schedules retries; replaces those of the same records. */
export async function writeRetries(tx: EntityManager, retries: readonly NewRetry[]): Promise<void> {
  if (retries.length === 0) return;
  await sql`
    insert into delivery_retry (project_id, consent_id, attempts, delivery_id, queued_since, first_attempt_at, due_at)
    select project_id, consent_id, attempts, delivery_id, queued_since, first_attempt_at,
           now() + make_interval(secs => delay_ms / 1000)
    from unnest(
      ${retries.map(({ projectId }) => projectId)}::uuid[],
      ${retries.map(({ consentId }) => consentId)}::uuid[],
      ${retries.map(({ attempts }) => attempts)}::int[],
      ${retries.map(({ deliveryId }) => deliveryId)}::uuid[],
      ${retries.map(({ queuedSince }) => queuedSince)}::timestamptz[],
      ${retries.map(({ firstAttemptAt }) => firstAttemptAt)}::timestamptz[],
      ${retries.map(({ delayMs }) => delayMs)}::float8[]
    ) as given (project_id, consent_id, attempts, delivery_id, queued_since, first_attempt_at, delay_ms)
    order by project_id, consent_id
    on conflict (project_id, consent_id) do update
    set attempts = excluded.attempts, delivery_id = excluded.delivery_id, queued_since = excluded.queued_since,
        first_attempt_at = excluded.first_attempt_at, due_at = excluded.due_at, queued_at = null
  `.execute(tx.getKysely());
}

/** Deletes retries of records: no further attempt follows. */
export async function deleteRetries(tx: EntityManager, records: readonly RecordRef[]): Promise<void> {
  if (records.length === 0) return;
  await sql`
    delete from delivery_retry r using ${recordsTable(records)}
    where r.project_id = given.project_id and r.consent_id = given.consent_id
  `.execute(tx.getKysely());
}

/** Deletes the retries of a project; with ids, only of these records. */
export async function deleteProjectRetries(
  tx: EntityManager,
  projectId: string,
  consentIds?: readonly string[],
): Promise<void> {
  const ofRecords = consentIds && { consentId: { $in: [...consentIds] } };
  await tx.nativeDelete(DeliveryRetrySchema, { projectId, ...ofRecords });
}

/** Lets queued retries wait again, because nothing was attempted. */
export async function postponeRetries(tx: EntityManager, records: readonly RecordRef[]): Promise<void> {
  if (records.length === 0) return;
  await sql`
    update delivery_retry r set queued_at = null from ${recordsTable(records)}
    where r.project_id = given.project_id and r.consent_id = given.consent_id
  `.execute(tx.getKysely());
}

function recordsTable(records: readonly RecordRef[]): RawBuilder<unknown> {
  return sql`unnest(
    ${records.map(({ projectId }) => projectId)}::uuid[], ${records.map(({ consentId }) => consentId)}::uuid[]
  ) as given (project_id, consent_id)`;
}

/**
 * The retries among the records that were not canceled, each with the phase of its project's circuit breaker.
 */
export function readQueuedRetries(
  reads: Reads,
  records: readonly RecordRef[],
): Promise<(RecordRef & { phase: HoldPhase | null })[]> {
  return reads.rows(QUEUED_RETRIES, [
    records.map(({ projectId }) => projectId),
    records.map(({ consentId }) => consentId),
  ]);
}

const QUEUED_RETRIES = {
  name: 'forwarding-queued-retries',
  text: `
    select r.project_id as "projectId", r.consent_id as "consentId", h.phase
    from unnest($1::uuid[], $2::uuid[]) as given (project_id, consent_id)
    join delivery_retry r using (project_id, consent_id)
    left join forwarding_hold h on h.project_id = r.project_id`,
};

/** A project with retries, as the scheduler sees it. */
export interface RetryingProject {
  projectId: string;
  /** null: the project does not retry, or is deleted. */
  hours: number | null;
  phase: HoldPhase | null;
  isDue: boolean;
}

/**
 * Projects with retries, ordered by id; costs an index lookup for each, for any number of waiting records.
 */
export async function retryingProjects(em: EntityManager, afterId: string): Promise<RetryingProject[]> {
  const { rows } = await sql<RetryingProject>`
    with recursive walk (project_id, step) as (
      (select project_id, 1 from delivery_retry where project_id > ${afterId}::uuid order by project_id limit 1)
      union all
      select following.project_id, walk.step + 1
      from walk cross join lateral (
        select r.project_id from delivery_retry r where r.project_id > walk.project_id order by r.project_id limit 1
      ) following
      where walk.step < ${PROJECTS_PER_STEP}
    )
    select walk.project_id as "projectId", h.phase,
           (select f.retry_hours from forwarding_settings f where f.project_id = walk.project_id and ${IS_ON}) as hours,
           coalesce((
             select r.due_at <= now() from delivery_retry r
             where r.project_id = walk.project_id and r.queued_at is null order by r.due_at limit 1
           ), false) as "isDue"
    from walk left join forwarding_hold h using (project_id)
    order by walk.project_id
  `.execute(em.getKysely());
  return rows;
}

/** Deletes up to `limit` retries of a project, oldest first; with `hours`, only those whose retry period is over. */
export async function endRetries(
  em: EntityManager,
  projectId: string,
  { hours, limit }: { hours: number | null; limit: number },
): Promise<number> {
  const isOver =
    hours === null ? sql`true` : sql`r.first_attempt_at <= now() - make_interval(hours => ${hours}::int)`;
  const { numAffectedRows } = await sql`
    delete from delivery_retry where ctid = any (array(
      select r.ctid from delivery_retry r
      where r.project_id = ${projectId} and ${isOver}
      order by r.first_attempt_at limit ${limit} for update skip locked
    ))
  `.execute(em.getKysely());
  return Number(numAffectedRows ?? 0);
}

/** How many retries of a project are in the outbox, up to `max`. */
export async function countQueuedRetries(em: EntityManager, projectId: string, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from delivery_retry where project_id = ${projectId} and queued_at is not null limit ${max}
    ) as queued
  `.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}

/** Waiting retries of a project, the earliest due first; `isAny` includes those not due yet. */
export async function nextRetries(
  em: EntityManager,
  projectId: string,
  { isAny, limit }: { isAny: boolean; limit: number },
): Promise<RetryRow[]> {
  const waiting = forwardingTables(em)
    .selectFrom('delivery_retry')
    .select(['projectId', 'consentId', 'attempts', 'queuedSince', 'firstAttemptAt'])
    .where('projectId', '=', projectId)
    .where('queuedAt', 'is', null)
    .orderBy('dueAt')
    .limit(limit);
  return (isAny ? waiting : waiting.where('dueAt', '<=', NOW)).execute();
}

/** Marks waiting retries as queued; returns the ones still waiting. */
export async function queueRetries(
  tx: EntityManager,
  projectId: string,
  consentIds: readonly string[],
): Promise<RetryRow[]> {
  const { rows } = await sql<RetryRow>`
    with waiting as materialized (
      select consent_id from delivery_retry
      where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[]) and queued_at is null
      order by consent_id for update skip locked
    )
    update delivery_retry r set queued_at = now() from waiting
    where r.project_id = ${projectId} and r.consent_id = waiting.consent_id
    returning r.project_id as "projectId", r.consent_id as "consentId", r.attempts,
              r.queued_since as "queuedSince", r.first_attempt_at as "firstAttemptAt"
  `.execute(tx.getKysely());
  return rows;
}

/**
 * Makes waiting retries of projects due soon, a bounded number of each, because their endpoint may
 * work again.
 */
export async function releaseRetries(tx: EntityManager, projectIds: readonly string[]): Promise<void> {
  if (projectIds.length === 0) return;
  // Skips locked rows: settlement locks retries before holds.
  await sql`
    update delivery_retry set due_at = now() + random() * make_interval(secs => ${RELEASE_SECONDS})
    where ctid = any (array(
      select waiting.ctid from unnest(${projectIds}::uuid[]) as project (id)
      cross join lateral (
        select r.ctid from delivery_retry r
        where r.project_id = project.id and r.queued_at is null
          and r.due_at > now() + make_interval(secs => ${RELEASE_SECONDS})
        order by r.due_at limit ${RELEASED_MAX} for update skip locked
      ) waiting
    ))
  `.execute(tx.getKysely());
}

// Retries in lists, counts and the delivery log. A project that no longer retries has none,
// although its rows are deleted a little later.

/** The retry of a record: its number and when it is due; null: none is scheduled. */
export async function readRetry(
  em: EntityManager,
  { projectId, consentId }: RecordRef,
): Promise<{ attempt: number; dueAt: Date } | null> {
  const retry = await scheduledRetries(em, projectId)
    .select(['r.attempts', 'r.dueAt'])
    .where('r.consentId', '=', consentId)
    .executeTakeFirst();
  return retry ? { attempt: retry.attempts + 1, dueAt: retry.dueAt } : null;
}

/** Ids of the newest records of a project with a scheduled retry; with ids, of these records. */
export async function retryingIds(
  em: EntityManager,
  projectId: string,
  { limit, among }: { limit: number; among?: readonly string[] },
): Promise<string[]> {
  const newest = scheduledRetries(em, projectId)
    .select('r.consentId')
    .orderBy('r.consentId', 'desc')
    .limit(limit);
  const ofRecords = among && newest.where('r.consentId', '=', sql<string>`any(${among}::uuid[])`);
  return (await (ofRecords ?? newest).execute()).map(({ consentId }) => consentId);
}

/** The retries `r` of a project that retries. */
function scheduledRetries(em: EntityManager, projectId: string) {
  return forwardingTables(em)
    .selectFrom('delivery_retry as r')
    .innerJoin('forwarding_settings as f', 'f.projectId', 'r.projectId')
    .where('r.projectId', '=', projectId)
    .where(IS_ON);
}

/** Whether a record has a scheduled retry. */
export function hasRetry(ref: {
  projectId: RawBuilder<unknown>;
  consentId: RawBuilder<unknown>;
}): RawBuilder<boolean> {
  // No "exists": the planner would turn it into a join.
  return sql`coalesce((
    select true from delivery_retry r join forwarding_settings f using (project_id)
    where r.project_id = ${ref.projectId} and r.consent_id = ${ref.consentId} and ${IS_ON}
  ), false)`;
}

/** When the record of an attempt is retried; null: it is not, or this is not its latest attempt. */
export function nextAttemptAt(attempt: {
  projectId: RawBuilder<unknown>;
  consentId: RawBuilder<unknown>;
  deliveryId: RawBuilder<unknown>;
}): RawBuilder<Date | null> {
  return sql`(
    select r.due_at from delivery_retry r join forwarding_settings f using (project_id)
    where r.project_id = ${attempt.projectId} and r.consent_id = ${attempt.consentId}
      and r.delivery_id = ${attempt.deliveryId} and ${IS_ON}
  )`;
}

/** Retries of a project. */
interface RetryCount {
  count: number;
  /** Of those, the ones that are not in the outbox. */
  waiting: number;
  /** When the oldest of those counted was first queued; null: none. */
  oldestAt: Date | null;
}

/** Counts the retries of a project up to `max`, oldest first. */
export async function countRetries(em: EntityManager, projectId: string, max: number): Promise<RetryCount> {
  const { rows } = await sql<RetryCount>`
    select count(*)::int as count, (count(*) filter (where queued_at is null))::int as waiting,
           min(queued_since) as "oldestAt"
    from (
      select r.queued_at, r.queued_since from delivery_retry r join forwarding_settings f using (project_id)
      where r.project_id = ${projectId} and ${IS_ON} order by r.first_attempt_at limit ${max}
    ) as retries
  `.execute(em.getKysely());
  return rows[0] ?? { count: 0, waiting: 0, oldestAt: null };
}

/** Counts the retries of all projects up to `max`. */
export async function countAllRetries(em: EntityManager, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select from delivery_retry limit ${max}) as retries
  `.execute(em.getKysely());
  return rows[0]?.count ?? 0;
}
