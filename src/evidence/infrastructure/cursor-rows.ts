import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { Horizon, StoredPlace } from '../../consent/consent.records.js';
import { projectIdsAfter } from '../../projects/project.rows.js';

const PROJECTS_AT_ONCE = 1_000;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Up to where records are sequenced. */
export interface Cursor extends StoredPlace {
  /** The same by the database's clock, as PostgreSQL writes it. */
  at: string;
  cluster: string | null;
  /** What was received before is not sealed. */
  beginsAt: Date;
}

const CURSOR = sql`select after_xid::text as xid, after_project_id as "projectId", after_id as id,
  after_is_erasure as "isErasure", at::text as at, cluster, begins_at as "beginsAt" from sequencer_cursor`;

/** Holds the cursor until the transaction ends; null while another sequencer holds it. */
export async function lockCursor(tx: EntityManager): Promise<Cursor | null> {
  const { rows } = await sql<Cursor>`${CURSOR} for update skip locked`.execute(tx.getKysely());
  return rows[0] ?? null;
}

/** The cursor as the transaction sees it. */
export async function findCursor(tx: EntityManager): Promise<Cursor> {
  const { rows } = await sql<Cursor>`${CURSOR}`.execute(tx.getKysely());
  const [cursor] = rows;
  if (!cursor) throw new Error('sequencer_cursor has no row');
  return cursor;
}

/** Moves the cursor behind a position. */
export async function moveCursor(
  tx: EntityManager,
  { xid, projectId, id, isErasure, at }: StoredPlace & { at: string },
): Promise<void> {
  await sql`
    update sequencer_cursor set at = ${at}::timestamptz, after_xid = ${xid}::bigint, after_project_id = ${projectId}, after_id = ${id}, after_is_erasure = ${isErasure}
  `.execute(tx.getKysely());
}

/** The position ahead of everything that a transaction stored. */
export function beginOf(xid: string): StoredPlace {
  return { xid, projectId: NIL_UUID, id: NIL_UUID, isErasure: false };
}

/**
 * Whether the cursor counts the transactions of another server, as after a dump was restored: by the server's name where
 * it may be read, and because ids never go back on one server.
 */
export function isOfOtherServer(cursor: Cursor, horizon: Horizon): boolean {
  const isRenamed = cursor.cluster !== null && horizon.cluster !== null && cursor.cluster !== horizon.cluster;
  return isRenamed || BigInt(horizon.xid) < BigInt(cursor.xid);
}

/** Begins at this server's horizon; everything that is there already is looked through for what has no place. */
export async function adoptServer(tx: EntityManager, { xid, at, cluster }: Horizon): Promise<void> {
  await moveCursor(tx, { ...beginOf(xid), at });
  await sql`update sequencer_cursor set cluster = ${cluster}`.execute(tx.getKysely());
  let projectIds: string[] = [];
  do {
    projectIds = await projectIdsAfter(tx, projectIds.at(-1) ?? NIL_UUID, PROJECTS_AT_ONCE);
    await askForBackfill(tx, projectIds);
  } while (projectIds.length === PROJECTS_AT_ONCE);
}

/** Remembers the server whose transactions the cursor counts. */
export async function nameServer(tx: EntityManager, cluster: string | null): Promise<void> {
  await sql`update sequencer_cursor set cluster = ${cluster}`.execute(tx.getKysely());
}

/** Has the records of projects looked through for those that have no place. */
export async function askForBackfill(tx: EntityManager, projectIds: readonly string[]): Promise<void> {
  await sql`
    insert into evidence_backfill (project_id) select * from unnest(${projectIds}::uuid[])
    on conflict (project_id) do update set after_id = excluded.after_id
  `.execute(tx.getKysely());
}

/** A project whose records behind an id are to be looked through; null: there is none. */
export async function nextBackfill(
  tx: EntityManager,
): Promise<{ projectId: string; afterId: string } | null> {
  const { rows } = await sql<{ projectId: string; afterId: string }>`
    select project_id as "projectId", after_id as "afterId" from evidence_backfill order by project_id limit 1
    for update skip locked
  `.execute(tx.getKysely());
  return rows[0] ?? null;
}

/** Notes how far a project was looked through; null: to its end. */
export async function noteBackfill(
  tx: EntityManager,
  { projectId, afterId }: { projectId: string; afterId: string | null },
): Promise<void> {
  await (
    afterId === null
      ? sql`delete from evidence_backfill where project_id = ${projectId}`
      : sql`update evidence_backfill set after_id = ${afterId} where project_id = ${projectId}`
  ).execute(tx.getKysely());
}

/** When sealing began: a record that was received before has no place in a log. */
export async function findBegin(em: EntityManager): Promise<Date> {
  const { rows } = await sql<{
    beginsAt: Date;
  }>`select begins_at as "beginsAt" from sequencer_cursor`.execute(em.getKysely());
  const [mark] = rows;
  if (!mark) throw new Error('sequencer_cursor has no row');
  return mark.beginsAt;
}

/** By what a copy of the data folder is noticed; null where none is known. Held until the transaction ends. */
export async function findHome(tx: EntityManager): Promise<string | null> {
  const { rows } = await sql<{ home: string | null }>`select home from sequencer_cursor for update`.execute(
    tx.getKysely(),
  );
  return rows[0]?.home ?? null;
}

export async function noteHome(tx: EntityManager, home: string): Promise<void> {
  await sql`update sequencer_cursor set home = ${home}`.execute(tx.getKysely());
}

/** Has records sealed that were received from an earlier instant on, where nothing has its place yet. */
export async function sealSince(tx: EntityManager, instant: Date): Promise<void> {
  const kysely = tx.getKysely();
  // The sequencer holds the row; what it has sequenced is visible behind it.
  await sql`select from sequencer_cursor for update`.execute(kysely);
  await sql`
    update sequencer_cursor set begins_at = least(begins_at, ${instant})
    where not exists (select from evidence_leaf)
  `.execute(kysely);
}

/** Which of the records and erasures have their place already, by their position in the list. */
export async function placedAmong(
  tx: EntityManager,
  stored: readonly { projectId: string; id: string; isErasure: boolean }[],
): Promise<Set<number>> {
  // A lookup for each: a planner that expects few leaves would hash all of them.
  const { rows } = await sql<{ at: number }>`
    select given.position::int - 1 as at
    from unnest(${stored.map(({ projectId }) => projectId)}::uuid[], ${stored.map(({ id }) => id)}::uuid[],
                ${stored.map(({ isErasure }) => isErasure)}::boolean[])
           with ordinality as given (project_id, id, is_erasure, position)
    cross join lateral (
      select l.salt from evidence_leaf l where l.project_id = given.project_id and l.consent_id = given.id offset 0
    ) leaf
    where (leaf.salt is not null) = given.is_erasure
  `.execute(tx.getKysely());
  return new Set(rows.map(({ at }) => at));
}
