import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { decodeEdge, encodeEdge, type LogEdge, logName } from '../domain/log.js';
import type { Tile } from '../domain/tile.js';
import { evidenceTables } from './evidence.tables.js';
import { insertTiles } from './tile.rows.js';

/** The signed state of a log. */
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

/** The ids of all logs, in order. */
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

/** The state of a log, for members. */
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
