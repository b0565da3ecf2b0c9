import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { accountSql } from '../../access/access.service.js';
import { ACCOUNT_WORK_MS_PER_DAY, DAY_MS, type Queue, type WorkedHour } from '../domain/scan-limits.js';

/** Ended scans that the time of a scan is measured by. */
const MEASURED_SCANS_MAX = 100;
const MEASURED_DAYS = 7;

/** The account of a scan `s`. */
export const ACCOUNT = sql`coalesce(s.account_id, s.project_id)`;

/** Scanners' work for each account: `claimed_at` determines the next turn. */
export const ACCOUNT_WORK = sql`(
  select account_id, max(claimed_at) as claimed_at,
    coalesce(sum(worked_ms) filter (where hour > now() - ${sql.lit(DAY_MS)} * interval '1 millisecond'), 0) as worked_ms
  from scan_account_hour group by account_id
)`;

/** Whether no scanner works on a scan `s` that has not ended. */
export const IS_WAITING = sql`s.status in ('queued', 'running') and (s.leased_until is null or s.leased_until < now())`;

/** Whether a scan `s` of the account with the work `w` may be claimed. One that has begun is finished. */
export const MAY_START = sql`(s.started_at is not null or coalesce(w.worked_ms, 0) < ${sql.lit(ACCOUNT_WORK_MS_PER_DAY)})`;

/** Whether a scan of another account waits that could be claimed. */
export async function isOtherAccountWaiting(em: EntityManager, accountId: string): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (
      select from scan s left join ${ACCOUNT_WORK} w on w.account_id = ${ACCOUNT}
      where ${IS_WAITING} and ${MAY_START} and ${ACCOUNT} <> ${accountId}
    ) as waits
  `.execute(em.getKysely());
  return rows[0]?.waits === true;
}

/**
 * How many scans of a project's account are queued, and what scanners did for it in 24 hours, oldest hour first. Other
 * requests of the account wait until the transaction ends.
 */
export async function lockAccountUse(
  tx: EntityManager,
  projectId: string,
): Promise<{ queued: number; hours: WorkedHour[] }> {
  const kysely = tx.getKysely();
  await sql`
    select pg_advisory_xact_lock(hashtextextended('scans ' || ${accountSql(sql`${projectId}::uuid`)}, 0))
  `.execute(kysely);
  const { rows } = await sql<{ queued: number; hours: { hour: string; workedMs: number }[] }>`
    select
      (select count(*) from scan s where s.status = 'queued' and ${ACCOUNT} = account.id)::int as queued,
      (
        select coalesce(jsonb_agg(jsonb_build_object('hour', hour, 'workedMs', worked_ms) order by hour), '[]')
        from scan_account_hour
        where account_id = account.id and hour > now() - ${DAY_MS} * interval '1 millisecond'
      ) as hours
    from (select ${accountSql(sql`${projectId}::uuid`)} as id) account
  `.execute(kysely);
  const { queued, hours } = rows[0] ?? { queued: 0, hours: [] };
  return { queued, hours: hours.map(({ hour, workedMs }) => ({ hour: new Date(hour), workedMs })) };
}

/** The scan of a project that waits for a scanner, with the queue ahead of it; null: none waits. */
export async function readQueue(
  em: EntityManager,
  projectId: string,
  scannerAliveMs: number,
): Promise<(Queue & { scanId: string }) | null> {
  const { rows } = await sql<Queue & { scanId: string }>`
    with waiting as (
      select s.project_id, s.id, ${ACCOUNT} as account, s.created_at, ${MAY_START} as may_start,
        coalesce(w.claimed_at, '-infinity') as claimed_at
      from scan s left join ${ACCOUNT_WORK} w on w.account_id = ${ACCOUNT}
      where ${IS_WAITING}
    ), accounts as (
      select account, count(*)::int as waiting, min(claimed_at) as claimed_at, min(created_at) as created_at
      from waiting where may_start group by account
    ), own as (
      select * from waiting where project_id = ${projectId}
    )
    select own.id as "scanId", own.may_start as "mayStart",
      (
        select count(*) from waiting w where w.account = own.account and (w.created_at, w.id) < (own.created_at, own.id)
      )::int as "ownAhead",
      (
        select coalesce(jsonb_agg(jsonb_build_object('waiting', a.waiting, 'isFirst',
          (a.claimed_at, a.created_at) < (own.claimed_at, coalesce(mine.created_at, own.created_at)))), '[]')
        from accounts a left join accounts mine on mine.account = own.account where a.account <> own.account
      ) as others,
      (
        select coalesce(jsonb_agg(extract(epoch from now() - claimed_at) * 1000), '[]') from scan
        where status = 'running' and leased_until >= now() and claimed_at is not null
      ) as "runningMs",
      (
        select count(*) from scanner where seen_at > now() - ${scannerAliveMs} * interval '1 millisecond'
      )::int as scanners,
      (
        select percentile_cont(0.5) within group (order by worked_ms) from (
          select worked_ms from scan
          where status in ('completed', 'partial') and worked_ms > 0
            and ended_at > now() - ${MEASURED_DAYS} * interval '1 day'
          order by ended_at desc limit ${MEASURED_SCANS_MAX}
        ) measured
      ) as "scanMs"
    from own
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Deletes what scanners did before an instant. Returns how many hours. */
export async function deleteWorkBefore(
  tx: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from scan_account_hour where (account_id, hour) in (
      select account_id, hour from scan_account_hour where hour < ${before} limit ${limit} for update skip locked
    )
  `.execute(tx.getKysely());
  return Number(numAffectedRows);
}

/** Scans that wait, run, or ended, over all projects. */
export interface ScanBacklog {
  queued: number;
  running: number;
  /** Of accounts that have scanner time left. */
  oldestQueuedSeconds: number;
  scanners: number;
  /** Ended in the last 24 hours. */
  completed: number;
  partial: number;
  failed: number;
  canceled: number;
}

export async function countScans(em: EntityManager, scannerAliveMs: number): Promise<ScanBacklog> {
  const ended = (status: string) =>
    sql`(count(*) filter (where status = ${status} and ended_at > now() - interval '1 day'))::int`;
  const { rows } = await sql<ScanBacklog>`
    select (count(*) filter (where status = 'queued'))::int as queued,
      (count(*) filter (where status = 'running'))::int as running,
      coalesce(extract(epoch from now() - min(created_at) filter (where status = 'queued' and ${MAY_START})), 0)::float8
        as "oldestQueuedSeconds",
      (select count(*) from scanner where seen_at > now() - ${scannerAliveMs} * interval '1 millisecond')::int as scanners,
      ${ended('completed')} as completed, ${ended('partial')} as partial, ${ended('failed')} as failed,
      ${ended('canceled')} as canceled
    from scan s left join ${ACCOUNT_WORK} w on w.account_id = ${ACCOUNT} where status in ('queued', 'running') or ended_at > now() - interval '1 day'
  `.execute(em.getKysely());
  const [counted] = rows;
  if (!counted) throw new Error('an aggregate without a row');
  return counted;
}
