import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { SCAN_STATES } from '../domain/scan-state.js';
import type { ScanOrigin, ScanReason } from '../domain/scan.js';
import type { StatementArtifact, StatementPage, StatementState } from '../domain/scan-view.js';
import type { ScanRef } from './evidence.rows.js';
import { scanTables } from './scan.tables.js';

/** The scan's own part of a statement. */
export interface StatedScan {
  status: 'completed' | 'partial';
  reason: ScanReason | null;
  origin: ScanOrigin;
  urls: string[];
  browser: string | null;
  region: string | null;
  startedAt: Date;
  endedAt: Date;
}

/** The committed content of a scan's log entry. */
export interface StoredProof {
  /** Canonical JSON. */
  body: string;
  salt: Buffer;
}

export async function readStatedScan(em: EntityManager, { projectId, scanId }: ScanRef): Promise<StatedScan> {
  const { rows } = await sql<StatedScan>`
    select status, reason, origin, urls, browser, region, coalesce(started_at, created_at) as "startedAt",
           ended_at as "endedAt"
    from scan where project_id = ${projectId} and id = ${scanId}
  `.execute(em.getKysely());
  const [scan] = rows;
  if (!scan) throw new Error('the scan is gone, although it is locked');
  return scan;
}

/** Visited pages, including failed ones. */
export async function readStatedPages(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<StatementPage[]> {
  const rows = await scanTables(em)
    .selectFrom('scan_page')
    .select(['number', 'url', 'finalUrl', 'status', 'reason', 'httpStatus', 'loaderFound', 'visitedAt'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .where('status', 'in', ['visited', 'failed'])
    .orderBy('number')
    .execute();
  return rows.map(({ visitedAt, ...row }) => ({
    ...(row as Omit<StatementPage, 'visitedAt'>),
    visitedAt: visitedAt?.toISOString() ?? null,
  }));
}

export async function readStatedStates(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<StatementState[]> {
  const rows = (await scanTables(em)
    .selectFrom('scan_state')
    .select(['state', 'status', 'reason', 'driver', 'pages'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .execute()) as StatementState[];
  return rows.toSorted((a, b) => SCAN_STATES.indexOf(a.state) - SCAN_STATES.indexOf(b.state));
}

export async function readStatedArtifacts(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<StatementArtifact[]> {
  const { rows } = await sql<StatementArtifact>`
    select state, page, kind, bytes, encode(sha256, 'hex') as sha256 from scan_artifact
    where project_id = ${projectId} and scan_id = ${scanId}
    order by array_position(${[...SCAN_STATES]}::text[], state), page, kind
  `.execute(em.getKysely());
  return rows;
}

/** null: the scan has none yet. */
export async function readProof(
  em: EntityManager,
  { projectId, scanId }: ScanRef,
): Promise<StoredProof | null> {
  const row = await scanTables(em)
    .selectFrom('scan_proof')
    .select(['body', 'salt'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .executeTakeFirst();
  return row ?? null;
}

/** The log entries of a project's scans, by scan id; deleted ones are missing. */
export async function readProofs(
  em: EntityManager,
  projectId: string,
  scanIds: readonly string[],
): Promise<Map<string, StoredProof>> {
  const rows = await scanTables(em)
    .selectFrom('scan_proof')
    .select(['scanId', 'body', 'salt'])
    .where('projectId', '=', projectId)
    .where('scanId', '=', sql<string>`any(${[...scanIds]}::uuid[])`)
    .execute();
  return new Map(rows.map(({ scanId, body, salt }) => [scanId, { body, salt }]));
}

export async function insertProof(
  tx: EntityManager,
  { projectId, scanId }: ScanRef,
  { body, salt }: StoredProof,
): Promise<void> {
  await scanTables(tx).insertInto('scan_proof').values({ projectId, scanId, body, salt }).execute();
}
