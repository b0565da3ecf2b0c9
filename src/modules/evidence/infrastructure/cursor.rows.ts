import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { NIL_UUID } from '../../../platform/identity/ids.js';
import type { Horizon, RecordPosition } from '../../consent/consent.records.js';
import { projectIdsAfter } from '../../projects/project.rows.js';
import { evidenceTables } from './evidence.tables.js';

/** The position up to which records are sequenced. */
export interface Cursor extends RecordPosition {
  /** The same by the database's clock, in PostgreSQL's format. */
  at: string;
  /** The server that assigned the transaction id; null: not known yet. */
  cluster: string | null;
  /** Records received before are not added to the logs. */
  beginsAt: Date;
  /** Records of this transaction and later ones have a leaf; null: not known. */
  beginsXid: string | null;
  /** The number of logs that are created here. */
  logEpoch: number;
}

/**
 * A number for the logs of a copy. It is the time in seconds, so that two copies of the same state do not use the same one;
 * counted from 2026, because it has to fit into an int.
 */
const NEXT_EPOCH = sql`greatest(log_epoch + 1, extract(epoch from now() - timestamptz '2026-01-01 00:00:00Z')::int)`;

const CURSOR = sql`select after_xid::text as xid, after_project_id as "projectId", after_id as id,
  after_is_erasure as "isErasure", at::text as at, cluster, begins_at as "beginsAt", begins_xid::text as "beginsXid",
  log_epoch as "logEpoch" from sequencer_cursor`;

/** Locks the cursor until the transaction ends; null while another sequencer has locked it. */
export async function lockCursor(tx: EntityManager): Promise<Cursor | null> {
  const { rows } = await sql<Cursor>`${CURSOR} for update skip locked`.execute(tx.getKysely());
  return rows[0] ?? null;
}

/** The cursor in the transaction's snapshot. */
export async function findCursor(tx: EntityManager): Promise<Cursor> {
  const { rows } = await sql<Cursor>`${CURSOR}`.execute(tx.getKysely());
  return onlyRow(rows[0]);
}

export async function moveCursor(
  tx: EntityManager,
  { xid, projectId, id, isErasure, at }: RecordPosition & { at: string },
): Promise<void> {
  await sql`
    update sequencer_cursor set at = ${at}::timestamptz, after_xid = ${xid}::bigint, after_project_id = ${projectId},
      after_id = ${id}, after_is_erasure = ${isErasure}
  `.execute(tx.getKysely());
}

/** The position before everything that a transaction stored. */
export function startOfTransaction(xid: string): RecordPosition {
  return { xid, projectId: NIL_UUID, id: NIL_UUID, isErasure: false };
}

/**
 * Whether the cursor's transaction id is from another server, e.g. after a dump was restored: by the server's name where
 * it is readable, and because ids never decrease on one server.
 */
export function isFromOtherServer(cursor: Cursor, horizon: Horizon): boolean {
  const isRenamed = cursor.cluster !== null && horizon.cluster !== null && cursor.cluster !== horizon.cluster;
  return isRenamed || BigInt(horizon.xid) < BigInt(cursor.xid);
}

/** Moves the cursor to this server's horizon; all stored records are searched for those without a leaf. */
export async function adoptServer(tx: EntityManager, { xid, at, cluster }: Horizon): Promise<void> {
  await moveCursor(tx, { ...startOfTransaction(xid), at });
  await saveServer(tx, cluster);
  await requestFullBackfill(tx);
}

/** Stores the server that assigned the cursor's transaction id. */
export async function saveServer(tx: EntityManager, cluster: string | null): Promise<void> {
  await evidenceTables(tx).updateTable('sequencer_cursor').set({ cluster }).execute();
}

/** When evidence was turned on: records received before have no leaf. */
export async function findBegin(em: EntityManager): Promise<Date> {
  const row = await evidenceTables(em).selectFrom('sequencer_cursor').select('beginsAt').executeTakeFirst();
  return onlyRow(row).beginsAt;
}

