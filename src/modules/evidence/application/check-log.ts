import type { EntityManager } from '@mikro-orm/postgresql';
import { type Checkpoint, readCheckpoint } from '../domain/checkpoint.js';
import { ENTRIES, decodeBundle } from '../domain/log.js';
import { hashesAt, splitHashes, TILE_WIDTH, tileAddress } from '../domain/tile.js';
import { openNote, parseVerifier } from '../domain/signed-note.js';
import { append, EMPTY_RANGE, computeRoot, type CompactRange } from '../domain/compact-range.js';
import { leafHash } from '../domain/tree-hash.js';
import { listUsedKeys } from '../infrastructure/checkpoint.rows.js';
import {
  findLog,
  listPastLogs,
  type PastLog,
  type SignedLog,
  type StoredLog,
} from '../infrastructure/log.rows.js';
import { DamagedLog, type LogStorage } from '../infrastructure/log-storage.js';
import type { LogSigner } from './log-signer.js';

/** The result of reading a log. */
export interface LogCheck {
  /** Name of the log: its id, and from the second log on `/<number>`. */
  name: string;
  /** Entries that were read, which the newest signed checkpoint covers. */
  size: number;
  /** The problem, as a sentence; null: there is none. */
  problem: string | null;
  /** Whether all entries and tiles hash to the signed root, so records can be compared with it. */
  isWhole: boolean;
  /** Whether the storage contradicts the signed root. A checkpoint of an unknown key says nothing about the storage. */
  isDamaged: boolean;
}

const WHOLE = { isWhole: true, isDamaged: false } as const;

export interface CheckTools {
  em: EntityManager;
  storage: LogStorage;
  signer: LogSigner;
}

/** Checks a log and the logs that it continues, oldest first; none if the project has no log. */
export async function checkLogs(tools: CheckTools, log: string): Promise<LogCheck[]> {
  const newest = await findLog(tools.em, log);
  if (!newest) return [];
  const checks: LogCheck[] = [];
  for (const past of await listPastLogs(tools.em, log)) checks.push(await checkPast(tools, past));
  return [...checks, await checkNewest(tools, newest)];
}

async function checkNewest(tools: CheckTools, log: StoredLog): Promise<LogCheck> {
  const { name, checkpoint, refusal } = log;
  if (checkpoint === null) return { name, size: 0, problem: refusal, ...WHOLE };
  const check = await checkSigned(tools, log, openNewest(tools, log));
  return { ...check, problem: check.problem ?? refusal };
}

async function checkPast(tools: CheckTools, past: PastLog): Promise<LogCheck> {
  const { name, checkpointSize } = past;
  if (checkpointSize === 0) return { name, size: 0, problem: null, ...WHOLE };
  return checkSigned(tools, past, await openPast(tools, past));
}

/** The newest checkpoint of the current log; null if no key in EVIDENCE_KEYS has signed it. */
export function openNewest({ signer }: CheckTools, log: StoredLog): Checkpoint | null {
  return matching(log.checkpoint === null ? null : signer.open(log.checkpoint, log.origin), log);
}

/**
 * The last checkpoint of a past log; null if no key of this service has signed it. The key may have been removed from
 * EVIDENCE_KEYS since, because a past log is not signed again.
 */
export async function openPast({ em }: CheckTools, past: PastLog): Promise<Checkpoint | null> {
  const keys = (await listUsedKeys(em)).map(({ verifier }) => parseVerifier(verifier));
  const text = past.checkpoint === null ? null : openNote(past.checkpoint, keys);
  return matching(text === null ? null : readCheckpoint(text), past);
}

/** The checkpoint if it matches the row. */
function matching(signed: Checkpoint | null, { origin, checkpointSize }: SignedLog): Checkpoint | null {
  return signed?.size === checkpointSize && signed.origin === origin ? signed : null;
}

/** Reads all entries and tiles that a signed checkpoint covers, and compares them with each other and the signed root. */
async function checkSigned(
  { storage }: CheckTools,
  { name, checkpointSize: size }: SignedLog,
  signed: Checkpoint | null,
): Promise<LogCheck> {
  const damaged = (problem: string): LogCheck => ({ name, size, problem, isWhole: false, isDamaged: true });
  if (!signed)
    return { ...damaged('The checkpoint in the database is not signed by a known key.'), isDamaged: false };
  try {
    const root = computeRoot(await readTree(storage, name, size));
    if (!root.equals(signed.root)) return damaged('The entries do not hash to the signed root.');
    return { name, size, problem: null, ...WHOLE };
  } catch (error) {
    if (error instanceof DamagedLog) return damaged(error.message);
    throw error;
  }
}

/** Builds the tree from the entries in the storage. @throws DamagedLog if a tile does not match them */
async function readTree(storage: LogStorage, name: string, size: number): Promise<CompactRange> {
  let tree = EMPTY_RANGE;
  for (let at = 0; at < hashesAt(0, size); at += TILE_WIDTH) {
    const address = tileAddress(0, at, size);
    const entries = decodeBundle(await storage.readTile(name, { ...address, level: ENTRIES }));
    const { range, tiles } = append(tree, entries.map(leafHash));
    for (const tile of tiles) {
      // A tile that is partial so far may be in the storage with more hashes.
      const stored = splitHashes(
        await storage.readTile(name, tileAddress(tile.level, tile.index * TILE_WIDTH, size)),
      );
      const expected = splitHashes(tile.bytes);
      if (!expected.every((hash, index) => stored[index]?.equals(hash)))
        throw new DamagedLog(`Tile ${tile.index} of level ${tile.level} does not match its entries.`);
    }
    tree = range;
  }
  return tree;
}
