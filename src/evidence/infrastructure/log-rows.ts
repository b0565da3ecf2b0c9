import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { edgeBytes, type LogEdge, readEdge } from '../domain/log.js';
import type { Tile } from '../domain/tile.js';

/** A log as its row says it is. */
export interface StoredLog {
  log: string;
  origin: string;
  /** Leaves that have their place. */
  size: number;
  edge: LogEdge;
  /** Of the newest signed checkpoint; 0 before the first. */
  checkpointSize: number;
  checkpoint: string | null;
  refusal: string | null;
}

type LogRow = Omit<StoredLog, 'edge'> & { edge: Buffer };

const COLUMNS = sql`log, origin, size::float8 as size, edge, checkpoint_size::float8 as "checkpointSize", checkpoint, refusal`;

/** A log that grows: its edge behind what is appended, and the tiles that are full then and were not before. */
export interface Growth {
  log: string;
  edge: LogEdge;
  full: Tile[];
}

/** Holds the rows of logs, in their order, until the transaction ends; makes those that are not there. */
export async function lockLogs(
  tx: EntityManager,
  logs: readonly { log: string; origin: string }[],
): Promise<StoredLog[]> {
  const kysely = tx.getKysely();
  const ids = logs.map(({ log }) => log);
  await sql`
    insert into evidence_log (log, origin)
    select * from unnest(${ids}::uuid[], ${logs.map(({ origin }) => origin)}::text[]) as made (log, origin)
    order by log on conflict (log) do nothing
  `.execute(kysely);
  const { rows } = await sql<LogRow>`
    select ${COLUMNS} from evidence_log where log = any(${ids}::uuid[]) order by log for update
  `.execute(kysely);
  return rows.map(logOf);
}

/** Writes what logs have become, and the full tiles that are to be stored; those at the edge follow from it. */
export async function writeGrowth(tx: EntityManager, growths: readonly Growth[]): Promise<void> {
  const kysely = tx.getKysely();
  const logs = growths.map(({ log }) => log);
  await sql`
    update evidence_log l set size = grown.size, edge = grown.edge, appended_at = now()
    from unnest(${logs}::uuid[], ${growths.map(({ edge }) => edge.tree.size)}::bigint[],
                ${growths.map(({ edge }) => edgeBytes(edge))}::bytea[]) as grown (log, size, edge)
    where l.log = grown.log
  `.execute(kysely);
  const tiles = growths.flatMap(({ log, full }) => full.map((tile) => ({ ...tile, log })));
  if (tiles.length === 0) return;
  await sql`
    insert into evidence_tile (log, level, index, width, bytes)
    select * from unnest(${tiles.map(({ log }) => log)}::uuid[], ${tiles.map(({ level }) => level)}::smallint[],
                         ${tiles.map(({ index }) => index)}::bigint[], ${tiles.map(({ width }) => width)}::smallint[],
                         ${tiles.map(({ bytes }) => bytes)}::bytea[])
  `.execute(kysely);
}

/** The log now; null where there is none. */
export async function findLog(em: EntityManager, log: string): Promise<StoredLog | null> {
  const { rows } = await sql<LogRow>`select ${COLUMNS} from evidence_log where log = ${log}`.execute(
    em.getKysely(),
  );
  return rows[0] ? logOf(rows[0]) : null;
}

