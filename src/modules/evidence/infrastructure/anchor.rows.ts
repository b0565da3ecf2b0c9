import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ROOT_LOG } from '../domain/log.js';

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
export interface UnanchoredCheckpoint {
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
