import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ROOT_LOG } from '../domain/log.js';

/** A time-stamp of a checkpoint of the root log, which the storage has. */
export interface Stamp {
  /** Number of the root log. */
  epoch: number;
  /** Entries that the checkpoint covers. */
  size: number;
  /** When it was given, by the clock of the time-stamp service. */
  stampedAt: Date;
}

/**
 * Writes a time-stamp down unless a checkpoint as large has one: of two, the one that was written first stays, so what
 * is the first to cover a size is so for ever.
 */
export async function writeStamp(tx: EntityManager, { epoch, size, stampedAt }: Stamp): Promise<void> {
  const kysely = tx.getKysely();
  await sql`select from evidence_log where log = ${ROOT_LOG} for no key update`.execute(kysely);
  await sql`
    insert into evidence_stamp (epoch, size, stamped_at)
    select ${epoch}, ${size}, ${stampedAt}
    where not exists (select from evidence_stamp where epoch = ${epoch} and size >= ${size})
  `.execute(kysely);
}

/** The first time-stamp that covers `size` entries; null where there is none yet. */
export async function findStampCovering(
  em: EntityManager,
  { epoch, size }: { epoch: number; size: number },
): Promise<Stamp | null> {
  const { rows } = await sql<Stamp>`
    select epoch, size::float8 as size, stamped_at as "stampedAt" from evidence_stamp
    where epoch = ${epoch} and size >= ${size} order by size limit 1
  `.execute(em.getKysely());
  return rows[0] ?? null;
}

/** All time-stamps, the smallest first: one an hour by default. */
export async function listStamps(em: EntityManager): Promise<Stamp[]> {
  const { rows } = await sql<Stamp>`
    select epoch, size::float8 as size, stamped_at as "stampedAt" from evidence_stamp order by epoch, size
  `.execute(em.getKysely());
  return rows;
}

/** The newest time-stamp, and how long ago it was written; null before the first. */
export async function findNewestStamp(em: EntityManager): Promise<(Stamp & { ageSeconds: number }) | null> {
  const { rows } = await sql<Stamp & { ageSeconds: number }>`
    select epoch, size::float8 as size, stamped_at as "stampedAt",
           extract(epoch from now() - written_at)::float8 as "ageSeconds"
    from evidence_stamp order by epoch desc, size desc limit 1
  `.execute(em.getKysely());
  return rows[0] ?? null;
}