/** At most `limit` full tiles of a log that are to be stored. */
export async function tilesToStore(em: EntityManager, log: string, limit: number): Promise<Tile[]> {
  const { rows } = await sql<Tile>`
    select level, index::float8 as index, width, bytes from evidence_tile where log = ${log}
    order by level, index limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Forgets tiles that are stored. */
export async function forgetTiles(em: EntityManager, log: string, tiles: readonly Tile[]): Promise<void> {
  await sql`
    delete from evidence_tile t
    using unnest(${tiles.map(({ level }) => level)}::smallint[], ${tiles.map(({ index }) => index)}::bigint[],
                 ${tiles.map(({ width }) => width)}::smallint[]) as stored (level, index, width)
    where t.log = ${log} and t.level = stored.level and t.index = stored.index and t.width = stored.width
  `.execute(em.getKysely());
}

/** Deletes what is known of a project's log, in the caller's transaction. */
export async function forgetLog(tx: EntityManager, log: string): Promise<void> {
  for (const table of ['evidence_log', 'evidence_tile', 'evidence_root_entry'])
    await sql`delete from ${sql.table(table)} where log = ${log}`.execute(tx.getKysely());
  await sql`delete from evidence_leaf where project_id = ${log}`.execute(tx.getKysely());
}

/** A checkpoint that was signed and stored. */
export interface SignedCheckpoint {
  log: string;
  size: number;
  note: string;
}

/** Writes a checkpoint unless there is a later one. Returns the log's size by now; null where the log is gone. */
export async function writeCheckpoint(
  tx: EntityManager,
  { log, size, note }: SignedCheckpoint,
): Promise<number | null> {
  const { rows } = await sql<{ size: number }>`
    update evidence_log
    set checkpoint_size = greatest(checkpoint_size, ${size}),
        checkpoint = case when checkpoint_size < ${size} then ${note} else checkpoint end,
        signed_at = case when checkpoint_size < ${size} then now() else signed_at end,
        refusal = null, refused_at = null
    where log = ${log}
    returning size::float8 as size
  `.execute(tx.getKysely());
  return rows[0]?.size ?? null;
}

/**
 * Writes down that a key signs, as it is published: to the minute. By itself, and without touching the row where that is
 * known: all logs have one key, and whoever holds its row while he waits for a log's makes all others wait with him.
 */
export async function noteKeyUse(em: EntityManager, verifier: string): Promise<void> {
  await sql`
    insert into evidence_key (verifier)
    select ${verifier}
    where not exists (
      select from evidence_key where verifier = ${verifier} and last_signed_at > now() - interval '1 minute'
    )
    on conflict (verifier) do update set last_signed_at = now()
  `.execute(em.getKysely());
}

/** Writes why nothing is signed; since when stays what it was. */
export async function writeRefusal(em: EntityManager, log: string, refusal: string): Promise<void> {
  await sql`
    update evidence_log set refusal = ${refusal}, refused_at = coalesce(refused_at, now()) where log = ${log}
  `.execute(em.getKysely());
}

function logOf({ edge, ...row }: LogRow): StoredLog {
  return { ...row, edge: readEdge(row.size, edge) };
}

/** Before it everything that was stored has its leaf, unless it is older than the first one. */
export async function findMark(em: EntityManager): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select at from evidence_mark`.execute(em.getKysely());
  const [mark] = rows;
  if (!mark) throw new Error('evidence_mark has no row');
  return mark.at;
}

/** Has sealing begin at an earlier instant, where nothing has its place yet. */
export async function sealSince(tx: EntityManager, instant: Date): Promise<void> {
  const kysely = tx.getKysely();
  // Whoever gives places holds the mark; what he gave is seen behind it.
  await sql`select from evidence_mark for update`.execute(kysely);
  await sql`
    update evidence_mark set at = least(at, ${instant}), project_id = default, id = default, is_erasure = default
    where not exists (select from evidence_leaf)
  `.execute(kysely);
}

/** Where a record, or its erasure, stands. */
export interface Leaf {
  index: number;
  /** Of an erasure; null of a record. */
  salt: Buffer | null;
}

/** Those of the records that have a leaf, by their ids. */
export async function findLeaves(
  em: EntityManager,
  projectId: string,
  consentIds: readonly string[],
): Promise<Map<string, Leaf>> {
  const { rows } = await sql<Leaf & { consentId: string }>`
    select consent_id as "consentId", leaf_index::float8 as index, salt from evidence_leaf
    where project_id = ${projectId} and consent_id = any(${consentIds}::uuid[])
  `.execute(em.getKysely());
  return new Map(rows.map(({ consentId, ...leaf }) => [consentId, leaf]));
}

/** A project's checkpoint that has its place in the root log. */
export interface Rooted {
  size: number;
  checkpoint: string;
  /** Its entry in the root log. */
  index: number;
}

export async function findRooted(em: EntityManager, log: string): Promise<Rooted | null> {
  const { rows } = await sql<Rooted>`
    select rooted_size::float8 as size, rooted_checkpoint as checkpoint, root_index::float8 as index
    from evidence_log where log = ${log} and root_index is not null
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

export async function findVerifiers(
  em: EntityManager,
): Promise<{ verifier: string; firstSignedAt: Date; lastSignedAt: Date }[]> {
  const { rows } = await sql<{ verifier: string; firstSignedAt: Date; lastSignedAt: Date }>`
    select verifier, first_signed_at as "firstSignedAt", last_signed_at as "lastSignedAt"
    from evidence_key order by first_signed_at, verifier
  `.execute(em.getKysely());
  return rows;
}

/** How far a log is, as a member sees it. */
export interface LogState {
  /** Entries that its newest signed checkpoint covers. */
  size: number;
  signedAt: Date | null;
  /** Those that a checkpoint in the root log covers. */
  rootedSize: number;
  refusal: string | null;
}

/** null before anything of the project was sealed. */
export async function findLogState(em: EntityManager, log: string): Promise<LogState | null> {
  const { rows } = await sql<LogState>`
    select checkpoint_size::float8 as size, signed_at as "signedAt", rooted_size::float8 as "rootedSize", refusal
    from evidence_log where log = ${log}
  `.execute(em.getKysely());
  return rows[0] ?? null;
}
