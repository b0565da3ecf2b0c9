import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ROOT_LOG } from '../domain/log.js';
import type { Leaf } from './log-rows.js';

/** A leaf and the consent id that it belongs to. */
export interface LeafOfId extends Leaf {
  consentId: string;
}

/** A page of a project's leaves, in the order of consent ids. */
export async function leavesAfter(
  tx: EntityManager,
  { projectId, afterId, limit }: { projectId: string; afterId: string; limit: number },
): Promise<LeafOfId[]> {
  const { rows } = await sql<LeafOfId>`
    select consent_id as "consentId", epoch, leaf_index::float8 as index, salt from evidence_leaf
    where project_id = ${projectId} and consent_id > ${afterId} order by consent_id limit ${limit}
  `.execute(tx.getKysely());
  return rows;
}

/** Whether records of a project are still being searched for those without a leaf. */
export async function isBackfilling(tx: EntityManager, projectId: string): Promise<boolean> {
  const { rows } = await sql`select from evidence_backfill where project_id = ${projectId}`.execute(
    tx.getKysely(),
  );
  return rows.length > 0;
}

/** A log whose records are due for a check. */
export interface LogToCheck {
  log: string;
  /** The consent id up to which the check in progress has come; null: none is in progress. */
  afterId: string | null;
}

/** The signed log that has waited longest for its check; checks in progress first. */
export async function nextLogToCheck(
  em: EntityManager,
  { everySeconds, except }: { everySeconds: number; except: readonly string[] },
): Promise<LogToCheck | null> {
  const { rows } = await sql<LogToCheck>`
    select log, check_after as "afterId" from evidence_log
    where log <> ${ROOT_LOG} and checkpoint is not null and log <> all(${except}::uuid[])
      and (check_after is not null or checked_at < now() - make_interval(secs => ${everySeconds}))
    order by check_after is null, checked_at, log limit 1
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Stores how far a check has come. */
export async function noteCheckProgress(em: EntityManager, log: string, afterId: string): Promise<void> {
  await sql`update evidence_log set check_after = ${afterId} where log = ${log}`.execute(em.getKysely());
}

/** Stores the result of a check; `problem` null: nothing was found. */
export async function noteCheckResult(em: EntityManager, log: string, problem: string | null): Promise<void> {
  await sql`
    update evidence_log set check_after = null, checked_at = now(), problem = ${problem} where log = ${log}
  `.execute(em.getKysely());
}

/** Logs in which the last check has found a problem, at most `limit`. */
export async function logsWithProblems(
  em: EntityManager,
  limit: number,
): Promise<{ log: string; problem: string; checkedAt: Date }[]> {
  const { rows } = await sql<{ log: string; problem: string; checkedAt: Date }>`
    select log, problem, checked_at as "checkedAt" from evidence_log where problem is not null
    order by checked_at limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Counts for the gauges; the age is that of the check that is longest ago. */
export async function countChecks(em: EntityManager): Promise<{ problems: number; checkAgeSeconds: number }> {
  const { rows } = await sql<{ problems: number; checkAgeSeconds: number }>`
    select count(problem)::int as problems,
           coalesce(extract(epoch from now() - min(checked_at) filter (where checkpoint is not null)), 0)::float8
             as "checkAgeSeconds"
    from evidence_log where log <> ${ROOT_LOG}
  `.execute(em.getKysely());
  return rows[0] ?? { problems: 0, checkAgeSeconds: 0 };
}
