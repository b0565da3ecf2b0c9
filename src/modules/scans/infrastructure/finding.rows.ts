import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import {
  CERTAINTIES,
  type Finding,
  FINDING_KINDS,
  type FindingLife,
  type FindingStatus,
} from '../domain/finding.js';
import type { UsedPage } from '../domain/seen-item.js';
import type { ScanRef } from './evidence.rows.js';
import { ScanFindingSchema, ScanFindingSeenSchema } from './finding.entities.js';
import { scanTables } from './scan.tables.js';

/** Fixed findings that no scan has seen for this long are deleted. */
const FIXED_DAYS = 365;

/** A finding over all scans. */
export interface StoredFinding extends Omit<Finding, 'pages' | 'uses'>, FindingLife {
  /** Addresses of its pages in the last scan that saw it. */
  pageUrls: string[];
  /** How each page used the item, in that scan; empty: of findings before this was stored. */
  uses: UsedPage[];
  firstSeenAt: Date;
  lastSeenAt: Date;
  acceptedReason: string | null;
  acceptedAt: Date | null;
}

/** A finding of one scan, with its life until now. */
export interface ScanFindingView extends Omit<StoredFinding, 'countedScanId'> {
  /** Numbers of the scan's pages. */
  pages: number[];
}

/** A place in a list of findings: the most certain ones come first, then by kind. */
export interface FindingKey {
  rank: number;
  id: string;
}

export interface FindingFilter {
  statuses: readonly FindingStatus[];
  after: FindingKey | null;
  limit: number;
}

/** A project's findings `f`. */
function findings(em: EntityManager, projectId: string) {
  return scanTables(em)
    .selectFrom('scan_finding as f')
    .selectAll('f')
    .where('f.projectId', '=', projectId)
    .$castTo<StoredFinding>();
}

/** Higher than the number of kinds. */
const RANKS_PER_CERTAINTY = 100;

function findingRank(source: 'f' | 's') {
  return sql`(
    ${RANKS_PER_CERTAINTY}::int * array_position(${[...CERTAINTIES]}::text[], ${sql.ref(`${source}.certainty`)})
    + array_position(${[...FINDING_KINDS]}::text[], f.kind)
  )`;
}

export function findingKey({ certainty, kind, id }: Pick<Finding, 'certainty' | 'kind' | 'id'>): FindingKey {
  // Positions in SQL begin with 1.
  const [certaintyAt, kindAt] = [CERTAINTIES.indexOf(certainty) + 1, FINDING_KINDS.indexOf(kind) + 1];
  return { rank: RANKS_PER_CERTAINTY * certaintyAt + kindAt, id };
}

/** The findings of a project that may change with a scan: all but the fixed ones, and those with the given ids. */
export async function readFindingLives(
  tx: EntityManager,
  projectId: string,
  ids: readonly string[],
  scanId: string,
): Promise<StoredFinding[]> {
  return findings(tx, projectId)
    .where((finding) =>
      finding.or([
        finding('f.status', '<>', 'fixed'),
        finding('f.countedScanId', '=', scanId),
        finding('f.id', '=', any(ids)),
      ]),
    )
    .forUpdate()
    .execute();
}

/** Findings with their life after a scan. */
export interface CountedFinding extends Omit<Finding, 'uses'>, FindingLife {
  pageUrls: string[];
  uses: UsedPage[];
}

