import type { EntityManager } from '@mikro-orm/postgresql';
import { logName } from '../domain/log.js';
import type { Anchored } from './anchor.rows.js';
import { evidenceTables } from './evidence.tables.js';
import type { SignedLog } from './log.rows.js';

/** A log that another log continues, with its last signed state. */
export interface PastLog extends SignedLog {
  anchored: Anchored | null;
  reason: string;
  endedAt: Date;
}

/** The past log of an epoch; null: none. */
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
        ? {
            size: anchoredSize,
            checkpoint: anchoredCheckpoint,
            index: rootIndex,
            rootEpoch: rootEpoch ?? 1,
          }
        : null,
  }));
}
