import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { IS_ON, type RecordRef } from './retry.rows.js';

// Retries in lists, counts and the delivery log. A project that no longer retries has none,
// although its rows are deleted a little later.

/** The retry of a record: its number and when it is due; null: none is scheduled. */
export async function readRetry(
  em: EntityManager,
  { projectId, consentId }: RecordRef,
): Promise<{ attempt: number; dueAt: Date } | null> {
  const { rows } = await sql<{ attempt: number; dueAt: Date }>`
    select r.attempts + 1 as attempt, r.due_at as "dueAt"
    from delivery_retry r join forwarding_settings f using (project_id)
    where r.project_id = ${projectId} and r.consent_id = ${consentId} and ${IS_ON}
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Ids of the newest records of a project with a scheduled retry; with ids, of these records. */
export async function retryingIds(
  em: EntityManager,
  projectId: string,
  { limit, among }: { limit: number; among?: readonly string[] },
): Promise<string[]> {
  const { rows } = await sql<{ consentId: string }>`
    select r.consent_id as "consentId"
    from delivery_retry r join forwarding_settings f using (project_id)
    where r.project_id = ${projectId} and ${IS_ON}
      and ${among ? sql`r.consent_id = any(${among}::uuid[])` : sql`true`}
    order by r.consent_id desc limit ${limit}
  `.execute(em.getKysely());
  return rows.map(({ consentId }) => consentId);
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
export interface RetryCount {
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
