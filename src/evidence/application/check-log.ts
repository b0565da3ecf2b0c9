import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Checkpoint, readCheckpoint } from '../domain/checkpoint.js';
import { ENTRIES, entriesOf } from '../domain/log.js';
import { hashesAt, hashesOf, TILE_WIDTH, tileOf } from '../domain/tile.js';
import { openNote, verifierOf } from '../domain/signed-note.js';
import { append, EMPTY_EDGE, rootOf, type TreeEdge } from '../domain/tree-edge.js';
import { leafHash } from '../domain/tree-hash.js';
import {
  findLog,
  findVerifiers,
  listPastLogs,
  type PastLog,
  type SignedLog,
  type StoredLog,
} from '../infrastructure/log-rows.js';
import { DamagedLog, type LogStorage } from '../infrastructure/log-storage.js';
import type { LogSigner } from './log-signer.js';

/** The result of reading a log. */
export interface LogCheck {
  /** Name of the log: its id, and from the second log on `/<number>`. */
  name: string;
  /** Entries that were read: those that the newest signed checkpoint covers. */
  size: number;
  /** What is wrong, as a sentence; null: nothing. */
  wrong: string | null;
  /** Whether everything read leads to the signed root, so that records can be compared with it. */
  isWhole: boolean;
}

/** What a check reads with. */
export interface CheckTools {
  em: EntityManager;
  storage: LogStorage;
  signer: LogSigner;
}

/** Checks a log and the logs that it continues, oldest first; none where nothing was sealed. */
export async function checkLogs(tools: CheckTools, log: string): Promise<LogCheck[]> {
  const newest = await findLog(tools.em, log);
  if (!newest) return [];
  const checks: LogCheck[] = [];
  for (const past of await listPastLogs(tools.em, log)) checks.push(await checkPast(tools, past));
  return [...checks, await checkNewest(tools, newest)];
}

async function checkNewest(tools: CheckTools, log: StoredLog): Promise<LogCheck> {
  const { name, checkpoint, refusal } = log;
  if (checkpoint === null) return { name, size: 0, wrong: refusal, isWhole: true };
  const check = await checkSigned(tools, log, openNewest(tools, log));
  return { ...check, wrong: check.wrong ?? refusal };
}

async function checkPast(tools: CheckTools, past: PastLog): Promise<LogCheck> {
  const { name, checkpointSize } = past;
  if (checkpointSize === 0) return { name, size: 0, wrong: null, isWhole: true };
  return checkSigned(tools, past, await openPast(tools, past));
}

/** The newest checkpoint of a log that is still signed; null where no key in EVIDENCE_KEYS has signed it. */
export function openNewest({ signer }: CheckTools, log: StoredLog): Checkpoint | null {
  return matching(log.checkpoint === null ? null : signer.open(log.checkpoint, log.origin), log);
}

/**
 * The last checkpoint of an ended log; null where no key that has signed here has signed it. That key may have been removed
 * from EVIDENCE_KEYS since: an ended log is not signed again.
 */
export async function openPast({ em }: CheckTools, past: PastLog): Promise<Checkpoint | null> {
  const keys = (await findVerifiers(em)).map(({ verifier }) => verifierOf(verifier));
  const text = past.checkpoint === null ? null : openNote(past.checkpoint, keys);
  return matching(text === null ? null : readCheckpoint(text), past);
}

/** The checkpoint where it is the one that the row names. */
function matching(signed: Checkpoint | null, { origin, checkpointSize }: SignedLog): Checkpoint | null {
  return signed?.size === checkpointSize && signed.origin === origin ? signed : null;
}

/** Reads every entry and tile below a signed checkpoint, and compares them with each other and with the signed root. */
async function checkSigned(
  { storage }: CheckTools,
  { name, checkpointSize: size }: SignedLog,
  signed: Checkpoint | null,
): Promise<LogCheck> {
  const damaged = (wrong: string): LogCheck => ({ name, size, wrong, isWhole: false });
  if (!signed) return damaged('The checkpoint in the database is not signed by a known key.');
  try {
    const root = rootOf(await readTree(storage, name, size));
    if (!root.equals(signed.root)) return damaged('The entries do not hash to the signed root.');
    return { name, size, wrong: null, isWhole: true };
  } catch (error) {
    if (error instanceof DamagedLog) return damaged(error.message);
    throw error;
  }
}

/** The tree that the entries of the storage make. @throws DamagedLog where a tile is not what they say */
async function readTree(storage: LogStorage, name: string, size: number): Promise<TreeEdge> {
  let tree = EMPTY_EDGE;
  for (let at = 0; at < hashesAt(0, size); at += TILE_WIDTH) {
    const address = tileOf(0, at, size);
    const entries = entriesOf(await storage.readTile(name, { ...address, level: ENTRIES }));
    const { edge, tiles } = append(tree, entries.map(leafHash));
    for (const tile of tiles) {
      // Those at the edge of what was read so far are in the storage with more beside them.
      const stored = hashesOf(
        await storage.readTile(name, tileOf(tile.level, tile.index * TILE_WIDTH, size)),
      );
      const made = hashesOf(tile.bytes);
      if (!made.every((hash, place) => stored[place]?.equals(hash)))
        throw new DamagedLog(`Tile ${tile.index} of level ${tile.level} does not match its entries.`);
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
    select (select at from sequencer_cursor) as "sealedUntil", count(*)::int as logs,
           (count(*) filter (where checkpoint_size < size))::int as unsigned from evidence_log
  `.execute(kysely);
  const [counted] = rows;
  if (!counted) throw new Error('a count has one row');
  return { ...counted, refused };
}
