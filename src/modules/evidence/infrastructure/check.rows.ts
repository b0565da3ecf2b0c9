import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { NOW } from '../../../platform/database/tables.js';
import { ROOT_LOG } from '../domain/log.js';
import { evidenceTables } from './evidence.tables.js';

/** A log whose records are due for a check. */
export interface LogToCheck {
  log: string;
  /** The check in progress has compared records up to this consent id; null: no check is in progress. */
  afterId: string | null;
}

/** The signed log with the oldest check; checks in progress come first. */
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

/** Stores up to which consent id a check has compared records. */
export async function saveCheckProgress(em: EntityManager, log: string, afterId: string): Promise<void> {
  await evidenceTables(em)
    .updateTable('evidence_log')
    .set({ checkAfter: afterId })
    .where('log', '=', log)
    .execute();
}

/** Stores the result of a check; `problem` null: none. */
export async function saveCheckResult(em: EntityManager, log: string, problem: string | null): Promise<void> {
  await evidenceTables(em)
    .updateTable('evidence_log')
    .set({ checkAfter: null, checkedAt: NOW, problem })
    .where('log', '=', log)
    .execute();
}

/**
 * Stores damage of a log's storage that a check found, so that the log is not signed; null: a full
 * check found none.
 */
export async function saveDamage(em: EntityManager, log: string, damage: string | null): Promise<void> {
  await evidenceTables(em).updateTable('evidence_log').set({ damage }).where('log', '=', log).execute();
}

/** Logs in which the last check found a problem, at most `limit`. */
export async function listProblems(
  em: EntityManager,
  limit: number,
): Promise<{ log: string; problem: string; checkedAt: Date }[]> {
  return evidenceTables(em)
    .selectFrom('evidence_log')
    .select(['log', 'checkedAt'])
    .select((row) => row.ref('problem').$notNull().as('problem'))
    .where('problem', 'is not', null)
    .orderBy('checkedAt')
    .limit(limit)
    .execute();
}

/** Counts for metrics; the age is that of the oldest last check. */
export async function countChecks(em: EntityManager): Promise<{ problems: number; checkAgeSeconds: number }> {
  const { rows } = await sql<{ problems: number; checkAgeSeconds: number }>`
    select count(problem)::int as problems,
           coalesce(extract(epoch from now() - min(checked_at) filter (where checkpoint is not null)), 0)::float8
             as "checkAgeSeconds"
    from evidence_log where log <> ${ROOT_LOG}
  `.execute(em.getKysely());
  return rows[0] ?? { problems: 0, checkAgeSeconds: 0 };
}
