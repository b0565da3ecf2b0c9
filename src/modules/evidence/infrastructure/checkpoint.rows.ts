import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { evidenceTables } from './evidence.tables.js';

/** A log whose checkpoint has not been signed this long after it was requested is requested again. */
const REQUEST_AGAIN = '10 minutes';
/** A log that was requested within this time has a queued message or has just been signed. */
const RECENTLY_REQUESTED = '6 hours';

/**
 * Marks logs as requested whose last checkpoint covered all entries, or whose last request may be lost. The others have a
 * queued message. Returns the logs that were marked.
 */
export async function markRequested(
  tx: EntityManager,
  logs: readonly { log: string; size: number; checkpointSize: number }[],
): Promise<string[]> {
  const idle = logs.filter(({ size, checkpointSize }) => size === checkpointSize);
  const { rows } = await sql<{ log: string }>`
    update evidence_log set requested_at = now()
    where log = any(${logs.map(({ log }) => log)}::uuid[])
      and (requested_at is null or requested_at < now() - ${REQUEST_AGAIN}::interval
           or log = any(${idle.map(({ log }) => log)}::uuid[]))
    returning log
  `.execute(tx.getKysely());
  return rows.map(({ log }) => log);
}

/** A log with a signed checkpoint. */
export interface CheckpointedLog {
  log: string;
  origin: string;
  size: number;
  checkpointSize: number;
  checkpoint: string;
  /** Whether a checkpoint may be requested: the log is not refused, and none was requested recently. */
  isDue: boolean;
}

/** A page of the logs with a signed checkpoint, by id. */
export async function listCheckpointed(
  em: EntityManager,
  { after, limit }: { after: string | null; limit: number },
): Promise<CheckpointedLog[]> {
  const { rows } = await sql<CheckpointedLog>`
    select log, origin, size, checkpoint_size as "checkpointSize", checkpoint,
           refusal is null and (requested_at is null or requested_at < now() - ${RECENTLY_REQUESTED}::interval) as "isDue"
    from evidence_log where checkpoint is not null and (${after}::uuid is null or log > ${after}::uuid)
    order by log limit ${limit}
  `.execute(em.getKysely());
  return rows;
}

/** A checkpoint that was signed and stored. */
export interface SignedCheckpoint {
  log: string;
  epoch: number;
  size: number;
  note: string;
  /** The checkpoint that the signer found, which another key may have signed at the same size. */
  former: string | null;
}

/**
 * Writes a checkpoint that is larger than the log's, or replaces the one that the signer found at the same size. A slow
 * signer replaces no newer checkpoint. Returns the log's current size; null if the log was deleted.
 */
export async function writeCheckpoint(
  tx: EntityManager,
  { log, epoch, size, note, former }: SignedCheckpoint,
): Promise<number | null> {
  // An operator may have continued the log with another one in the meantime.
  const isCurrent = sql`epoch = ${epoch} and halted is null`;
  const isNew = sql`${isCurrent} and (
    checkpoint_size < ${size} or (checkpoint_size = ${size} and checkpoint = ${former} and checkpoint <> ${note})
  )`;
  const { rows } = await sql<{ size: number }>`
    update evidence_log
    set checkpoint_size = case when ${isCurrent} then greatest(checkpoint_size, ${size}) else checkpoint_size end,
        checkpoint = case when ${isNew} then ${note} else checkpoint end,
        signed_at = case when ${isNew} then now() else signed_at end,
        refusal = case when ${isCurrent} then null else refusal end,
        refused_at = case when ${isCurrent} then null else refused_at end
    where log = ${log}
    returning size
  `.execute(tx.getKysely());
  return rows[0]?.size ?? null;
}

/** Stores why a log is not signed; keeps the time of the first refusal. */
export async function writeRefusal(em: EntityManager, log: string, refusal: string): Promise<void> {
  await sql`
    update evidence_log set refusal = ${refusal}, refused_at = coalesce(refused_at, now()) where log = ${log}
  `.execute(em.getKysely());
}

/**
 * Stores that a key signs, to the minute as it is published. In its own statement, and without
 * locking a row that is already up to date: all logs share one key, and a lock on its row while
 * waiting for a log's row would block all logs.
 */
export async function saveKeyUse(em: EntityManager, verifier: string): Promise<void> {
  await sql`
    insert into evidence_key (verifier)
    select ${verifier}
    where not exists (
      select from evidence_key where verifier = ${verifier} and last_signed_at > now() - interval '1 minute'
    )
    on conflict (verifier) do update set last_signed_at = greatest(evidence_key.last_signed_at, now())
  `.execute(em.getKysely());
}

/** A key that has signed. */
export interface UsedKey {
  verifier: string;
  firstSignedAt: Date;
  lastSignedAt: Date;
}

export function listUsedKeys(em: EntityManager): Promise<UsedKey[]> {
  return evidenceTables(em)
    .selectFrom('evidence_key')
    .select(['verifier', 'firstSignedAt', 'lastSignedAt'])
    .orderBy('firstSignedAt')
    .orderBy('verifier')
    .execute();
}