/** Writes a scan's findings: their state, and this scan's observation of each. */
export async function storeSeenFindings(
  tx: EntityManager,
  { projectId, scanId }: ScanRef,
  findings: readonly CountedFinding[],
  seenAt: Date,
): Promise<void> {
  const rows = sql`jsonb_to_recordset(${JSON.stringify(findings)}::jsonb) as r (
    id uuid, kind text, "itemKind" text, name text, host text, certainty text, state text, pages int[],
    "pageUrls" text[], uses jsonb, "seenIn" text[], initiator text, category text, service text, "lifetimeSeconds" float8, declared text,
    status text, misses int, "firstScanId" uuid, "lastScanId" uuid, "countedScanId" uuid
  )`;
  const kysely = tx.getKysely();
  await sql`
    insert into scan_finding as known
      (project_id, id, kind, item_kind, name, host, certainty, state, page_urls, uses, seen_in, initiator, category,
       service, lifetime_seconds, declared, status, misses, first_scan_id, last_scan_id, counted_scan_id, first_seen_at,
       last_seen_at)
    select ${projectId}, r.id, r.kind, r."itemKind", r.name, r.host, r.certainty, r.state, r."pageUrls", r.uses, r."seenIn",
           r.initiator, r.category, r.service, r."lifetimeSeconds", r.declared, r.status, r.misses, r."firstScanId", r."lastScanId",
           r."countedScanId", ${seenAt}, ${seenAt}
    from ${rows}
    on conflict (project_id, id) do update set
      certainty = excluded.certainty, state = excluded.state, page_urls = excluded.page_urls,
      uses = excluded.uses, seen_in = excluded.seen_in, initiator = excluded.initiator, category = excluded.category, service = excluded.service,
      lifetime_seconds = excluded.lifetime_seconds, declared = excluded.declared, status = excluded.status,
      misses = excluded.misses, first_scan_id = excluded.first_scan_id, last_scan_id = excluded.last_scan_id,
      counted_scan_id = excluded.counted_scan_id, last_seen_at = excluded.last_seen_at,
      first_seen_at = case when excluded.first_scan_id = known.first_scan_id then known.first_seen_at
                           else excluded.first_seen_at end
    where known.counted_scan_id <= excluded.counted_scan_id and excluded.last_scan_id = ${scanId}
  `.execute(kysely);
  await tx.nativeDelete(ScanFindingSeenSchema, { projectId, scanId });
  await sql`
    insert into scan_finding_seen
      (project_id, scan_id, finding_id, certainty, state, pages, uses, seen_in, initiator, category, service,
       lifetime_seconds, declared)
    select ${projectId}, ${scanId}, r.id, r.certainty, r.state, r.pages, r.uses, r."seenIn", r.initiator, r.category,
           r.service, r."lifetimeSeconds", r.declared
    from ${rows}
  `.execute(kysely);
}

/** Writes the life of findings that a scan did not see. */
export async function storeMissedFindings(
  tx: EntityManager,
  projectId: string,
  lives: readonly (FindingLife & { id: string })[],
): Promise<void> {
  const kysely = tx.getKysely();
  await sql`
    update scan_finding f set status = r.status, misses = r.misses, counted_scan_id = r."countedScanId"
    from jsonb_to_recordset(${JSON.stringify(lives)}::jsonb) as r (
      id uuid, status text, misses int, "countedScanId" uuid
    )
    where f.project_id = ${projectId} and f.id = r.id
  `.execute(kysely);
  await sql`
    delete from scan_finding
    where project_id = ${projectId} and status = 'fixed' and last_seen_at < now() - ${FIXED_DAYS} * interval '1 day'
  `.execute(kysely);
}

function any(ids: readonly string[]) {
  return sql<string>`any(${ids}::uuid[])`;
}

/** Findings of a project, the most certain first. */
export async function readFindings(
  em: EntityManager,
  projectId: string,
  { statuses, after, limit }: FindingFilter,
): Promise<StoredFinding[]> {
  return findings(em, projectId)
    .where('f.status', 'in', statuses)
    .where(behind('f', after))
    .orderBy(findingRank('f'))
    .orderBy('f.id')
    .limit(limit)
    .execute();
}

