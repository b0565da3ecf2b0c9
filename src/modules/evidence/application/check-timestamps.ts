import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { readCheckpoint } from '../domain/checkpoint.js';
import { logName, ROOT_LOG } from '../domain/log.js';
import { ProofBuilder } from '../domain/proof-builder.js';
import { openNote, parseVerifier, type VerifierKey } from '../domain/signed-note.js';
import { readTimestamp } from '../domain/timestamp.js';
import { listUsedKeys } from '../infrastructure/checkpoint.rows.js';
import { DamagedLog, type LogStorage } from '../infrastructure/log-storage.js';
import { listTimestamps, type StoredTimestamp } from '../infrastructure/timestamp.rows.js';

/** Result of checking the timestamps of the root log. */
export interface TimestampsCheck {
  count: number;
  /** The problem with the first damaged timestamp, as a sentence; null: there is none. */
  problem: string | null;
}

/**
 * Compares each timestamp in the storage with its row and its checkpoint, and the checkpoint with the log. The signature of
 * the timestamp is not verified: that requires a certificate that the reader trusts (docs/evidence.md).
 */
export async function checkTimestamps(em: EntityManager, storage: LogStorage): Promise<TimestampsCheck> {
  // The key of an old checkpoint may have been removed from EVIDENCE_KEYS.
  const keys = (await listUsedKeys(em)).map(({ verifier }) => parseVerifier(verifier));
  const timestamps = await listTimestamps(em);
  for (const timestamp of timestamps) {
    const problem = await findProblem(timestamp, storage, keys);
    if (problem !== null)
      return { count: timestamps.length, problem: `${timestamp.size} entries: ${problem}` };
  }
  return { count: timestamps.length, problem: null };
}

async function findProblem(
  { epoch, size, stampedAt }: StoredTimestamp,
  storage: LogStorage,
  keys: readonly VerifierKey[],
): Promise<string | null> {
  try {
    const note = await storage.readTimestampedCheckpoint({ epoch, size });
    const text = openNote(note, keys);
    const signed = text === null ? null : readCheckpoint(text);
    if (signed?.size !== size)
      return 'the stamped data is not a checkpoint of that size signed by a known key.';
    const builder = new ProofBuilder(size, (tile) => storage.readTile(logName(ROOT_LOG, epoch), tile));
    const root = await builder.computeRoot({ start: 0, end: size });
    if (!root.equals(signed.root)) return 'the log does not start with the stamped tree.';
    const response = await storage.readTimestamp({ epoch, size });
    const timestamp = readTimestamp(response, hash('sha256', note, 'buffer'));
    if (timestamp.kind === 'refused')
      return `the timestamp does not match its checkpoint: ${timestamp.detail}.`;
    return timestamp.at.getTime() === stampedAt.getTime() ? null : 'the timestamp has a different time.';
  } catch (error) {
    if (error instanceof DamagedLog) return error.message;
    throw error;
  }
}
