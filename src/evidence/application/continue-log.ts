import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../outbox/outbox.service.js';
import { OperatorError } from '../../shared/operator-command.js';
import { appendEntries } from '../domain/append-entries.js';
import type { Checkpoint } from '../domain/checkpoint.js';
import { continuationEntry, continuationText } from '../domain/continuation.js';
import { EMPTY_LOG_EDGE, logName, ROOT_LOG } from '../domain/log.js';
import { CHECKPOINT_DUE, logMessage } from '../evidence.events.js';
import { requestBackfill } from '../infrastructure/backfill.rows.js';
import type { HeadCopies } from '../infrastructure/head-copies.js';
import { startNextLog, endLog, haltLog, lockLog } from '../infrastructure/continuation.rows.js';
import { findLog, type StoredLog } from '../infrastructure/log.rows.js';
import type { LogStorage } from '../infrastructure/log-storage.js';
import type { LogSigner } from './log-signer.js';

const HALTED = 'Another operator is continuing this log.';

/** What continuing a log reads and signs with. */
export interface Continuing {
  em: EntityManager;
  storage: LogStorage;
  heads: HeadCopies;
  signer: LogSigner;
}

/** The new log, and the last known state of the former one. */
export interface Continued {
  origin: string;
  former: { origin: string; size: number };
}

/**
 * Ends a log that can never be signed again and starts the one that continues it. Its first entry is a signed statement of
 * the last known state of the former log. Entries that the former log has signed in this database stay there; all other
 * stored records are sequenced again. `head` is a signed checkpoint from elsewhere, for example from a receiver.
 * @throws OperatorError if there is nothing to continue, or `head` is not from this log
 */
export async function continueLog(
  { em, storage, heads, signer }: Continuing,
  { log, reason, head }: { log: string; reason: string; head: string | null },
): Promise<Continued> {
  const found = await findLog(em.fork(), log);
  if (!found) throw new OperatorError(`${log}: this log has no entries.`);
  if (head !== null && signer.open(head, found.origin)?.origin !== found.origin)
    throw new OperatorError(
      `${log}: the given checkpoint is not a checkpoint of ${found.origin} with a known signature.`,
    );
  // From now on no worker publishes a checkpoint of it, even with rows that it read before.
  await em.fork().transactional((tx) => haltLog(tx, log, HALTED));
  const notes = [
    found.checkpoint,
    found.haltedHead,
    head,
    await storage.readCheckpoint(found.name),
    await heads.read(found.name),
  ];
  const last = lastKnown(notes, found.origin, signer);
  if (!last) {
    await em.fork().transactional((tx) => haltLog(tx, log, found.halted));
    throw new OperatorError(`${log}: never signed, so there is nothing to continue.`);
  }
  const epoch = await nextEpoch(found, { storage, heads });
  const origin = signer.logOrigin(logName(log, epoch));
  const text = continuationText({
    ...{ origin, reason, at: new Date() },
    ...{ formerOrigin: last.origin, formerSize: last.size, formerRoot: last.root },
  });
  await em.fork().transactional(async (tx) => {
    const former = await lockLog(tx, log);
    if (former?.epoch !== found.epoch) throw new OperatorError(`${log}: another operator has continued it.`);
    await endLog(tx, former, { reason, last });
    const continues = signer.signText(text, origin);
    const { edge } = appendEntries(EMPTY_LOG_EDGE, [continuationEntry(continues)]);
    await startNextLog(tx, { log, epoch, origin, continues, edge });
    if (log !== ROOT_LOG) await requestBackfill(tx, [log]);
    const outbox = OutboxService.appendOnly(tx, { topics: [CHECKPOINT_DUE] });
    await outbox.append(tx, logMessage(CHECKPOINT_DUE, log));
  });
  return { origin, former: last };
}

/** The largest known checkpoint of a log; null if there is none. */
function lastKnown(
  notes: readonly (string | null)[],
  origin: string,
  signer: LogSigner,
): (Checkpoint & { note: string }) | null {
  const known = notes.flatMap((note) => {
    const checkpoint = note === null ? null : signer.open(note, origin);
    return note !== null && checkpoint?.origin === origin && checkpoint.size > 0
      ? [{ ...checkpoint, note }]
      : [];
  });
  return known.toSorted((one, other) => other.size - one.size)[0] ?? null;
}

/** The epoch of the new log: larger than that of every known checkpoint. */
async function nextEpoch(
  { log, epoch }: StoredLog,
  { storage, heads }: Pick<Continuing, 'storage' | 'heads'>,
): Promise<number> {
  let next = epoch + 1;
  const isTaken = async (name: string): Promise<boolean> =>
    (await storage.readCheckpoint(name)) !== null || (await heads.read(name)) !== null;
  while (await isTaken(logName(log, next))) next += 1;
  return next;
}
