import type { EntityManager } from '@mikro-orm/postgresql';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { appendEntries, EMPTY_LOG_EDGE, type LogEdge, logName, ROOT_LOG } from '../domain/log.js';
import { continuationEntry, continuationText } from '../domain/checkpoint.js';
import { EMPTY_ROOT } from '../domain/tree-hash.js';
import { CHECKPOINT_DUE, requestCheckpoints } from '../evidence.events.js';
import { requestBackfill } from '../infrastructure/cursor.rows.js';
import { endLog, startNextLog } from '../infrastructure/continuation.rows.js';
import { lockLogs, type StoredLog } from '../infrastructure/log.rows.js';
import type { LogSigner } from './log-signer.js';

/** Reason in the statement of a log that is created in a copy of the data folder. */
export const NO_FORMER_HEAD =
  'The data folder is a copy, and its database has no checkpoint of a log before this one.';

/** The last known checkpoint of a former log. */
export interface FormerHead {
  origin: string;
  size: number;
  root: Buffer;
}

/** Locks logs to append to, and creates missing ones: in a copy of a data folder with its number and a statement. */
export async function lockGrowingLogs(
  tx: EntityManager,
  logs: readonly string[],
  { signer, logEpoch }: { signer: LogSigner; logEpoch: number },
): Promise<StoredLog[]> {
  const locked = await lockLogs(
    tx,
    logs.map((log) => ({ log, origin: signer.logOrigin(log) })),
  );
  if (logEpoch === 1) return locked;
  const ready: StoredLog[] = [];
  for (const log of locked) {
    const isNew = log.size === 0 && log.epoch === 1 && log.checkpoint === null && log.halted === null;
    ready.push(isNew ? { ...log, ...(await startLog(tx, { log: log.log, epoch: logEpoch }, signer)) } : log);
  }
  return ready;
}

/** Ends a log and starts the next one in its place, whose records are sequenced again. */
export async function replaceLog(
  tx: EntityManager,
  former: StoredLog,
  {
    signer,
    note,
    ...next
  }: { signer: LogSigner; epoch: number; reason: string; head: FormerHead | null; note: string | null },
): Promise<{ origin: string }> {
  const { log } = former;
  await endLog(tx, former, { reason: next.reason, note });
  const started = await startLog(tx, { log, ...next }, signer);
  if (log !== ROOT_LOG) await requestBackfill(tx, [log]);
  const outbox = OutboxService.appendOnly(tx, { topics: [CHECKPOINT_DUE] });
  await requestCheckpoints(tx, outbox, [{ log, size: started.size, checkpointSize: 0 }]);
  return started;
}

/** Makes the row of a log that of the next log. `head` is null if no checkpoint of a former log is known. */
async function startLog(
  tx: EntityManager,
  {
    log,
    epoch,
    reason = NO_FORMER_HEAD,
    head = null,
  }: { log: string; epoch: number; reason?: string; head?: FormerHead | null },
  signer: LogSigner,
): Promise<{ epoch: number; name: string; origin: string; continues: string; size: number; edge: LogEdge }> {
  const name = logName(log, epoch);
  const origin = signer.logOrigin(name);
  const former = head ?? { origin: signer.logOrigin(log), size: 0, root: EMPTY_ROOT };
  const text = continuationText({
    origin,
    reason,
    at: new Date(),
    formerOrigin: former.origin,
    formerSize: former.size,
    formerRoot: former.root,
  });
  const continues = signer.signText(text, origin);
  const { edge } = appendEntries(EMPTY_LOG_EDGE, [continuationEntry(continues)]);
  await startNextLog(tx, { log, epoch, origin, continues, edge });
  return { epoch, name, origin, continues, size: edge.tree.size, edge };
}
