import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ROOT_LOG } from '../domain/log.js';
import { evidenceTables } from './evidence.tables.js';

/** A timestamp of a checkpoint of the root log, which is in the storage. */
export interface StoredTimestamp {
  /** Epoch of the root log. */
  epoch: number;
  /** Entries that the checkpoint covers. */
  size: number;
  /** By the clock of the timestamp service. */
  stampedAt: Date;
}

const COLUMNS = ['epoch', 'size', 'stampedAt'] as const;

/**
 * Inserts a timestamp unless a checkpoint of at least this size has one. So for each size, the
 * first timestamp that covers it never changes.
 */
export async function insertTimestamp(
  tx: EntityManager,
  { epoch, size, stampedAt }: StoredTimestamp,
): Promise<void> {
  const kysely = tx.getKysely();
  await sql`select from evidence_log where log = ${ROOT_LOG} for no key update`.execute(kysely);
  await sql`
    insert into evidence_timestamp (epoch, size, stamped_at)
    select ${epoch}, ${size}, ${stampedAt}
    where not exists (select from evidence_timestamp where epoch = ${epoch} and size >= ${size})
  `.execute(kysely);
}

/** The first timestamp that covers `size` entries; null: none. */
export async function findTimestampCovering(
  em: EntityManager,
  { epoch, size }: { epoch: number; size: number },
): Promise<StoredTimestamp | null> {
  const row = await evidenceTables(em)
    .selectFrom('evidence_timestamp')
    .select(COLUMNS)
    .where('epoch', '=', epoch)
    .where('size', '>=', size)
    .orderBy('size')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** All timestamps, the smallest first: one an hour by default. */
export function listTimestamps(em: EntityManager): Promise<StoredTimestamp[]> {
  return evidenceTables(em)
    .selectFrom('evidence_timestamp')
    .select(COLUMNS)
    .orderBy('epoch')
    .orderBy('size')
    .execute();
}

/** The newest timestamp and its age; null before the first. */
export async function findNewestTimestamp(
  em: EntityManager,
): Promise<(StoredTimestamp & { ageSeconds: number }) | null> {
  const row = await evidenceTables(em)
    .selectFrom('evidence_timestamp')
    .select(COLUMNS)
    .select(sql<number>`extract(epoch from now() - written_at)::float8`.as('ageSeconds'))
    .orderBy('epoch', 'desc')
    .orderBy('size', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
