import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { decodeEdge, encodeEdge, logName, type LogEdge } from '../domain/log.js';
import type { Tile } from '../domain/tile.js';
import type { Anchored } from './checkpoint.rows.js';
import { evidenceTables } from './evidence.tables.js';

export interface SignedLog {
  log: string;
  /** 1, or one more than that of the log that it continues. */
  epoch: number;
  /** Its name in the storage. */
  name: string;
  origin: string;
  /** Size of the newest signed checkpoint; 0 before the first. */
  checkpointSize: number;
  checkpoint: string | null;
  /** The signed statement that is its first entry; null: it continues no log. */
  continues: string | null;
}

/** A log as its row describes it. */
export interface StoredLog extends SignedLog {
  /** Number of sequenced leaves. */
  size: number;
  edge: LogEdge;
  refusal: string | null;
  /** Why it must not be signed, whatever the storage contains: it is a copy. null: it is not. */
  halted: string | null;
  /** A signed checkpoint that was known when the log was halted. */
  haltedHead: string | null;
  /** Damage of its storage that a check found: it is not signed until a check finds none. */
  damage: string | null;
}

type LogRow = Omit<StoredLog, 'edge' | 'name'> & { edge: Buffer };

const COLUMNS = sql`log, epoch, origin, size, edge, checkpoint_size as "checkpointSize", checkpoint, continues, refusal,
  halted, halted_head as "haltedHead", damage`;

/** Locks the rows of logs until the transaction ends, in the order of their ids; creates missing ones. */
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
  return rows.map(toStoredLog);
}

/** New entries of a log: its new edge, and the tiles that have become full. */
export interface Growth {
  log: string;
  edge: LogEdge;
  full: Tile[];
}

/** Writes the new size and edge of logs, and the full tiles that are to be stored. */
export async function writeGrowth(tx: EntityManager, growths: readonly Growth[]): Promise<void> {
  await sql`
    update evidence_log l set size = grown.size, edge = grown.edge, appended_at = now()
    from unnest(${growths.map(({ log }) => log)}::uuid[], ${growths.map(({ edge }) => edge.tree.size)}::bigint[],
                ${growths.map(({ edge }) => encodeEdge(edge))}::bytea[]) as grown (log, size, edge)
    where l.log = grown.log
  `.execute(tx.getKysely());
  await insertTiles(
    tx,
    growths.flatMap(({ log, full }) => full.map((tile) => ({ ...tile, log }))),
  );
}

/** The current log; null: none. */
export async function findLog(em: EntityManager, log: string): Promise<StoredLog | null> {
  const { rows } = await sql<LogRow>`select ${COLUMNS} from evidence_log where log = ${log}`.execute(
    em.getKysely(),
  );
  return rows[0] ? toStoredLog(rows[0]) : null;
}

function toStoredLog({ edge, ...row }: LogRow): StoredLog {
  return { ...row, name: logName(row.log, row.epoch), edge: decodeEdge(row.size, edge) };
}

export async function listLogIds(em: EntityManager): Promise<string[]> {
  const rows = await evidenceTables(em).selectFrom('evidence_log').select('log').orderBy('log').execute();
  return rows.map(({ log }) => log);
}

/** Deletes the rows of a project's log, in the caller's transaction. */
export async function deleteLog(tx: EntityManager, log: string): Promise<void> {
  for (const table of ['evidence_log', 'evidence_past_log', 'evidence_tile', 'evidence_root_entry'] as const)
    await evidenceTables(tx).deleteFrom(table).where('log', '=', log).execute();
  await evidenceTables(tx).deleteFrom('evidence_leaf').where('projectId', '=', log).execute();
}

export interface LogState {
  epoch: number;
  /** Entries that the newest signed checkpoint covers. */
  size: number;
  signedAt: Date | null;
  /** Entries that an anchored checkpoint covers. */
  anchoredSize: number;
  refusal: string | null;
  /** The signed statement that is its first entry; null: it continues no other log. */
  continues: string | null;
}

/** null before the first record of the project is sequenced. */
export async function findLogState(em: EntityManager, log: string): Promise<LogState | null> {
  const row = await evidenceTables(em)
    .selectFrom('evidence_log')
    .select(['epoch', 'checkpointSize as size', 'signedAt', 'anchoredSize', 'refusal', 'continues'])
    .where('log', '=', log)
    .executeTakeFirst();
  return row ?? null;
}

/** A log that another log continues, with its last signed state. */
export interface PastLog extends SignedLog {
  anchored: Anchored | null;
  reason: string;
  endedAt: Date;
}

export async function findPastLog(em: EntityManager, log: string, epoch: number): Promise<PastLog | null> {
  const [past] = await listPastLogs(em, log, epoch);
  return past ?? null;
}

