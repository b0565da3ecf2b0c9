import { createHash } from 'node:crypto';
import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { NOW } from '../../../platform/database/tables.js';
import type { ObservedItem } from '../domain/observation.js';
import { SCAN_STATES, type ScanState, type StateReason, type StateStatus } from '../domain/scan-state.js';
import { STATE_ATTEMPTS_MAX } from '../domain/scan-limits.js';
import type { ScanStateView } from '../domain/scan-view.js';
import { type ClaimedScan, held, insertItems, of } from './frontier.rows.js';
import { ScanItemSchema, ScanStateSchema } from './scan.entities.js';
import { scanTables } from './scan.tables.js';

/** How a state ended. */
export interface StateEnd {
  status: Exclude<StateStatus, 'pending' | 'running'>;
  reason: StateReason | null;
  driver: string | null;
  pages: readonly number[];
}

/** A screenshot (JPEG) of the first page of a state, or an archive (gzipped HAR) of a page. */
export interface Artifact {
  kind: 'screenshot' | 'har';
  page: number;
  content: Buffer;
}

/** States of a scan that are still to be tested, in order. */
export async function readOpenStates(em: EntityManager, scan: ClaimedScan): Promise<ScanState[]> {
  const rows = await scanTables(em)
    .selectFrom('scan_state')
    .select('state')
    .where('projectId', '=', scan.projectId)
    .where('scanId', '=', scan.id)
    .where('status', 'in', ['pending', 'running'])
    .execute();
  const open = new Set(rows.map(({ state }) => state));
  return SCAN_STATES.filter((state) => open.has(state));
}

/** Adds the states of a scan without any, except the ones that its owner excluded. */
export async function addStates(em: EntityManager, scan: ClaimedScan): Promise<void> {
  const { projectId, id: scanId, skippedStates } = scan;
  const [pending, skipped] = [{ status: 'pending' }, { status: 'skipped', reason: 'owner_skipped' }];
  await scanTables(em)
    .insertInto('scan_state')
    .values(
      SCAN_STATES.map((state) => ({
        projectId,
        scanId,
        state,
        ...(skippedStates.includes(state) ? skipped : pending),
      })),
    )
    .onConflict((known) => known.doNothing())
    .execute();
}

/** Notes that a state is tested now. `exhausted`: two attempts did not end. `lost`: another scanner has the scan. */
export async function beginState(
  em: EntityManager,
  scan: ClaimedScan,
  state: ScanState,
): Promise<'begun' | 'exhausted' | 'lost'> {
  const { rows } = await sql<{ attempts: number }>`
    update scan_state set status = 'running', attempts = least(attempts + 1, ${STATE_ATTEMPTS_MAX + 1}),
      started_at = now()
    where ${of(scan)} and state = ${state} and exists (select from scan where ${held(scan)})
    returning attempts
  `.execute(em.getKysely());
  const [row] = rows;
  if (!row) return 'lost';
  return row.attempts > STATE_ATTEMPTS_MAX ? 'exhausted' : 'begun';
}

/** Stores how a state ended, in the transaction of the caller, who holds the scan. */
export async function storeState(
  tx: EntityManager,
  scan: ClaimedScan,
  { state, end }: { state: ScanState; end: StateEnd },
): Promise<void> {
  const tested = { projectId: scan.projectId, scanId: scan.id, state };
  const { status, reason, driver, pages } = end;
  const ended = { status, reason, driver, pages: [...pages], endedAt: raw('now()') };
  await tx.nativeUpdate(ScanStateSchema, tested, ended);
}

/** Stores the items seen on a page in a state. Keeps the crawl's items of the same page. */
export async function storeStateItems(
  tx: EntityManager,
  scan: ClaimedScan,
  { state, page, items }: { state: ScanState; page: number; items: readonly ObservedItem[] },
): Promise<void> {
  if (state !== 'before')
    await tx.nativeDelete(ScanItemSchema, { projectId: scan.projectId, scanId: scan.id, state, page });
  await insertItems(tx, scan, { state, page, items });
}

export async function storeArtifact(
  tx: EntityManager,
  { projectId, id: scanId }: ClaimedScan,
  { state, artifact: { kind, page, content } }: { state: ScanState; artifact: Artifact },
): Promise<void> {
  const sha256 = createHash('sha256').update(content).digest();
  await scanTables(tx)
    .insertInto('scan_artifact')
    .values({ projectId, scanId, state, page, kind, sha256, bytes: content.length, content })
    .onConflict((known) =>
      known.columns(['projectId', 'scanId', 'state', 'page', 'kind']).doUpdateSet(({ ref }) => ({
        sha256: ref('excluded.sha256'),
        bytes: ref('excluded.bytes'),
        content: ref('excluded.content'),
        createdAt: NOW,
      })),
    )
    .execute();
}

/** The states of a scan, in their order, with whether each has a screenshot. */
export async function readStates(
  em: EntityManager,
  projectId: string,
  scanId: string,
): Promise<ScanStateView[]> {
  const { rows } = await sql<ScanStateView>`
    select s.state, s.status, s.reason, s.driver, s.pages, s.items, s.started_at as "startedAt", s.ended_at as "endedAt",
      exists (
        select from scan_artifact a where a.project_id = s.project_id and a.scan_id = s.scan_id and a.state = s.state
          and a.kind = 'screenshot' and a.content is not null
      ) as "hasScreenshot"
    from scan_state s where s.project_id = ${projectId} and s.scan_id = ${scanId}
    order by array_position(${[...SCAN_STATES]}::text[], s.state)
  `.execute(em.getKysely());
  return rows;
}

/** The screenshot of a state; null: there is none, or it was deleted. */
export async function readScreenshot(
  em: EntityManager,
  { projectId, scanId }: { projectId: string; scanId: string },
  state: ScanState,
): Promise<Buffer | null> {
  const row = await scanTables(em)
    .selectFrom('scan_artifact')
    .select('content')
    .where('projectId', '=', projectId)
    .where('scanId', '=', scanId)
    .where('state', '=', state)
    .where('kind', '=', 'screenshot')
    .executeTakeFirst();
  return row?.content ?? null;
}
