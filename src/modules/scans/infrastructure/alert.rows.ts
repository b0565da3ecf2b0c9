import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type ItemKey, itemId } from '../domain/item-key.js';
import { type EndedScan, findEndedScan, type ScanRef } from './evidence.rows.js';
import { ScanAlertChoice, ScanSchema } from './scan.entities.js';
import { scanTables } from './scan.tables.js';

/** Notes that a scan's alerts are sent; false: they were sent before. */
export async function claimAlerts(tx: EntityManager, { projectId, scanId }: ScanRef): Promise<boolean> {
  const unalerted = { projectId, id: scanId, alertedAt: null };
  return (await tx.nativeUpdate(ScanSchema, unalerted, { alertedAt: raw('now()') })) > 0;
}

/** Ids of items that a scan, whose items are stored, saw first; null: it is the first scan. */
export async function readNewItemIds(
  tx: EntityManager,
  { projectId, scanId }: ScanRef,
  { endedAt }: EndedScan,
): Promise<Set<string> | null> {
  if ((await findEndedScan(tx, projectId, scanId)) === null) return null;
  const rows = await scanTables(tx)
    .selectFrom('site_item')
    .select('id')
    .where('projectId', '=', projectId)
    .where('lastScanId', '=', scanId)
    .where('firstSeenAt', '=', endedAt)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Ids of items with findings before consent that began with a scan; empty while earlier ones of other items count. */
export async function readFirstBeforeConsent(
  tx: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<Set<string>> {
  const { rows } = await sql<ItemKey & { isNew: boolean }>`
    select item_kind as kind, name, host, first_scan_id = ${scanId} as "isNew" from scan_finding
    where project_id = ${projectId} and kind = 'before_consent' and certainty <> 'open' and status in ('new', 'open')
  `.execute(tx.getKysely());
  return rows.every(({ isNew }) => isNew) ? new Set(rows.map((item) => itemId(item))) : new Set();
}

/** Hosts of a scan without the loader, now and in the scan before, which had it in the one before that. */
export async function readLoaderGone(tx: EntityManager, { projectId, scanId }: ScanRef): Promise<string[]> {
  const { rows } = await sql<{ host: string }>`
    with visited as (
      select p.host, p.scan_id, bool_or(p.loader_found) as found,
        row_number() over (partition by p.host order by p.scan_id desc) as place
      from scan_page p join scan s on s.project_id = p.project_id and s.id = p.scan_id
      where p.project_id = ${projectId} and p.scan_id <= ${scanId} and p.status = 'visited'
        and s.status in ('completed', 'partial')
      group by p.host, p.scan_id
    )
    select host from visited where place <= 3
    group by host
    having array_agg(found order by place) = '{false,false,true}' and max(scan_id::text) = ${scanId}
    order by host
  `.execute(tx.getKysely());
  return rows.map(({ host }) => host);
}

/** What members chose, by their ids. */
export async function readAlertChoices(em: EntityManager, projectId: string): Promise<Map<string, boolean>> {
  const choices = await em.find(ScanAlertChoice, { projectId });
  return new Map(choices.map(({ userId, enabled }) => [userId, enabled]));
}