/** The logs that the current log continues, oldest first; or only that of an epoch. */
export async function listPastLogs(
  em: EntityManager,
  log: string,
  epoch: number | null = null,
): Promise<PastLog[]> {
  let query = evidenceTables(em)
    .selectFrom('evidence_past_log')
    .select(['log', 'epoch', 'origin', 'checkpointSize', 'checkpoint', 'continues', 'reason', 'endedAt'])
    .select(['anchoredSize', 'anchoredCheckpoint', 'rootIndex', 'rootEpoch'])
    .where('log', '=', log)
    .orderBy('epoch');
  if (epoch !== null) query = query.where('epoch', '=', epoch);
  const rows = await query.execute();
  return rows.map(({ anchoredSize, anchoredCheckpoint, rootIndex, rootEpoch, ...row }) => ({
    ...row,
    name: logName(row.log, row.epoch),
    anchored:
      anchoredCheckpoint !== null && rootIndex !== null
        ? { size: anchoredSize, checkpoint: anchoredCheckpoint, index: rootIndex, rootEpoch: rootEpoch ?? 1 }
        : null,
  }));
}

/** The state of sequencing and signing. */
interface EvidenceStatus {
  sequencedUntil: Date;
  logs: number;
  unsigned: number;
  refused: number;
}

export async function findStatus(em: EntityManager): Promise<EvidenceStatus> {
  const { rows } = await sql<EvidenceStatus>`
    select (select at from sequencer_cursor) as "sequencedUntil", count(*)::int as logs,
           (count(*) filter (where checkpoint_size < size))::int as unsigned, count(refusal)::int as refused
    from evidence_log
  `.execute(em.getKysely());
  const [status] = rows;
  if (!status) throw new Error('a count has one row');
  return status;
}

/** A log that is not signed, and why. */
interface RefusedLog {
  log: string;
  refusal: string;
  refusedAt: Date;
}

/** The logs that are not signed, those with the oldest refusal first. */
export async function listRefused(em: EntityManager, limit: number): Promise<RefusedLog[]> {
  const { rows } = await sql<RefusedLog>`
    select log, refusal, refused_at as "refusedAt" from evidence_log where refusal is not null
    order by refused_at limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** Age of the oldest record that is not sequenced, in seconds. */
export async function findLagSeconds(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ lagSeconds: number }>`
    select greatest(0, extract(epoch from now() - at))::float8 as "lagSeconds" from sequencer_cursor
  `.execute(em.getKysely());
  return rows[0]?.lagSeconds ?? 0;
}

/** Tiles that one statement inserts. Their parameters take four times their 8 KiB each while it runs. */
const INSERT_BATCH_MAX = 32;

/** Inserts full tiles that are not in the storage yet. */
async function insertTiles(tx: EntityManager, tiles: readonly (Tile & { log: string })[]): Promise<void> {
  for (let at = 0; at < tiles.length; at += INSERT_BATCH_MAX)
    await insertTileBatch(tx, tiles.slice(at, at + INSERT_BATCH_MAX));
}

async function insertTileBatch(tx: EntityManager, tiles: readonly (Tile & { log: string })[]): Promise<void> {
  await sql`
    insert into evidence_tile (log, level, index, width, bytes)
    select * from unnest(${tiles.map(({ log }) => log)}::uuid[], ${tiles.map(({ level }) => level)}::smallint[],
                         ${tiles.map(({ index }) => index)}::bigint[], ${tiles.map(({ width }) => width)}::smallint[],
                         ${tiles.map(({ bytes }) => bytes)}::bytea[])
  `.execute(tx.getKysely());
}

/** At most `limit` full tiles of a log that are not in the storage yet. */
export function listUnstoredTiles(em: EntityManager, log: string, limit: number): Promise<Tile[]> {
  return evidenceTables(em)
    .selectFrom('evidence_tile')
    .select(['level', 'index', 'width', 'bytes'])
    .where('log', '=', log)
    .orderBy('level')
    .orderBy('index')
    .limit(limit)
    .execute();
}

/** The bytes of a full tile that is not in the storage yet; null if there is no such tile. */
export async function findUnstoredTile(
  em: EntityManager,
  log: string,
  { level, index }: Pick<Tile, 'level' | 'index'>,
): Promise<Buffer | null> {
  const row = await evidenceTables(em)
    .selectFrom('evidence_tile')
    .select('bytes')
    .where('log', '=', log)
    .where('level', '=', level)
    .where('index', '=', index)
    .executeTakeFirst();
  return row?.bytes ?? null;
}

/** Deletes tiles that are in the storage now. */
export async function deleteTiles(em: EntityManager, log: string, tiles: readonly Tile[]): Promise<void> {
  await sql`
    delete from evidence_tile t
    using unnest(${tiles.map(({ level }) => level)}::smallint[], ${tiles.map(({ index }) => index)}::bigint[],
                 ${tiles.map(({ width }) => width)}::smallint[]) as stored (level, index, width)
    where t.log = ${log} and t.level = stored.level and t.index = stored.index and t.width = stored.width
  `.execute(em.getKysely());
}
