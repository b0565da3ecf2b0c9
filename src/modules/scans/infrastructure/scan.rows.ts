import { createHash } from 'node:crypto';
import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { accountSql } from '../../access/access.service.js';
import { canonicalJson } from '../../evidence/domain/commitment.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import type { ScanFigures, ScanItemView, ScanPageView, ScanView } from '../domain/scan-view.js';
import type { ItemKind, ScanOrigin } from '../domain/scan.js';
import type { ScanRef } from './evidence.rows.js';
import { ScanPageSchema, ScanSchema, ScanStateSchema } from './scan.entities.js';
import { scanTables } from './scan.tables.js';

/** A scan to be stored. */
export interface NewScan {
  projectId: string;
  id: string;
  urls: readonly string[];
  domains: readonly string[];
  pagesMax: number;
  /** States that are left out. */
  skippedStates: readonly ScanState[];
  ignoreRobots: boolean;
  origin: ScanOrigin;
  /** Hosts that need no loader to count as the project's. */
  verifiedHosts: readonly string[];
}

/** A place in a scan's list of items. */
export interface ItemPlace {
  state: ScanState;
  page: number;
  number: number;
}

const SCAN_COLUMNS = sql`
  s.id, s.status, s.origin, s.reason, s.urls, s.pages_max as "pagesMax",
  s.ignore_robots as "ignoreRobots", s.browser, s.region as location,
  s.refused_downloads as "refusedDownloads", s.refused_popups as "refusedPopups",
  s.refused_dialogs as "refusedDialogs", s.created_at as "createdAt", s.started_at as "startedAt",
  s.ended_at as "endedAt", jsonb_build_object(
    'visited', count(p.*) filter (where p.status = 'visited'),
    'failed', count(p.*) filter (where p.status = 'failed'),
    'skipped', count(p.*) filter (where p.status = 'skipped'),
    'open', count(p.*) filter (where p.status in ('found', 'visiting'))
  ) as pages`;

export async function insertScan(tx: EntityManager, scan: NewScan): Promise<void> {
  const { urls, domains, skippedStates, verifiedHosts } = scan;
  await scanTables(tx)
    .insertInto('scan')
    .values({
      ...scan,
      accountId: accountSql(sql`${scan.projectId}::uuid`),
      urls: [...urls],
      domains: [...domains],
      skippedStates: [...skippedStates],
      verifiedHosts: [...verifiedHosts],
    })
    .execute();
}

/** Changes how many pages the queued or running scan of a project may visit. */
export async function limitPages(
  tx: EntityManager,
  { projectId, pagesMax }: { projectId: string; pagesMax: number },
): Promise<void> {
  await tx.nativeUpdate(ScanSchema, { projectId, status: { $in: ['queued', 'running'] } }, { pagesMax });
}

