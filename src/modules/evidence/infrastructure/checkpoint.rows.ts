import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ROOT_LOG } from '../domain/log.js';
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

/** A project's checkpoint that a signed checkpoint of the root log covers. */
export interface Anchored {
  size: number;
  checkpoint: string;
  /** Index of its entry in the root log. */
  index: number;
  /** Epoch of that root log. */
  rootEpoch: number;
}

export async function findAnchored(em: EntityManager, log: string): Promise<Anchored | null> {
  const { rows } = await sql<Anchored>`
    select anchored_size as size, anchored_checkpoint as checkpoint, root_index as index,
           coalesce((select r.epoch from evidence_log r where r.log = ${ROOT_LOG}), 1) as "rootEpoch"
    from evidence_log where log = ${log} and root_index is not null
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** A project's checkpoint that is to be added to the root log. */
interface UnanchoredCheckpoint {
  log: string;
  size: number;
  checkpoint: string;
}

/** Checkpoints that the root log does not contain; none within `everySeconds` of its last entries. */
export async function listUnanchored(
  tx: EntityManager,
  { everySeconds, limit }: { everySeconds: number; limit: number },
): Promise<UnanchoredCheckpoint[]> {
  const { rows } = await sql<UnanchoredCheckpoint>`
    select l.log, l.checkpoint_size as size, l.checkpoint from evidence_log l
    where l.log <> ${ROOT_LOG} and l.checkpoint is distinct from l.anchored_checkpoint and l.checkpoint is not null
      and not exists (select from evidence_root_entry e where e.log = l.log and e.checkpoint = l.checkpoint)
      and exists (select from evidence_log r where r.log = ${ROOT_LOG}
                  and (r.size = 0 or r.appended_at <= now() - make_interval(secs => ${everySeconds})))
    order by l.log limit ${limit}
  `.execute(tx.getKysely());
  return rows;
}

/** Inserts checkpoints as entries of the root log, from an index on. */
export async function insertRootEntries(
  tx: EntityManager,
  firstIndex: number,
  checkpoints: readonly UnanchoredCheckpoint[],
): Promise<void> {
  await sql`
    insert into evidence_root_entry (root_index, log, size, checkpoint)
    select * from unnest(
      ${checkpoints.map((_checkpoint, at) => firstIndex + at)}::bigint[], ${checkpoints.map(({ log }) => log)}::uuid[],
      ${checkpoints.map(({ size }) => size)}::bigint[], ${checkpoints.map(({ checkpoint }) => checkpoint)}::text[]
    )
  `.execute(tx.getKysely());
}

/** Marks checkpoints as anchored that a signed checkpoint of the root log of this size covers. */
export async function coverRootEntries(tx: EntityManager, size: number): Promise<void> {
  await sql`
    with covered as (
      delete from evidence_root_entry where root_index < ${size} returning root_index, log, size, checkpoint
    ), newest as (
      select distinct on (log) * from covered order by log, root_index desc
    )
    update evidence_log l
    set anchored_size = newest.size, anchored_checkpoint = newest.checkpoint, root_index = newest.root_index
    from newest where l.log = newest.log and (
      l.anchored_size < newest.size or (l.anchored_size = newest.size and l.anchored_checkpoint <> newest.checkpoint)
    )
  `.execute(tx.getKysely());
}
