import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { openNote, type VerifierKey } from '../domain/signed-note.js';
import { readCheckpoint } from '../domain/checkpoint.js';
import { ENTRIES, entriesOf } from '../domain/log.js';
import { hashesAt, hashesOf, TILE_WIDTH, tileOf } from '../domain/tile.js';
import { append, EMPTY_EDGE, rootOf, type TreeEdge } from '../domain/tree-edge.js';
import { leafHash } from '../domain/tree-hash.js';
import { findLog } from '../infrastructure/log-rows.js';
import { DamagedLog, type LogStorage } from '../infrastructure/log-storage.js';

/** What a log is found to be. */
export interface LogCheck {
  log: string;
  /** Entries that were looked at: those that the newest signed checkpoint covers. */
  size: number;
  /** What is wrong, as a sentence; null: nothing. */
  wrong: string | null;
}

/** Reads a whole log from the storage and holds every entry, tile and the signed root against each other. */
export async function checkLog(
  em: EntityManager,
  storage: LogStorage,
  { log, keysOf }: { log: string; keysOf: (origin: string) => VerifierKey[] },
): Promise<LogCheck | null> {
  const found = await findLog(em, log);
  if (!found) return null;
  const { checkpointSize: size, checkpoint, origin, refusal } = found;
  if (checkpoint === null) return { log, size: 0, wrong: refusal };
  const text = openNote(checkpoint, keysOf(origin));
  const signed = text === null ? null : readCheckpoint(text);
  if (!signed || signed.size !== size)
    return {
      log,
      size,
      wrong: 'The checkpoint in the database bears no signature of a key in EVIDENCE_KEYS.',
    };
  try {
    const root = rootOf(await readTree(storage, log, size));
    return {
      log,
      size,
      wrong: root.equals(signed.root) ? refusal : 'The entries do not lead to the signed root.',
    };
  } catch (error) {
    if (error instanceof DamagedLog) return { log, size, wrong: error.message };
    throw error;
  }
}

/** The tree that the entries of the storage make. @throws DamagedLog where a tile is not what they say */
async function readTree(storage: LogStorage, log: string, size: number): Promise<TreeEdge> {
  let tree = EMPTY_EDGE;
  for (let at = 0; at < hashesAt(0, size); at += TILE_WIDTH) {
    const address = tileOf(0, at, size);
    const entries = entriesOf(await storage.readTile(log, { ...address, level: ENTRIES }));
    const { edge, tiles } = append(tree, entries.map(leafHash));
    for (const tile of tiles) {
      // Those at the edge of what was read so far are in the storage with more beside them.
      const stored = hashesOf(await storage.readTile(log, tileOf(tile.level, tile.index * TILE_WIDTH, size)));
      const made = hashesOf(tile.bytes);
      if (!made.every((hash, place) => stored[place]?.equals(hash)))
        throw new DamagedLog(`The tile ${tile.index} of level ${tile.level} is not that of its entries.`);
    }
    tree = edge;
  }
  return tree;
}

/** The logs that there are, in their order. */
export async function logIds(em: EntityManager): Promise<string[]> {
  const { rows } = await sql<{ log: string }>`select log from evidence_log order by log`.execute(
    em.getKysely(),
  );
  return rows.map(({ log }) => log);
}

/** How sealing goes. */
export interface SealingStatus {
  sealedUntil: Date;
  logs: number;
  unsigned: number;
  refused: { log: string; refusal: string; refusedAt: Date }[];
}

export async function sealingStatus(em: EntityManager, refusedMax: number): Promise<SealingStatus> {
  const kysely = em.getKysely();
  const { rows: refused } = await sql<SealingStatus['refused'][number]>`
    select log, refusal, refused_at as "refusedAt" from evidence_log where refusal is not null
    order by refused_at limit ${refusedMax}
  `.execute(kysely);
  const { rows } = await sql<Omit<SealingStatus, 'refused'>>`
    select (select at from evidence_mark) as "sealedUntil", count(*)::int as logs,
           (count(*) filter (where checkpoint_size < size))::int as unsigned from evidence_log
  `.execute(kysely);
  const [counted] = rows;
  if (!counted) throw new Error('a count has one row');
  return { ...counted, refused };
}
