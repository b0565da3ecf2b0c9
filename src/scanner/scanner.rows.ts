import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ScannerSchema } from '../modules/scans/infrastructure/scan.entities.js';

/** Whether a scan is queued or running in any project. */
export async function hasOpenScans(em: EntityManager): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    select exists (select from scan where status in ('queued', 'running')) as open
  `.execute(em.getKysely());
  return rows[0]?.open === true;
}

/** Reports that a scanner is running, and deletes scanners that stopped long ago. */
export async function reportScanner(em: EntityManager, id: string, browser: string): Promise<void> {
  await sql`
    with gone as (delete from scanner where seen_at < now() - interval '1 day')
    insert into scanner (id, browser) values (${id}, ${browser})
    on conflict (id) do update set seen_at = now(), browser = excluded.browser
  `.execute(em.getKysely());
}

/** Whether another scanner reported within the given time. */
export async function isOtherScannerAlive(em: EntityManager, id: string, withinMs: number): Promise<boolean> {
  const { rows } = await sql`
    select from scanner where id <> ${id} and seen_at > now() - ${withinMs} * interval '1 millisecond' limit 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** Withdraws the report of a scanner that stops. */
export async function withdrawScanner(em: EntityManager, id: string): Promise<void> {
  await em.nativeDelete(ScannerSchema, { id });
}
