import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ACCOUNT, ACCOUNT_WORK, MAY_START } from './account.rows.js';

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
