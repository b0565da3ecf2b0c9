import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { edgeBytes, type LogEdge, logName, readEdge, ROOT_LOG } from '../domain/log.js';
import type { Tile } from '../domain/tile.js';

/** What is signed of a log. */
export interface SignedLog {
  log: string;
  /** Number of the log; 1: it continues none. */
  epoch: number;
  /** Under which the storage has it. */
  name: string;
  origin: string;
  /** Of the newest signed checkpoint; 0 before the first. */
  checkpointSize: number;
  checkpoint: string | null;
  /** The signed statement that is its first entry; null: it continues none. */
  continues: string | null;
}

/** A log as its row says it is. */
export interface StoredLog extends SignedLog {
  /** Leaves that have their place. */
  size: number;
  edge: LogEdge;
  refusal: string | null;
  /** Why it must not be signed, whatever the storage holds: it is a copy. Null: it is none. */
  halted: string | null;
  /** A signed checkpoint that was known when it was halted. */
  haltedHead: string | null;
}

type LogRow = Omit<StoredLog, 'edge' | 'name'> & { edge: Buffer };

const COLUMNS = sql`log, epoch, origin, size::float8 as size, edge, checkpoint_size::float8 as "checkpointSize", checkpoint,
  continues, refusal, halted, halted_head as "haltedHead"`;

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

/** A log that was continued by another one, as it was signed last. */
export interface PastLog extends SignedLog {
  rooted: Rooted | null;
  reason: string;
  endedAt: Date;
}

/** A log by its number, where it is not the newest; null where there is none. */
export async function findPastLog(em: EntityManager, log: string, epoch: number): Promise<PastLog | null> {
  const [past] = await listPastLogs(em, log, epoch);
  return past ?? null;
}

/** The logs that the newest one continues, the first of them first; or the one of a number. */
export async function listPastLogs(
  em: EntityManager,
  log: string,
  epoch: number | null = null,
): Promise<PastLog[]> {
  const { rows } = await sql<
    Omit<PastLog, 'name' | 'rooted'> & {
      rootedSize: number;
      rootedCheckpoint: string | null;
      rootIndex: number | null;
      rootEpoch: number | null;
    }
  >`
    select log, epoch, origin, checkpoint_size::float8 as "checkpointSize", checkpoint, continues,
           rooted_size::float8 as "rootedSize", rooted_checkpoint as "rootedCheckpoint",
           root_index::float8 as "rootIndex", root_epoch as "rootEpoch", reason, ended_at as "endedAt"
    from evidence_past_log where log = ${log} and (${epoch}::int is null or epoch = ${epoch}) order by epoch
  `.execute(em.getKysely());
  return rows.map(
    ({ rootedSize: size, rootedCheckpoint: checkpoint, rootIndex: index, rootEpoch, ...row }) => ({
      ...{ ...row, name: logName(row.log, row.epoch) },
      rooted:
        checkpoint !== null && index !== null ? { size, checkpoint, index, rootEpoch: rootEpoch ?? 1 } : null,
    }),
  );
}

