import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ObservedItem } from '../domain/observation.js';
import type { PageReason, ScanReason } from '../domain/scan.js';
import type { ScanState } from '../domain/scan-state.js';
import { scanKey } from '../scans.events.js';
import { ACCOUNT, ACCOUNT_WORK, IS_WAITING, MAY_START } from './account.rows.js';
import {
  DAY_MS,
  INTERRUPTIONS_MAX,
  PAGES_KNOWN_MAX,
  VERIFIED_DAYS,
  VISITS_PER_PAGE_MAX,
} from '../domain/scan-limits.js';

/** A scan that this scanner holds a lease on. */
export interface ClaimedScan {
  projectId: string;
  id: string;
  claimId: string;
  urls: string[];
  domains: string[];
  skippedStates: ScanState[];
  ignoreRobots: boolean;
  /** Active custom domains of the project when it was requested. */
  verifiedHosts: string[];
  startedAt: Date;
  accountId: string;
  /** What scanners spent on it before this claim. */
  workedMs: number;
  receivedBytes: number;
}

/** A page of the frontier. */
export interface FrontierPage {
  number: number;
  url: string;
  depth: number;
  status: 'found' | 'visiting' | 'visited' | 'failed' | 'skipped';
  reason: PageReason | null;
  finalUrl: string | null;
}

/** The result of a visit. */
export interface PageResult {
  status: 'visited' | 'failed';
  reason: PageReason | null;
  httpStatus: number | null;
  finalUrl: string | null;
  loaderFound: boolean;
  /** Hosts and paths of other hosts that its HTML makes a browser request, and that no policy of the page stops. */
  htmlAddresses: string[];
  durationMs: number;
  items: ObservedItem[];
  /** Addresses of the project found on it. */
  links: string[];
  /** Addresses that are the same page. */
  aliases: string[];
  refused: { downloads: number; popups: number; dialogs: number };
}

/**
 * Claims a scan that no scanner works on: the oldest one of the account whose last claim is the longest ago. null: there
 * is none.
 */