/** Deletes all but the newest scans of a project; returns the ids of the deleted ones. */
export async function deleteOldScans(tx: EntityManager, projectId: string, keep: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from scan where project_id = ${projectId} and status not in ('queued', 'running') and id in (
      select id from scan where project_id = ${projectId} order by id desc offset ${keep}
    ) returning id
  `.execute(tx.getKysely());
  return rows.map(({ id }) => id);
}

/** Deletes scans that ended before an instant; returns them. */
export async function deleteScansBefore(
  tx: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<{ projectId: string; id: string }[]> {
  const { rows } = await sql<{ projectId: string; id: string }>`
    delete from scan s using (
      select project_id, id from scan where ended_at < ${before} order by ended_at limit ${limit}
      for update skip locked
    ) due
    where s.project_id = due.project_id and s.id = due.id
    returning s.project_id as "projectId", s.id
  `.execute(tx.getKysely());
  return rows;
}

export async function hasActiveScan(tx: EntityManager, projectId: string): Promise<boolean> {
  const found = await scanTables(tx)
    .selectFrom('scan')
    .select('id')
    .where('projectId', '=', projectId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst();
  return found !== undefined;
}

/** The states that the last scan on demand left out. */
export async function readLastSkippedStates(tx: EntityManager, projectId: string): Promise<ScanState[]> {
  const row = await scanTables(tx)
    .selectFrom('scan')
    .select('skippedStates')
    .where('projectId', '=', projectId)
    .where('origin', '=', 'manual')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return (row?.skippedStates ?? []) as ScanState[];
}

/** When scans on demand since an instant were requested, oldest first; one canceled before it began does not count. */
export async function readRequestTimes(tx: EntityManager, projectId: string, since: Date): Promise<Date[]> {
  const rows = await scanTables(tx)
    .selectFrom('scan')
    .select('createdAt')
    .where('projectId', '=', projectId)
    .where('createdAt', '>', since)
    .where('origin', '=', 'manual')
    .where((each) => each.or([each('startedAt', 'is not', null), each('status', '!=', 'canceled')]))
    .orderBy('createdAt')
    .execute();
  return rows.map(({ createdAt }) => createdAt);
}

/** Scans before an id (null: all), newest first. */
export async function readScanPage(
  em: EntityManager,
  projectId: string,
  { before, limit }: { before: string | null; limit: number },
): Promise<ScanView[]> {
  const { rows } = await sql<ScanView>`
    select ${SCAN_COLUMNS}
    from (
      select * from scan where project_id = ${projectId} and (${before}::uuid is null or id < ${before}::uuid)
      order by id desc limit ${limit}
    ) s left join scan_page p on p.project_id = ${projectId} and p.scan_id = s.id
    group by s.project_id, s.id, s.status, s.origin, s.reason, s.urls, s.pages_max, s.ignore_robots, s.browser, s.region,
             s.refused_downloads, s.refused_popups, s.refused_dialogs, s.created_at, s.started_at, s.ended_at
    order by s.id desc
  `.execute(em.getKysely());
  return rows;
}

/** A scan of a project. @throws DomainError `scan_not_found`. */
export async function findScan(em: EntityManager, projectId: string, id: string): Promise<ScanView> {
  const scan = isUuid(id) ? await readScan(em, projectId, id) : null;
  if (!scan) throw new DomainError('scan_not_found', 'Scan not found.');
  return scan;
}

/** A scan that ended with a result. @throws DomainError `scan_not_found`, `scan_without_result`. */
export async function findScanWithResult(
  em: EntityManager,
  projectId: string,
  id: string,
): Promise<ScanView & { endedAt: Date }> {
  const scan = await findScan(em, projectId, id);
  const { status, endedAt } = scan;
  if (!endedAt || (status !== 'completed' && status !== 'partial'))
    throw new DomainError('scan_without_result', 'The scan has no result.');
  return { ...scan, endedAt };
}

async function readScan(em: EntityManager, projectId: string, id: string): Promise<ScanView | null> {
  const { rows } = await sql<ScanView>`
    select ${SCAN_COLUMNS}
    from scan s left join scan_page p on p.project_id = s.project_id and p.scan_id = s.id
    where s.project_id = ${projectId} and s.id = ${id}
    group by s.project_id, s.id
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Ends a scan that has not ended. Returns whether there was one. */
export async function cancelScan(tx: EntityManager, projectId: string, id: string): Promise<boolean> {
  const endedAt = raw('now()');
  const active = { projectId, id, status: { $in: ['queued', 'running'] } };
  const canceled = { status: 'canceled', endedAt, claimId: null, leasedUntil: null };
  if ((await tx.nativeUpdate(ScanSchema, active, canceled)) === 0) return false;
  const [scanId, reason] = [id, 'scan_ended'];
  const pages = { projectId, scanId, status: { $in: ['found', 'visiting'] } };
  await tx.nativeUpdate(ScanPageSchema, pages, { status: 'skipped', reason });
  const states = { projectId, scanId, status: { $in: ['pending', 'running'] } };
  await tx.nativeUpdate(ScanStateSchema, states, { status: 'not_tested', reason, endedAt });
  return true;
}

/** A scan's pages, in the order in which they were found. */
export async function readPages(
  em: EntityManager,
  projectId: string,
  scanId: string,
): Promise<ScanPageView[]> {
  const rows = await scanTables(em)
    .selectFrom('scan_page')
    .select([
      'number',
      'url',
      'status',
      'reason',
      'httpStatus',
      'finalUrl',
      'loaderFound',
      'durationMs',
      'visitedAt',
    ])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .orderBy('number')
    .execute();
  return rows as ScanPageView[];
}

export async function readFigures(
  em: EntityManager,
  projectId: string,
  scanId: string,
): Promise<ScanFigures> {
  const { rows } = await sql<ScanFigures>`
    select count(distinct (name, host)) filter (where kind = 'cookie')::int as cookies,
           count(distinct (name, host)) filter (where kind = 'cookie' and third_party)::int as "thirdPartyCookies",
           count(distinct (kind, name, host)) filter (where kind in ('local_storage', 'session_storage', 'indexed_db'))::int
             as "storageEntries",
           count(*) filter (where kind = 'request')::int as requests,
           count(distinct host) filter (where kind = 'request' and third_party)::int as "thirdPartyHosts"
    from scan_item
    where project_id = ${projectId} and scan_id = ${scanId} and state = 'before' and details->>'blocked' is null
  `.execute(em.getKysely());
  return rows[0] ?? { cookies: 0, thirdPartyCookies: 0, storageEntries: 0, requests: 0, thirdPartyHosts: 0 };
}

/** Items behind a place (null: all), by state and page. */
export async function readItemPage(
  em: EntityManager,
  { projectId, scanId }: { projectId: string; scanId: string },
  filter: { kinds?: ItemKind[]; page?: number; state?: ScanState; after: ItemPlace | null; limit: number },
): Promise<ScanItemView[]> {
  const { kinds, page, state, after, limit } = filter;
  const place = sql<number>`array_position(${[...SCAN_STATES]}::text[], state)`;
  let query = scanTables(em)
    .selectFrom('scan_item')
    .select(['state', 'page', 'number', 'kind', 'name', 'host', 'thirdParty', 'details'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId);
  if (kinds !== undefined) query = query.where('kind', 'in', kinds);
  if (page !== undefined) query = query.where('page', '=', page);
  if (state !== undefined) query = query.where('state', '=', state);
  if (after !== null)
    query = query.where(
      sql<boolean>`(${place}, page, number)
        > (${SCAN_STATES.indexOf(after.state) + 1}::int, ${after.page}::int, ${after.number}::int)`,
    );
  const rows = await query.orderBy(place).orderBy('page').orderBy('number').limit(limit).execute();
  return rows as ScanItemView[];
}

/** Whether a scanner reported within the given time. */
export async function isScannerAlive(em: EntityManager, withinMs: number): Promise<boolean> {
  const { rows } = await sql`
    select from scanner where seen_at > now() - ${withinMs} * interval '1 millisecond' limit 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

const ITEMS_AT_ONCE = 2_000;

/** Everything that a scan saw, by state, page and number, in batches. */
export async function* itemBatches(em: EntityManager, scan: ScanRef): AsyncGenerator<ScanItemView[]> {
  let items: ScanItemView[] = [];
  do {
    items = await readItemPage(em, scan, { after: items.at(-1) ?? null, limit: ITEMS_AT_ONCE });
    if (items.length > 0) yield items;
  } while (items.length === ITEMS_AT_ONCE);
}

/** SHA-256 over the canonical JSON of each item of a scan, in their order, each followed by a line feed. */
export async function hashItems(
  em: EntityManager,
  scan: ScanRef,
): Promise<{ count: number; sha256: string }> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const items of itemBatches(em, scan)) {
    count += items.length;
    hash.update(items.map((item) => `${canonicalJson(item)}\n`).join(''));
  }
  return { count, sha256: hash.digest('hex') };
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
