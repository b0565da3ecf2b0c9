import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { encodeEdge, type LogEdge, ROOT_LOG } from '../domain/log.js';
import { findLog, type StoredLog } from './log.rows.js';

/**
 * No checkpoint is known of the log, nor of one that it continues, whose size is the fourth line of
 * the statement.
 */
const IS_NEVER_SIGNED = sql`checkpoint is null and (continues is null or split_part(continues, chr(10), 4) = '0')`;

/** Halts a log: it is not signed, even if the storage is complete. null: allows signing again. */
export async function haltLog(tx: EntityManager, log: string, sentence: string | null): Promise<void> {
  await sql`
    update evidence_log set halted = ${sentence}::text,
      refusal = coalesce(${sentence}::text, refusal), refused_at = coalesce(refused_at, now())
    where log = ${log}
  `.execute(tx.getKysely());
}

/** Undoes `haltLog` for a log as it was found before. Does nothing if it was continued in the meantime. */
export async function restoreHalt(
  em: EntityManager,
  { log, epoch, halted, refusal }: StoredLog,
): Promise<void> {
  await sql`
    update evidence_log set halted = ${halted}::text, refusal = ${refusal}::text,
      refused_at = case when ${refusal}::text is null then null else refused_at end
    where log = ${log} and epoch = ${epoch}
  `.execute(em.getKysely());
}

/** Halts every log that was signed, because the database is a copy. Returns their number. */
export async function haltSignedLogs(tx: EntityManager, sentence: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update evidence_log set halted = ${sentence}, refusal = ${sentence}, refused_at = coalesce(refused_at, now())
    where not (${IS_NEVER_SIGNED}) and halted is null
  `.execute(tx.getKysely());
  return Number(numAffectedRows ?? 0);
}

/** Locks the logs that have entries, and of which no checkpoint is known. */
export async function lockUnsigned(tx: EntityManager): Promise<StoredLog[]> {
  const { rows } = await sql<{ log: string }>`
    select log from evidence_log where ${IS_NEVER_SIGNED} and halted is null and size > 0
    order by log for update
  `.execute(tx.getKysely());
  const logs = await Promise.all(rows.map(({ log }) => findLog(tx, log)));
  return logs.filter((log) => log !== null);
}

/** Logs that must not be signed, at most `limit`. */
export async function listHalted(em: EntityManager, limit: number): Promise<string[]> {
  const { rows } = await sql<{ log: string }>`
    select log from evidence_log where refusal is not null or halted is not null order by log limit ${limit}
  `.execute(em.getKysely());
  return rows.map(({ log }) => log);
}

/** Locks a log and the sequencer's cursor until the transaction ends; null without a log. */
export async function lockLog(tx: EntityManager, log: string): Promise<StoredLog | null> {
  const kysely = tx.getKysely();
  await sql`select from sequencer_cursor for update`.execute(kysely);
  await sql`select from evidence_log where log = ${log} for update`.execute(kysely);
  return findLog(tx, log);
}

/**
 * Moves a log to the past logs, with its last signed state in this database; unless it was never signed. Later leaves are
 * deleted, so that their records and entries are sequenced again. For the root log, all anchors are deleted too.
 */
export async function endLog(
  tx: EntityManager,
  { log, epoch, checkpoint, checkpointSize }: StoredLog,
  { reason, note }: { reason: string; note: string | null },
): Promise<void> {
  const kysely = tx.getKysely();
  if (checkpoint !== null || note !== null)
    await sql`
      insert into evidence_past_log (log, epoch, origin, checkpoint_size, checkpoint, continues, anchored_size,
        anchored_checkpoint, root_index, root_epoch, reason)
      select log, epoch, origin, checkpoint_size, coalesce(checkpoint, ${note}), continues, anchored_size,
             anchored_checkpoint, root_index, (select r.epoch from evidence_log r where r.log = ${ROOT_LOG}), ${reason}
      from evidence_log where log = ${log}
    `.execute(kysely);
  await sql`delete from evidence_tile where log = ${log}`.execute(kysely);
  await sql`
    delete from evidence_leaf where project_id = ${log} and epoch = ${epoch} and leaf_index >= ${checkpointSize}
  `.execute(kysely);
  await sql`
    update evidence_entry set epoch = null, leaf_index = null
    where project_id = ${log} and epoch = ${epoch} and leaf_index >= ${checkpointSize}
  `.execute(kysely);
  if (log !== ROOT_LOG) {
    await sql`delete from evidence_root_entry where log = ${log}`.execute(kysely);
    return;
  }
  await sql`delete from evidence_root_entry`.execute(kysely);
  await sql`
    update evidence_log set anchored_size = 0, anchored_checkpoint = null, root_index = null where log <> ${ROOT_LOG}
  `.execute(kysely);
}

/** Starts the log that continues a past one, with its first entry. */
export async function startNextLog(
  tx: EntityManager,
  next: { log: string; epoch: number; origin: string; continues: string; edge: LogEdge },
): Promise<void> {
  const { log, epoch, origin, continues, edge } = next;
  await sql`
    update evidence_log set epoch = ${epoch}, origin = ${origin}, continues = ${continues},
      size = ${edge.tree.size}, edge = ${encodeEdge(edge)}, appended_at = now(), requested_at = null,
      checkpoint_size = 0, checkpoint = null, signed_at = null,
      anchored_size = 0, anchored_checkpoint = null, root_index = null,
      refusal = null, refused_at = null, halted = null, halted_head = null, problem = null, damage = null
    where log = ${log}
  `.execute(tx.getKysely());
}
