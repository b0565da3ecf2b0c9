import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { ObservedItem } from '../domain/observation.js';
import { SCAN_STATES, type ScanState, type StateReason, type StateStatus } from '../domain/scan-state.js';
import { STATE_ATTEMPTS_MAX } from '../domain/scan-limits.js';
import type { ScanStateView } from '../domain/scan-view.js';
import { type ClaimedScan, held, insertItems, of } from './frontier.rows.js';
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
  const { rows } = await sql<{ state: ScanState }>`
    select state from scan_state where ${of(scan)} and status in ('pending', 'running')
  `.execute(em.getKysely());
  const open = new Set(rows.map(({ state }) => state));
  return SCAN_STATES.filter((state) => open.has(state));
}

/** Adds the states of a scan without any, except the ones that its owner excluded. */
export async function addStates(em: EntityManager, scan: ClaimedScan): Promise<void> {
  await sql`
    insert into scan_state (project_id, scan_id, state, status, reason)
    select ${scan.projectId}, ${scan.id}, state,
           case when state = any(${scan.skippedStates}::text[]) then 'skipped' else 'pending' end,
           case when state = any(${scan.skippedStates}::text[]) then 'owner_skipped' end
    from unnest(${[...SCAN_STATES]}::text[]) as state
    on conflict do nothing
  `.execute(em.getKysely());
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
  await sql`
    update scan_state set status = ${end.status}, reason = ${end.reason}, driver = ${end.driver},
      pages = ${[...end.pages]}::int[], ended_at = now()
    where ${of(scan)} and state = ${state}
  `.execute(tx.getKysely());
}

/** Stores the items seen on a page in a state. Keeps the crawl's items of the same page. */
export async function storeStateItems(
  tx: EntityManager,
  scan: ClaimedScan,
  { state, page, items }: { state: ScanState; page: number; items: readonly ObservedItem[] },
): Promise<void> {
  if (state !== 'before')
    await sql`delete from scan_item where ${of(scan)} and state = ${state} and page = ${page}`.execute(
      tx.getKysely(),
    );
  await insertItems(tx, scan, { state, page, items });
}

export async function storeArtifact(
  tx: EntityManager,
  scan: ClaimedScan,
  { state, artifact: { kind, page, content } }: { state: ScanState; artifact: Artifact },
): Promise<void> {
  const sha256 = createHash('sha256').update(content).digest();
  await sql`
    insert into scan_artifact (project_id, scan_id, state, page, kind, sha256, bytes, content)
    values (${scan.projectId}, ${scan.id}, ${state}, ${page}, ${kind}, ${sha256}, ${content.length}, ${content})
    on conflict (project_id, scan_id, state, page, kind) do update set
      sha256 = excluded.sha256, bytes = excluded.bytes, content = excluded.content, created_at = now()
  `.execute(tx.getKysely());
}

/** The states of a scan, in their order, with whether each has a screenshot. */
export async function readStates(
  em: EntityManager,
  projectId: string,
  scanId: string,
): Promise<ScanStateView[]> {
  const { rows } = await sql<ScanStateView>`
    select s.state, s.status, s.reason, s.driver, s.pages, s.started_at as "startedAt", s.ended_at as "endedAt",
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
