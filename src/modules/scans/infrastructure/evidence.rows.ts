import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { PageAddress, TestedState } from '../domain/finding.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';
import { foldItems, type ItemGroupRow, type SeenItem } from '../domain/seen-item.js';
import { scanTables } from './scan.tables.js';

/** Different items of one scan and state that are read; a site with more is not evaluated in full. */
const ITEM_GROUPS_MAX = 20_000;

/** A scan by its project. */
export interface ScanRef {
  projectId: string;
  scanId: string;
}

/** A page of a scan that was loaded. */
export interface LoadedPage {
  number: number;
  url: string;
  host: string;
  loaderFound: boolean;
}

/** A scan with a result. */
export interface EndedScan {
  status: 'completed' | 'partial';
  startedAt: Date;
  endedAt: Date;
}

/** Locks a scan that ended with a result; null: it was deleted, or has none. */
export async function lockEndedScan(
  tx: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<EndedScan | null> {
  const { rows } = await sql<EndedScan>`
    select status, coalesce(started_at, created_at) as "startedAt", ended_at as "endedAt" from scan
    where project_id = ${projectId} and id = ${scanId} and status in ('completed', 'partial') and ended_at is not null
    for update
  `.execute(tx.getKysely());
  return rows[0] ?? null;
}

/** The newest scan with a result, or the newest one before another; null: there is none. */
export async function findEndedScan(
  em: EntityManager,
  projectId: string,
  before: string | null = null,
): Promise<string | null> {
  const newest = scanTables(em)
    .selectFrom('scan')
    .select('id')
    .where('projectId', '=', projectId)
    .where('status', 'in', ['completed', 'partial'])
    .orderBy('id', 'desc')
    .limit(1);
  const found = await (before === null ? newest : newest.where('id', '<', before)).executeTakeFirst();
  return found?.id ?? null;
}

/** The relevant items of a scan: stored items, requests to other sites, and fingerprinting. */
export async function readSeenItems(em: EntityManager, { projectId, scanId }: ScanRef): Promise<SeenItem[]> {
  const place = sql`array_position(${[...SCAN_STATES]}::text[], i.state)`;
  const { rows } = await sql<ItemGroupRow>`
    select i.kind, n.name, i.host, i.state, bool_or(i.third_party) as "thirdParty",
      jsonb_agg(distinct jsonb_build_object(
        'page', i.page, 'setBy', i.details->>'setBy', 'sent', coalesce((i.details->>'sent')::boolean, false),
        'initiator', i.details->>'initiator'
      )) as pages,
      coalesce(array_agg(distinct i.details->>'initiator') filter (where i.details->>'initiator' is not null), '{}')
        as initiators,
      coalesce(
        array_agg(distinct i.details->>'type') filter (where i.kind = 'request' and i.details->>'type' is not null), '{}'
      ) as types,
      round(max(extract(epoch from (i.details->>'expiresAt')::timestamptz - p.visited_at)) filter (
        where i.kind = 'cookie' and i.details->>'expiresAt' like '____-%'
      ))::float8 as "lifetimeSeconds"
    from scan_item i
    join scan_page p on p.project_id = i.project_id and p.scan_id = i.scan_id and p.number = i.page
    cross join lateral (
      select case i.kind when 'request' then '' when 'fingerprint' then coalesce(i.details->>'type', i.name) else i.name end
        as name
    ) n
    where i.project_id = ${projectId} and i.scan_id = ${scanId} and i.kind <> 'consent_event'
      and (i.kind <> 'request' or i.third_party) and i.details->>'blocked' is null
    group by i.kind, n.name, i.host, i.state
    order by ${place}, i.kind, n.name, i.host
    limit ${ITEM_GROUPS_MAX}
  `.execute(em.getKysely());
  return foldItems(rows);
}

/** Pages that were loaded, in the order in which they were found. */
export async function readLoadedPages(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<LoadedPage[]> {
  return scanTables(em)
    .selectFrom('scan_page')
    .select(['number', 'url', 'host', 'loaderFound'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .where('status', '=', 'visited')
    .orderBy('number')
    .execute();
}

/** Addresses of other hosts that loaded pages requested before a choice, or that their HTML makes a browser request. */
export async function readPageAddresses(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<PageAddress[]> {
  const { rows } = await sql<PageAddress>`
    with loaded as (
      select * from scan_page where project_id = ${projectId} and scan_id = ${scanId} and status = 'visited'
    )
    select page, address, null as "setBy", bool_or(sent) as sent, min(initiator) as initiator
    from (
      select p.number as page, i.host || split_part(i.name, '?', 1) as address, true as sent,
        i.details->>'initiator' as initiator
      from loaded p join scan_item i on i.project_id = p.project_id and i.scan_id = p.scan_id and i.page = p.number
      where i.state = 'before' and i.kind = 'request' and i.host <> p.host
      union all
      select number, unnest(html_addresses), false, null from loaded
    ) each
    group by page, address
    order by page, address
    limit ${ITEM_GROUPS_MAX}
  `.execute(em.getKysely());
  return rows;
}

/** The states of a scan. The first one is tested where pages were loaded. */
export async function readTestedStates(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
  loaded: readonly LoadedPage[],
): Promise<TestedState[]> {
  const rows = (await scanTables(em)
    .selectFrom('scan_state')
    .select(['state', 'status', 'reason', 'pages'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .where('state', '!=', 'before')
    .execute()) as TestedState[];
  const before: TestedState = {
    state: 'before',
    reason: null,
    pages: loaded.map(({ number }) => number),
    status: loaded.length > 0 ? 'tested' : 'not_tested',
  };
  return [before, ...rows];
}

/** HARs of a state that are still stored, gzipped, in the order of their pages. */
export async function readHars(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
  state: ScanState,
): Promise<{ page: number; content: Buffer }[]> {
  const rows = await scanTables(em)
    .selectFrom('scan_artifact')
    .select(['page', 'content'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .where('state', '=', state)
    .where('kind', '=', 'har')
    .orderBy('page')
    .execute();
  return rows.flatMap(({ page, content }) => (content === null ? [] : [{ page, content }]));
}

/** Deletes the content of screenshots and HARs; their hashes stay. Returns how many. */
export async function deleteArtifactsBefore(
  tx: EntityManager,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update scan_artifact a set content = null
    from (
      select project_id, scan_id, state, page, kind from scan_artifact
      where content is not null and created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    ) due
    where a.project_id = due.project_id and a.scan_id = due.scan_id and a.state = due.state and a.page = due.page
      and a.kind = due.kind
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0);
}
