import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { readCheckpoint } from '../domain/checkpoint.js';
import { logName, ROOT_LOG } from '../domain/log.js';
import { openNote, type VerifierKey, verifierOf } from '../domain/signed-note.js';
import { TreeReader } from '../domain/tile-reader.js';
import { readTimeStamp } from '../domain/time-stamp.js';
import { findVerifiers } from '../infrastructure/log-rows.js';
import { DamagedLog, type LogStorage } from '../infrastructure/log-storage.js';
import { listStamps, type Stamp } from '../infrastructure/stamp-rows.js';

/** What the time-stamps of the log of all projects are found to be. */
export interface StampsCheck {
  count: number;
  /** What is wrong with the first that is not as it was given, as a sentence; null: nothing. */
  wrong: string | null;
}

/**
 * Holds each time-stamp in the storage against its row, the checkpoint that it is of, and that against the log. Who gave
 * it is not looked at: that takes a certificate that the reader trusts (docs/evidence.md).
 */
export async function checkStamps(em: EntityManager, storage: LogStorage): Promise<StampsCheck> {
  // An old stamp is of a checkpoint whose key may have been taken out of EVIDENCE_KEYS since.
  const keys = (await findVerifiers(em)).map(({ verifier }) => verifierOf(verifier));
  const stamps = await listStamps(em);
  for (const stamp of stamps) {
    const wrong = await wrongWith(stamp, storage, keys);
    if (wrong !== null) return { count: stamps.length, wrong: `${stamp.size} entries: ${wrong}` };
  }
  return { count: stamps.length, wrong: null };
}

async function wrongWith(
  { epoch, size, stampedAt }: Stamp,
  storage: LogStorage,
  keys: readonly VerifierKey[],
): Promise<string | null> {
  try {
    const note = await storage.readStamped({ epoch, size });
    const text = openNote(note, keys);
    const signed = text === null ? null : readCheckpoint(text);
    if (signed?.size !== size)
      return 'the stamped data is not a checkpoint of that size signed by a known key.';
    const root = await new TreeReader(size, (tile) =>
      storage.readTile(logName(ROOT_LOG, epoch), tile),
    ).rootOf({
      start: 0,
      end: size,
    });
    if (!root.equals(signed.root)) return 'the log does not start with the stamped tree.';
    const stamp = readTimeStamp(await storage.readStamp({ epoch, size }), hash('sha256', note, 'buffer'));
    if (stamp.kind === 'refused') return `the timestamp does not match its checkpoint: ${stamp.detail}.`;
    return stamp.at.getTime() === stampedAt.getTime() ? null : 'the timestamp has a different time.';
  } catch (error) {
    if (error instanceof DamagedLog) return error.message;
    throw error;
  }
}
