import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';

/** Scans that wait, run, or ended, over all projects. */
export interface ScanBacklog {
  queued: number;
  running: number;
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
      coalesce(extract(epoch from now() - min(created_at) filter (where status = 'queued')), 0)::float8
        as "oldestQueuedSeconds",
      (select count(*) from scanner where seen_at > now() - ${scannerAliveMs} * interval '1 millisecond')::int as scanners,
      ${ended('completed')} as completed, ${ended('partial')} as partial, ${ended('failed')} as failed,
      ${ended('canceled')} as canceled
    from scan where status in ('queued', 'running') or ended_at > now() - interval '1 day'
  `.execute(em.getKysely());
  const [counted] = rows;
  if (!counted) throw new Error('an aggregate without a row');
  return counted;
}