/** At most `limit` full tiles of a log that are to be stored. */
export async function tilesToStore(em: EntityManager, log: string, limit: number): Promise<Tile[]> {
  const { rows } = await sql<Tile>`
    select level, index::float8 as index, width, bytes from evidence_tile where log = ${log}
    order by level, index limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** The bytes of a full tile that waits to be stored; null where it does not wait. */
export async function findTileToStore(
  em: EntityManager,
  log: string,
  { level, index }: Pick<Tile, 'level' | 'index'>,
): Promise<Buffer | null> {
  const { rows } = await sql<{ bytes: Buffer }>`
    select bytes from evidence_tile where log = ${log} and level = ${level} and index = ${index}
  `.execute(em.getKysely());
  return rows[0]?.bytes ?? null;
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
  for (const table of ['evidence_log', 'evidence_past_log', 'evidence_tile', 'evidence_root_entry'])
    await sql`delete from ${sql.table(table)} where log = ${log}`.execute(tx.getKysely());
  await sql`delete from evidence_leaf where project_id = ${log}`.execute(tx.getKysely());
}

/** A checkpoint that was signed and stored. */
export interface SignedCheckpoint {
  log: string;
  epoch: number;
  size: number;
  note: string;
  /** The checkpoint that the signer found, which another key may have signed at the same size. */
  former: string | null;
}

/**
 * Writes a checkpoint that is larger than the log's, or replaces the one that the signer found at the same size. A slow
 * signer replaces nothing newer. Returns the log's size by now; null where the log is gone.
 */
export async function writeCheckpoint(
  tx: EntityManager,
  { log, epoch, size, note, former }: SignedCheckpoint,
): Promise<number | null> {
  // An operator may have had the log continued by another one since it was read.
  const isOf = sql`epoch = ${epoch} and halted is null`;
  const isNew = sql`${isOf} and (
    checkpoint_size < ${size} or (checkpoint_size = ${size} and checkpoint = ${former} and checkpoint <> ${note})
  )`;
  const { rows } = await sql<{ size: number }>`
    update evidence_log
    set checkpoint_size = case when ${isOf} then greatest(checkpoint_size, ${size}) else checkpoint_size end,
        checkpoint = case when ${isNew} then ${note} else checkpoint end,
        signed_at = case when ${isNew} then now() else signed_at end,
        refusal = case when ${isOf} then null else refusal end,
        refused_at = case when ${isOf} then null else refused_at end
    where log = ${log}
    returning size::float8 as size
  `.execute(tx.getKysely());
  return rows[0]?.size ?? null;
}

/**
 * Stores that a key signs, to the minute as it is published. In its own statement, and without locking a row that is
 * already up to date: all logs share one key, and a lock on its row while waiting for a log's row would block all logs.
 */
export async function noteKeyUse(em: EntityManager, verifier: string): Promise<void> {
  await sql`
    insert into evidence_key (verifier)
    select ${verifier}
    where not exists (
      select from evidence_key where verifier = ${verifier} and last_signed_at > now() - interval '1 minute'
    )
    on conflict (verifier) do update set last_signed_at = greatest(evidence_key.last_signed_at, now())
  `.execute(em.getKysely());
}

/** Writes why nothing is signed; since when stays what it was. */
export async function writeRefusal(em: EntityManager, log: string, refusal: string): Promise<void> {
  await sql`
    update evidence_log set refusal = ${refusal}, refused_at = coalesce(refused_at, now()) where log = ${log}
  `.execute(em.getKysely());
}

function logOf({ edge, ...row }: LogRow): StoredLog {
  return { ...row, name: logName(row.log, row.epoch), edge: readEdge(row.size, edge) };
}

/** Where a record, or its erasure, stands. */
export interface Leaf {
  /** Number of the log that has it. */
  epoch: number;
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
    select consent_id as "consentId", epoch, leaf_index::float8 as index, salt from evidence_leaf
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
  /** Number of that root log. */
  rootEpoch: number;
}

export async function findRooted(em: EntityManager, log: string): Promise<Rooted | null> {
  const { rows } = await sql<Rooted>`
    select rooted_size::float8 as size, rooted_checkpoint as checkpoint, root_index::float8 as index,
           coalesce((select r.epoch from evidence_log r where r.log = ${ROOT_LOG}), 1) as "rootEpoch"
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
  /** Number of the log; each that continues another one has the next. */
  epoch: number;
  /** Entries that its newest signed checkpoint covers. */
  size: number;
  signedAt: Date | null;
  /** Those that a checkpoint in the root log covers. */
  rootedSize: number;
  refusal: string | null;
  /** The signed statement that is its first entry; null: it continues no other log. */
  continues: string | null;
}

/** null before anything of the project was sealed. */
export async function findLogState(em: EntityManager, log: string): Promise<LogState | null> {
  const { rows } = await sql<LogState>`
    select epoch, checkpoint_size::float8 as size, signed_at as "signedAt", rooted_size::float8 as "rootedSize", refusal,
           continues
    from evidence_log where log = ${log}
  `.execute(em.getKysely());
  return rows[0] ?? null;
}