/** The file by which a copy of the data folder is detected; null: unknown. Locks the row. */
export async function findHome(tx: EntityManager): Promise<string | null> {
  const row = await evidenceTables(tx)
    .selectFrom('sequencer_cursor')
    .select('home')
    .forUpdate()
    .executeTakeFirst();
  return row?.home ?? null;
}

/** Sets the number of logs created from now on to one that no other copy uses; returns it. */
export async function raiseLogEpoch(tx: EntityManager): Promise<number> {
  const { rows } = await sql<{ logEpoch: number }>`
    update sequencer_cursor set log_epoch = ${NEXT_EPOCH} returning log_epoch as "logEpoch"
  `.execute(tx.getKysely());
  return onlyRow(rows[0]).logEpoch;
}

export async function saveHome(tx: EntityManager, home: string): Promise<void> {
  await evidenceTables(tx).updateTable('sequencer_cursor').set({ home }).execute();
}

/** Includes records from an earlier time in the logs, if there are no leaves yet. */
export async function sequenceSince(tx: EntityManager, instant: Date): Promise<void> {
  const kysely = tx.getKysely();
  // Waits for the sequencer, so that its leaves are visible.
  await sql`select from sequencer_cursor for update`.execute(kysely);
  await sql`
    update sequencer_cursor set begins_at = least(begins_at, ${instant})
    where not exists (select from evidence_leaf)
  `.execute(kysely);
}

/** Since when other modules' entries exist; earlier items have none. */
export async function findEntriesBegin(em: EntityManager): Promise<Date> {
  const row = await evidenceTables(em)
    .selectFrom('sequencer_cursor')
    .select('entriesBeginAt')
    .executeTakeFirst();
  return onlyRow(row).entriesBeginAt;
}

function onlyRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error('sequencer_cursor has no row');
  return row;
}

const PROJECTS_AT_ONCE = 1_000;

/** A project whose records after an id must be searched for those without a leaf. */
interface Backfill {
  projectId: string;
  afterId: string;
}

/** Requests a search of the projects' records for those without a leaf. */
export async function requestBackfill(tx: EntityManager, projectIds: readonly string[]): Promise<void> {
  await sql`
    insert into evidence_backfill (project_id) select * from unnest(${projectIds}::uuid[])
    on conflict (project_id) do update set after_id = excluded.after_id
  `.execute(tx.getKysely());
}

/** Requests a search of the records of all projects. */
async function requestFullBackfill(tx: EntityManager): Promise<void> {
  let projectIds: string[] = [];
  do {
    projectIds = await projectIdsAfter(tx, projectIds.at(-1) ?? NIL_UUID, PROJECTS_AT_ONCE);
    await requestBackfill(tx, projectIds);
  } while (projectIds.length === PROJECTS_AT_ONCE);
}

export async function lockNextBackfill(tx: EntityManager): Promise<Backfill | null> {
  const { rows } = await sql<Backfill>`
    select project_id as "projectId", after_id as "afterId" from evidence_backfill order by project_id limit 1
    for update skip locked
  `.execute(tx.getKysely());
  return rows[0] ?? null;
}

/** Stores how far a backfill is; `afterId` is null once it is complete. */
export async function saveBackfill(
  tx: EntityManager,
  { projectId, afterId }: { projectId: string; afterId: string | null },
): Promise<void> {
  const tables = evidenceTables(tx);
  if (afterId === null)
    await tables.deleteFrom('evidence_backfill').where('projectId', '=', projectId).execute();
  else
    await tables
      .updateTable('evidence_backfill')
      .set({ afterId })
      .where('projectId', '=', projectId)
      .execute();
}

/** Whether records of a project are still being searched for those without a leaf. */
export async function isBackfilling(tx: EntityManager, projectId: string): Promise<boolean> {
  const row = await evidenceTables(tx)
    .selectFrom('evidence_backfill')
    .select('projectId')
    .where('projectId', '=', projectId)
    .executeTakeFirst();
  return row !== undefined;
}
