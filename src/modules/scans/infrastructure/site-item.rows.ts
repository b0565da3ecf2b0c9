import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { CookieDecision } from '../domain/classify-item.js';
import type { ScanState } from '../domain/scan-state.js';
import type { ClassifiedItem } from '../domain/seen-item.js';
import type { ItemKey } from '../domain/item-key.js';
import type { ScanRef } from './evidence.rows.js';
import { CookieDecisionEntity } from './finding.entities.js';
import { scanTables } from './scan.tables.js';

/** Most stored items of a project; the least recently seen ones are deleted. */
const SITE_ITEMS_MAX = 5000;
/** Items that no scan has seen for this long are deleted. */
const SITE_ITEM_DAYS = 365;
/** Addresses of pages that are kept of an item. */
const PAGE_URLS_MAX = 10;

/** An item of a site over all scans. */
export interface SiteItem extends ItemKey {
  id: string;
  thirdParty: boolean;
  initiators: string[];
  lifetimeSeconds: number | null;
  states: ScanState[];
  pageUrls: string[];
  lastScanId: string;
  firstSeenAt: Date;
  lastSeenAt: Date;
}

/** Stores a scan's items. Keeps a newer scan's observation of an item. */
export async function storeSiteItems(
  tx: EntityManager,
  { projectId, scanId }: ScanRef,
  {
    items,
    urls,
    seenAt,
  }: { items: readonly ClassifiedItem[]; urls: ReadonlyMap<number, string>; seenAt: Date },
): Promise<void> {
  const rows = items.map(({ id, kind, name, host, thirdParty, initiators, lifetimeSeconds, sightings }) => {
    const pages = [...new Set(sightings.flatMap((sighting) => sighting.pages.map(({ page }) => page)))].slice(
      0,
      PAGE_URLS_MAX,
    );
    return {
      id,
      kind,
      name,
      host,
      initiators,
      third_party: thirdParty,
      lifetime_seconds: lifetimeSeconds,
      states: sightings.map(({ state }) => state),
      page_urls: pages.flatMap((page) => urls.get(page) ?? []),
    };
  });
  const kysely = tx.getKysely();
  await sql`
    insert into site_item as known
      (project_id, id, kind, name, host, third_party, initiators, lifetime_seconds, states, page_urls, last_scan_id,
       first_seen_at, last_seen_at)
    select ${projectId}, r.id, r.kind, r.name, r.host, r.third_party, r.initiators, r.lifetime_seconds, r.states,
           r.page_urls, ${scanId}, ${seenAt}, ${seenAt}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
      id uuid, kind text, name text, host text, third_party boolean, initiators text[], lifetime_seconds float8,
      states text[], page_urls text[]
    )
    on conflict (project_id, id) do update set
      third_party = excluded.third_party, initiators = excluded.initiators,
      lifetime_seconds = excluded.lifetime_seconds, states = excluded.states, page_urls = excluded.page_urls,
      last_scan_id = excluded.last_scan_id, last_seen_at = excluded.last_seen_at
    where known.last_scan_id <= excluded.last_scan_id
  `.execute(kysely);
  await sql`
    delete from site_item where project_id = ${projectId} and (
      last_seen_at < now() - ${SITE_ITEM_DAYS} * interval '1 day' or id in (
        select id from site_item where project_id = ${projectId}
        order by last_seen_at desc, id offset ${SITE_ITEMS_MAX}
      )
    )
  `.execute(kysely);
}

export async function readSiteItems(em: EntityManager, projectId: string): Promise<SiteItem[]> {
  const rows = await scanTables(em)
    .selectFrom('site_item')
    .selectAll()
    .where('projectId', '=', projectId)
    .limit(SITE_ITEMS_MAX)
    .execute();
  return rows as unknown as SiteItem[];
}

export async function readSiteItem(
  em: EntityManager,
  projectId: string,
  id: string,
): Promise<SiteItem | null> {
  const row = await scanTables(em)
    .selectFrom('site_item')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return (row as unknown as SiteItem | undefined) ?? null;
}

/** As stored now: a decision of the same transaction may have changed them. */
export async function readDecisions(em: EntityManager, projectId: string): Promise<CookieDecision[]> {
  const found = await em.find(CookieDecisionEntity, { projectId }, { disableIdentityMap: true });
  return found as (CookieDecisionEntity & CookieDecision)[];
}
