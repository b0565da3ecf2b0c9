import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ScanFrequency } from '../domain/scan-schedule.js';
import { scanTables } from './scan.tables.js';

export interface ScanSchedule {
  frequency: ScanFrequency;
  nextAt: Date;
}

/** A project's schedule; null: it has none. */
export async function readSchedule(em: EntityManager, projectId: string): Promise<ScanSchedule | null> {
  const row = await scanTables(em)
    .selectFrom('scan_schedule')
    .select(['frequency', 'nextAt'])
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return (row as ScanSchedule | undefined) ?? null;
}

export async function writeSchedule(
  tx: EntityManager,
  projectId: string,
  { frequency, nextAt }: ScanSchedule,
): Promise<void> {
  await sql`
    insert into scan_schedule (project_id, frequency, next_at) values (${projectId}, ${frequency}, ${nextAt})
    on conflict (project_id) do update set frequency = excluded.frequency, next_at = excluded.next_at
  `.execute(tx.getKysely());
}

export async function deleteSchedule(tx: EntityManager, projectId: string): Promise<void> {
  await scanTables(tx).deleteFrom('scan_schedule').where('projectId', '=', projectId).execute();
}

/** Projects whose scheduled scan is due and not blocked by another scan, longest due first. */
export async function readDueProjects(em: EntityManager, limit: number): Promise<string[]> {
  const { rows } = await sql<{ projectId: string }>`
    select project_id as "projectId" from scan_schedule due
    where next_at <= now() and not exists (
      select from scan where project_id = due.project_id and status in ('queued', 'running')
    )
    order by next_at limit ${limit}
  `.execute(em.getKysely());
  return rows.map(({ projectId }) => projectId);
}

/**
 * The schedule of a project if it is due by the database's clock; null: it is not, or no longer.
 */
export async function readDueSchedule(
  tx: EntityManager,
  projectId: string,
): Promise<(ScanSchedule & { now: Date }) | null> {
  const { rows } = await sql<ScanSchedule & { now: Date }>`
    select frequency, next_at as "nextAt", now() as now from scan_schedule
    where project_id = ${projectId} and next_at <= now()
  `.execute(tx.getKysely());
  return rows[0] ?? null;
}