/** Findings of a scan, the most certain first. */
export async function readScanFindings(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
  { statuses, after, limit }: FindingFilter,
): Promise<ScanFindingView[]> {
  const { rows } = await sql<ScanFindingView>`
    select f.id, f.kind, f.item_kind as "itemKind", f.name, f.host, f.status, f.misses,
           f.first_scan_id as "firstScanId", f.last_scan_id as "lastScanId", f.first_seen_at as "firstSeenAt",
           f.last_seen_at as "lastSeenAt", f.accepted_reason as "acceptedReason", f.accepted_at as "acceptedAt",
           s.certainty, s.state, s.initiator, s.category, s.service, s.lifetime_seconds as "lifetimeSeconds",
           s.declared, s.uses, s.seen_in as "seenIn", s.pages, array(
      select p.url from scan_page p
      where p.project_id = s.project_id and p.scan_id = s.scan_id and p.number = any(s.pages) order by p.number
    ) as "pageUrls"
    from scan_finding_seen s
    join scan_finding f on f.project_id = s.project_id and f.id = s.finding_id
    where s.project_id = ${projectId} and s.scan_id = ${scanId} and f.status = any(${[...statuses]}::text[])
      and ${behind('s', after)}
    order by ${findingRank('s')}, f.id limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

function behind(source: 'f' | 's', after: FindingKey | null): RawBuilder<boolean> {
  return after === null
    ? sql`true`
    : sql`(${findingRank(source)}, f.id) > (${after.rank}::int, ${after.id}::uuid)`;
}

/** Findings of a scan in numbers, by kind; accepted ones are left out. */
export interface FindingCounts {
  kind: Finding['kind'];
  /** Cookies and storage entries, and services that were requested: settled or arguable ones. */
  cookies: number;
  services: number;
  open: number;
}

export async function countScanFindings(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<FindingCounts[]> {
  const { rows } = await sql<FindingCounts>`
    select f.kind,
      (count(*) filter (where f.item_kind <> 'request' and s.certainty <> 'open'))::int as cookies,
      (count(*) filter (where f.item_kind = 'request' and s.certainty <> 'open'))::int as services,
      (count(*) filter (where s.certainty = 'open'))::int as open
    from scan_finding_seen s
    join scan_finding f on f.project_id = s.project_id and f.id = s.finding_id
    where s.project_id = ${projectId} and s.scan_id = ${scanId} and f.status <> 'accepted'
    group by f.kind
  `.execute(em.getKysely());
  return rows;
}

/** Ids of the findings of a scan. */
export async function readScanFindingIds(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<Set<string>> {
  const rows = await scanTables(em)
    .selectFrom('scan_finding_seen')
    .select('findingId')
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .execute();
  return new Set(rows.map(({ findingId }) => findingId));
}

/** Findings by their ids. */
export async function readFindingsById(
  em: EntityManager,
  projectId: string,
  ids: readonly string[],
): Promise<StoredFinding[]> {
  return findings(em, projectId)
    .where('f.id', '=', any(ids))
    .orderBy(findingRank('f'))
    .orderBy('f.id')
    .execute();
}

/** Locks a finding in the transaction; null: there is none. */
export async function lockFinding(
  tx: EntityManager,
  projectId: string,
  id: string,
): Promise<StoredFinding | null> {
  return (await findings(tx, projectId).where('f.id', '=', id).forUpdate().executeTakeFirst()) ?? null;
}

export async function acceptFinding(
  tx: EntityManager,
  { projectId, id }: { projectId: string; id: string },
  { reason, by }: { reason: string; by: { kind: string; id: string | null } },
): Promise<void> {
  const author = { acceptedByKind: by.kind, acceptedById: by.id };
  const accepted = { status: 'accepted', acceptedReason: reason, ...author, acceptedAt: raw('now()') };
  await tx.nativeUpdate(ScanFindingSchema, { projectId, id }, accepted);
}

export async function reopenFinding(
  tx: EntityManager,
  { projectId, id }: { projectId: string; id: string },
): Promise<void> {
  const notAccepted = { acceptedReason: null, acceptedByKind: null, acceptedById: null, acceptedAt: null };
  await tx.nativeUpdate(ScanFindingSchema, { projectId, id }, { status: 'open', ...notAccepted });
}
