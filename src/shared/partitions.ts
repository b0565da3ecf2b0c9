import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { allowUpkeepTime } from './statement-time.js';

/** One range partition. Bounds are literals of the key's type; `to` is the first value that lies outside. */
export interface RangePartition {
  /** The partitioned table, e.g. `consent_record`. Names are constants of ours, never input. */
  parent: string;
  /** e.g. `consent_record_202611` */
  name: string;
  from: string;
  to: string;
}

/** DDL waits this long for a lock: a queue behind it would stand still as long. */
const LOCK_TIMEOUT_MS = 2000;
/** Tries to get the lock, for partitions that must exist. With the time-out above: 20 s at most. */
const LOCK_TRIES_MAX = 10;
const LOCK_NOT_AVAILABLE = '55P03';
/** First key of the advisory lock; the second is the hash of the parent's name. */
const PARTITION_LOCK_CLASS = 7_201_121;

/**
 * Makes a partition unless it is there; harmless from several processes at once. The table is made apart
 * and then attached, which blocks neither readers nor writers of the parent.
 * Returns whether this call made it.
 */
export async function ensurePartition(em: EntityManager, partition: RangePartition): Promise<boolean> {
  const fork = em.fork();
  if (await exists(fork, partition.name)) return false;
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await fork.transactional((tx) => createPartition(tx, partition));
    } catch (error) {
      if (!isLockTimeout(error) || tryNumber === LOCK_TRIES_MAX) throw error;
    }
  }
}

async function createPartition(tx: EntityManager, partition: RangePartition): Promise<boolean> {
  const { parent, name, from, to } = partition;
  await takeLock(tx, parent);
  if (await exists(tx, name)) return false;
  const database = tx.getKysely();
  await sql`create table ${sql.table(name)} (like ${sql.table(parent)} including all)`.execute(database);
  await sql`
    alter table ${sql.table(parent)} attach partition ${sql.table(name)}
    for values from (${sql.lit(from)}) to (${sql.lit(to)})
  `.execute(database);
  return true;
}

/**
 * Drops the partitions of `parent` that end at or before `bound`, each in a transaction of its own. One
 * whose lock is taken is left for the next call.
 * `bound` is compared as text, so it must have the form in which PostgreSQL prints the key (UUID: lower case).
 * Returns the names of those dropped.
 */
export async function dropPartitionsBefore(
  em: EntityManager,
  parent: string,
  bound: string,
): Promise<string[]> {
  const fork = em.fork();
  const { rows } = await sql<{ name: string; to: string | null }>`
    select c.relname as name,
           substring(pg_get_expr(c.relpartbound, c.oid) from $$TO [(]'([^']+)'[)]$$) as to
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${parent}) and c.relispartition
    order by 2
  `.execute(fork.getKysely());
  const dropped: string[] = [];
  for (const { name, to } of rows) {
    if (to === null || to > bound) continue;
    try {
      await fork.transactional(async (tx) => {
        await takeLock(tx, parent);
        await sql`drop table if exists ${sql.table(name)}`.execute(tx.getKysely());
      });
      dropped.push(name);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
  return dropped;
}

async function takeLock(tx: EntityManager, parent: string): Promise<void> {
  const database = tx.getKysely();
  await allowUpkeepTime(tx);
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(database);
  await sql`select pg_advisory_xact_lock(${PARTITION_LOCK_CLASS}::int, hashtext(${parent}))`.execute(
    database,
  );
}

/** Asks the catalogue itself: `to_regclass` may answer from a cache that another process has outdated. */
async function exists(em: EntityManager, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where relname = ${name} and relnamespace = current_schema()::regnamespace
  `.execute(em.getKysely());
  return rows.length > 0;
}

function isLockTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === LOCK_NOT_AVAILABLE) return true;
  return isLockTimeout(error.cause);
}
