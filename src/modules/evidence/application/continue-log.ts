import type { EntityManager } from '@mikro-orm/postgresql';
import { OperatorError } from '../../../platform/operations/operator-command.js';
import { type Checkpoint, readCheckpoint } from '../domain/checkpoint.js';
import { logName } from '../domain/log.js';
import { openNote, parseVerifier, type VerifierKey } from '../domain/signed-note.js';
import { listUsedKeys } from '../infrastructure/checkpoint.rows.js';
import { haltLog, lockLog, restoreHalt } from '../infrastructure/continuation.rows.js';
import { findCursor } from '../infrastructure/cursor.rows.js';
import type { HeadCopies, LogStorage } from '../infrastructure/log-storage.js';
import { findLog, listPastLogs, type StoredLog } from '../infrastructure/log.rows.js';
import { replaceLog } from './begin-log.js';
import type { LogSigner } from './log-signer.js';

const HALTED = 'Another operator is continuing this log.';

export interface Continuing {
  em: EntityManager;
  storage: LogStorage;
  heads: HeadCopies;
  signer: LogSigner;
}

/** The new log, and the last known state of the former one; null: none is known. */
export interface Continued {
  origin: string;
  former: { origin: string; size: number } | null;
}

/** A known checkpoint, with its signed note. */
type Head = Checkpoint & { note: string };

/**
 * Ends a log that can never be signed again and starts the one that continues it. Its first entry is a signed statement of
 * the last known state of the former log. Entries that the former log has signed in this database stay there; all other
 * stored records are sequenced again. `head` is a signed checkpoint from elsewhere, for example from a receiver.
 * Checkpoints of a lost key count: its public key is stored.
 * @throws OperatorError if there is nothing to continue, or `head` is not from this log
 */
export async function continueLog(
  continuing: Continuing,
  { log, reason, head }: { log: string; reason: string; head: string | null },
): Promise<Continued> {
  const { em, signer } = continuing;
  const found = await findLog(em.fork(), log);
  if (!found) throw new OperatorError(`${log}: this log has no entries.`);
  const usedKeys = (await listUsedKeys(em.fork())).map(({ verifier }) => parseVerifier(verifier));
  const open = (note: string): Head | null => openHead(note, found.origin, { signer, usedKeys });
  if (head !== null && !open(head))
    throw new OperatorError(
      `${log}: the given checkpoint is not a checkpoint of ${found.origin} with a known signature.`,
    );
  // From now on no worker publishes a checkpoint of it, even one that has already read its rows.
  await em.fork().transactional((tx) => haltLog(tx, log, HALTED));
  try {
    return await replaceHalted(continuing, found, { reason, head, open });
  } catch (error) {
    await restoreHalt(em.fork(), found);
    throw error;
  }
}

async function replaceHalted(
  { em, storage, heads, signer }: Continuing,
  found: StoredLog,
  { reason, head, open }: { reason: string; head: string | null; open: (note: string) => Head | null },
): Promise<Continued> {
  const { log, name, checkpoint, haltedHead } = found;
  const notes = [checkpoint, haltedHead, head, await storage.readCheckpoint(name), await heads.read(name)];
  const last = largest(notes.flatMap((note) => (note === null ? [] : (open(note) ?? []))));
  if (!last && found.refusal === null && found.halted === null)
    throw new OperatorError(`${log}: never signed, so there is nothing to continue.`);
  const past = (await listPastLogs(em.fork(), log)).at(-1);
  const before = past?.checkpoint ? readCheckpoint(past.checkpoint) : null;
  const epoch = await nextEpoch(em, found, { storage, heads });
  return em.fork().transactional(async (tx) => {
    const former = await lockLog(tx, log);
    if (former?.epoch !== found.epoch) throw new OperatorError(`${log}: another operator has continued it.`);
    const next = { signer, epoch, reason, head: last ?? before, note: last?.note ?? null };
    const started = await replaceLog(tx, former, next);
    return { origin: started.origin, former: last ?? before ?? null };
  });
}

/** The checkpoint of a log in a note that this service has signed, with a current or a former key. */
function openHead(
  note: string,
  origin: string,
  { signer, usedKeys }: { signer: LogSigner; usedKeys: readonly VerifierKey[] },
): Head | null {
  const text = openNote(note, usedKeys);
  const checkpoint = signer.open(note, origin) ?? (text === null ? null : readCheckpoint(text));
  return checkpoint?.origin === origin && checkpoint.size > 0 ? { ...checkpoint, note } : null;
}

const largest = (heads: readonly Head[]): Head | null =>
  heads.toSorted((one, other) => other.size - one.size)[0] ?? null;

/** The epoch of the new log: larger than that of every known checkpoint, and not one of the original of a copy. */
async function nextEpoch(
  em: EntityManager,
  { log, epoch }: StoredLog,
  { storage, heads }: Pick<Continuing, 'storage' | 'heads'>,
): Promise<number> {
  const { logEpoch } = await findCursor(em.fork());
  let next = Math.max(epoch + 1, logEpoch);
  const isTaken = async (name: string): Promise<boolean> =>
    (await storage.readCheckpoint(name)) !== null || (await heads.read(name)) !== null;
  while (await isTaken(logName(log, next))) next += 1;
  return next;
}