export async function claimScan(
  em: EntityManager,
  {
    claimId,
    leaseMs,
    browser,
    region,
  }: { claimId: string; leaseMs: number; browser: string; region: string | null },
): Promise<ClaimedScan | null> {
  const { rows } = await sql<ClaimedScan>`
    with due as (
      select s.project_id, s.id, ${ACCOUNT} as account
      from scan s left join ${ACCOUNT_WORK} w on w.account_id = ${ACCOUNT}
      where ${IS_WAITING} and ${MAY_START}
      order by w.claimed_at nulls first, s.created_at, s.id limit 1 for update of s skip locked
    ), turn as (
      insert into scan_account_hour (account_id, hour) select account, date_trunc('hour', now()) from due
      on conflict (account_id, hour) do update set claimed_at = excluded.claimed_at
    )
    update scan s set status = 'running', claim_id = ${claimId}, browser = ${browser},
           region = ${region}, claimed_at = now(),
           started_at = coalesce(s.started_at, now()),
           interruptions = s.interruptions + (s.leased_until is not null)::int,
           leased_until = now() + ${leaseMs} * interval '1 millisecond'
    from due
    where s.project_id = due.project_id and s.id = due.id
    returning s.project_id as "projectId", s.id, s.claim_id as "claimId", s.urls, s.domains,
              s.skipped_states as "skippedStates",
              s.ignore_robots as "ignoreRobots", s.verified_hosts as "verifiedHosts",
              s.started_at as "startedAt", due.account as "accountId",
              s.worked_ms::float8 as "workedMs", s.received_bytes::float8 as "receivedBytes"
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Ends scans during which too many scanners stopped, so that no further one claims them. Returns them. */
export async function setAsideScans(em: EntityManager): Promise<Pick<ClaimedScan, 'projectId' | 'id'>[]> {
  const { rows } = await sql<Pick<ClaimedScan, 'projectId' | 'id'>>`
    with aside as (
      update scan set status = 'failed', reason = 'scanner_stopped', ended_at = now(), claim_id = null,
             leased_until = null, interruptions = interruptions + 1
      where status = 'running' and leased_until < now() and interruptions >= ${INTERRUPTIONS_MAX - 1}
      returning project_id, id
    ), pages as (
      update scan_page p set status = case p.status when 'visiting' then 'failed' else 'skipped' end,
             reason = case p.status when 'visiting' then 'scanner_stopped' else 'scan_ended' end
      from aside a where p.project_id = a.project_id and p.scan_id = a.id and p.status in ('found', 'visiting')
    ), states as (
      update scan_state s set status = 'not_tested', ended_at = now(),
             reason = case s.status when 'running' then 'scanner_stopped' else 'scan_ended' end
      from aside a where s.project_id = a.project_id and s.scan_id = a.id and s.status in ('pending', 'running')
    )
    select project_id as "projectId", id from aside
  `.execute(em.getKysely());
  return rows;
}

/** What scanners spent on a scan, in all. */
export interface ScanWork {
  workedMs: number;
  receivedBytes: number;
}

/**
 * Stores the work on a scan, also as work for its account, and renews the lease (null: returns the scan). False: the scan
 * was canceled or deleted, or another scanner has it.
 */
export async function storeWork(
  em: EntityManager,
  scan: ClaimedScan,
  { workedMs, receivedBytes, leaseMs }: ScanWork & { leaseMs: number | null },
): Promise<boolean> {
  const total = Math.round(workedMs);
  const { rows } = await sql`
    with former as (
      select ${ACCOUNT} as account, s.worked_ms as worked, s.claimed_at as claimed from scan s where ${held(scan)} for update
    ), hour as (
      insert into scan_account_hour (account_id, hour, worked_ms, claimed_at)
      select account, date_trunc('hour', now()), greatest(0, ${total} - worked), coalesce(claimed, now()) from former
      on conflict (account_id, hour) do update set worked_ms = scan_account_hour.worked_ms + excluded.worked_ms
    )
    update scan set worked_ms = ${total}, received_bytes = ${receivedBytes},
      leased_until = now() + ${leaseMs}::int * interval '1 millisecond'
    where ${held(scan)} and exists (select from former)
    returning 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** Pages that were being visited when the scanner or its browser stopped: visited a second time, then given up. */
export async function recoverPages(
  em: EntityManager,
  scan: ClaimedScan,
  reason: 'scanner_stopped' | 'crashed',
): Promise<void> {
  await sql`
    update scan_page set
      status = case when visits >= ${VISITS_PER_PAGE_MAX} then 'failed' else 'found' end,
      reason = case when visits >= ${VISITS_PER_PAGE_MAX} then ${reason} end
    where ${of(scan)} and status = 'visiting'
  `.execute(em.getKysely());
}

/** Adds pages that are not known yet, as many as a scan remembers. */
export async function addPages(
  em: EntityManager,
  scan: Pick<ClaimedScan, 'projectId' | 'id'>,
  pages: readonly { url: string; depth: number }[],
): Promise<void> {
  if (pages.length === 0) return;
  await sql`
    with known as (select coalesce(max(number), 0) as last from scan_page where ${of(scan)})
    insert into scan_page (project_id, scan_id, number, url, host, depth)
    select ${scan.projectId}, ${scan.id}, known.last + row_number() over (order by new.place), new.url, new.host,
           new.depth
    from known, unnest(
      ${pages.map(({ url }) => url)}::text[],
      ${pages.map(({ url }) => new URL(url).host)}::text[],
      ${pages.map(({ depth }) => depth)}::int[]
    ) with ordinality as new (url, host, depth, place)
    where not exists (select from scan_page p where p.project_id = ${scan.projectId} and p.scan_id = ${scan.id} and p.url = new.url)
    order by new.place
    limit greatest(0, ${PAGES_KNOWN_MAX} - (select last from known))
    on conflict do nothing
  `.execute(em.getKysely());
}

/** All pages of a scan. */
export async function readFrontier(em: EntityManager, scan: ClaimedScan): Promise<FrontierPage[]> {
  const { rows } = await sql<FrontierPage>`
    select number, url, depth, status, reason, final_url as "finalUrl" from scan_page where ${of(scan)}
    order by number
  `.execute(em.getKysely());
  return rows;
}

/** How many pages the scan may visit now. */
export async function readPagesMax(em: EntityManager, { projectId, id }: ClaimedScan): Promise<number> {
  const { rows } = await sql<{ pagesMax: number }>`
    select pages_max as "pagesMax" from scan where project_id = ${projectId} and id = ${id}
  `.execute(em.getKysely());
  return rows[0]?.pagesMax ?? 0;
}

/** The host of the page that a visit ended on. Hosts that only redirected to it are not shown to be the project's. */
const FINAL_HOST = sql`coalesce(substring(final_url from '^https?://([^/?#]+)'), host)`;

/** Whether the loader was found on a host lately, and how many of its pages were visited in 24 hours. */
export async function readHost(
  em: EntityManager,
  projectId: string,
  host: string,
): Promise<{ verified: boolean; pagesToday: number }> {
  const { rows } = await sql<{ verified: boolean; pagesToday: number }>`
    select coalesce(bool_or(loader_found and ${FINAL_HOST} = ${host}), false) as verified,
           (count(*) filter (where status <> 'found' and visited_at > now() - ${DAY_MS} * interval '1 millisecond'))::int as "pagesToday"
    from scan_page
    where project_id = ${projectId} and ${host} in (host, ${FINAL_HOST}) and visited_at > now() - ${VERIFIED_DAYS} * interval '1 day'
  `.execute(em.getKysely());
  return rows[0] ?? { verified: false, pagesToday: 0 };
}

/** Whether a host is shown to be the project's: by its loader, or as a custom domain. */
export async function isVerifiedHost(em: EntityManager, scan: ClaimedScan, host: string): Promise<boolean> {
  return scan.verifiedHosts.includes(host) || (await readHost(em, scan.projectId, host)).verified;
}

/** Notes that a page is visited now, before its first request. False: the scan is no longer this scanner's. */
export async function beginVisit(em: EntityManager, scan: ClaimedScan, number: number): Promise<boolean> {
  const { rows } = await sql`
    update scan_page set status = 'visiting', visits = visits + 1, visited_at = now(), reason = null
    where ${of(scan)} and number = ${number} and status = 'found'
      and exists (select from scan where ${held(scan)})
    returning 1
  `.execute(em.getKysely());
  return rows.length > 0;
}

/** Stores a visit in the transaction of the caller, who holds the scan. */
export async function storeVisit(
  tx: EntityManager,
  scan: ClaimedScan,
  { number, depth }: Pick<FrontierPage, 'number' | 'depth'>,
  result: PageResult,
): Promise<void> {
  const kysely = tx.getKysely();
  await sql`
    update scan_page set status = ${result.status}, reason = ${result.reason}, http_status = ${result.httpStatus},
      final_url = ${result.finalUrl}, loader_found = ${result.loaderFound}, html_addresses = ${result.htmlAddresses}::text[],
      duration_ms = ${result.durationMs}
    where ${of(scan)} and number = ${number}
  `.execute(kysely);
  await sql`delete from scan_item where ${of(scan)} and state = 'before' and page = ${number}`.execute(
    kysely,
  );
  await insertItems(tx, scan, { state: 'before', page: number, items: result.items });
  await countRefusals(tx, scan, result.refused);
  await addPages(
    tx,
    scan,
    result.links.map((url) => ({ url, depth: depth + 1 })),
  );
  await sql`
    update scan_page set status = 'skipped', reason = 'duplicate'
    where ${of(scan)} and status = 'found' and url = any(${result.aliases}::text[])
  `.execute(kysely);
}

/** Locks the scan in the transaction. False: it is no longer this scanner's. */
export async function holdScan(tx: EntityManager, scan: ClaimedScan): Promise<boolean> {
  const { rows } = await sql`select 1 from scan where ${held(scan)} for update`.execute(tx.getKysely());
  return rows.length > 0;
}

/** Skips pages. */
export async function skipPages(
  em: EntityManager,
  scan: ClaimedScan,
  numbers: readonly number[],
  reason: PageReason,
): Promise<void> {
  await sql`
    update scan_page set status = 'skipped', reason = ${reason}
    where ${of(scan)} and number = any(${[...numbers]}::int[]) and status = 'found'
  `.execute(em.getKysely());
}

/** Ends a scan; pages that were not visited are skipped for `unvisited`. */
export async function endScan(
  tx: EntityManager,
  scan: ClaimedScan,
  end: { status: 'completed' | 'partial' | 'failed'; reason: ScanReason | null; unvisited: PageReason },
): Promise<void> {
  await sql`
    update scan_page set status = 'skipped', reason = ${end.unvisited}
    where ${of(scan)} and status in ('found', 'visiting')
  `.execute(tx.getKysely());
  await sql`
    update scan_state set status = 'not_tested', reason = 'scan_ended', ended_at = now()
    where ${of(scan)} and status in ('pending', 'running')
  `.execute(tx.getKysely());
  await sql`
    update scan set status = ${end.status}, reason = ${end.reason}, ended_at = now(), claim_id = null, leased_until = null
    where ${held(scan)}
  `.execute(tx.getKysely());
}

/** Adds the items seen on a page in a state, except known ones. */
export async function insertItems(
  tx: EntityManager,
  scan: ClaimedScan,
  { state, page, items }: { state: ScanState; page: number; items: readonly ObservedItem[] },
): Promise<void> {
  if (items.length === 0) return;
  await sql`
    insert into scan_item (project_id, scan_id, state, page, number, kind, name, host, third_party, details)
    select ${scan.projectId}, ${scan.id}, ${state}, ${page}, known.last + place, kind, name, host, third_party, details
    from (
      select coalesce(max(number), 0) as last from scan_item where ${of(scan)} and state = ${state} and page = ${page}
    ) known, unnest(
      ${items.map(({ kind }) => kind)}::text[],
      ${items.map(({ name }) => name)}::text[],
      ${items.map(({ host }) => host)}::text[],
      ${items.map(({ thirdParty }) => thirdParty)}::boolean[],
      ${items.map(({ details }) => JSON.stringify(details))}::jsonb[]
    ) with ordinality as new (kind, name, host, third_party, details, place)
    where not exists (
      select from scan_item i where ${of(scan)} and i.state = ${state} and i.page = ${page} and i.kind = new.kind
        and i.name = new.name and i.host = new.host
        and i.details->>'method' is not distinct from new.details->>'method'
        and i.details->>'type' is not distinct from new.details->>'type'
    )
  `.execute(tx.getKysely());
}

/** Appends `scan.finished` for a scan that this transaction ended, with the rights of a scanner's role. */
export async function announceScan(tx: EntityManager, { projectId, id }: ClaimedScan): Promise<void> {
  await sql`select scan_finished(${projectId}, ${id}, ${scanKey(projectId)})`.execute(tx.getKysely());
}

/** Adds to the numbers of what pages attempted. */
export async function countRefusals(
  tx: EntityManager,
  scan: Pick<ClaimedScan, 'projectId' | 'id'>,
  { downloads, popups, dialogs }: { downloads: number; popups: number; dialogs: number },
): Promise<void> {
  await sql`
    update scan set refused_downloads = refused_downloads + ${downloads}, refused_popups = refused_popups + ${popups},
      refused_dialogs = refused_dialogs + ${dialogs}
    where project_id = ${scan.projectId} and id = ${scan.id}
  `.execute(tx.getKysely());
}

/** The condition of rows of a scan's pages and items. */
export function of({ projectId, id }: Pick<ClaimedScan, 'projectId' | 'id'>) {
  return sql`project_id = ${projectId} and scan_id = ${id}`;
}

/** The condition of a scan that the caller's claim still holds. */
export function held({ projectId, id, claimId }: ClaimedScan) {
  return sql`project_id = ${projectId} and id = ${id} and claim_id = ${claimId} and status = 'running'`;
}
