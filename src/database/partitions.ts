import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { allowMaintenanceTime } from './statement-time.js';

/** Tables that are split by the time of a UUIDv7, those of deliveries by day and the others by month, in UTC. */
export type PartitionedTable =
  | 'consent_record'
  | 'evidence_leaf'
  | 'delivery_settled'
  | 'delivery_failed'
  | 'audit_event'
  | 'security_event';

/** DDL waits this long for a lock: a queue behind it would stand still as long. */
const LOCK_TIMEOUT_MS = 2000;
/** Tries to get the lock, for partitions that must exist. With the time-out above: 20 s at most. */
const LOCK_TRIES_MAX = 10;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Makes the partition that begins at `startsAt` (a month's or day's first instant) unless it is there; harmless
 * from several processes at once, and blocks neither readers nor writers of the parent. The table is made by a
 * function of the owner's (migrations/baseline/partition-functions.ts), as the service may make none.
 * Returns whether this call made it.
 */
export async function ensurePartition(
  em: EntityManager,
  parent: PartitionedTable,
  startsAt: Date,
): Promise<boolean> {
  const fork = em.fork();
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await fork.transactional(async (tx) => {
        await boundLockWait(tx);
        const { rows } = await sql<{ made: boolean }>`
          select partition_make(${parent}, ${startsAt}) as made`.execute(tx.getKysely());
        return rows[0]?.made === true;
      });
    } catch (error) {
      if (!isLockTimeout(error) || tryNumber === LOCK_TRIES_MAX) throw error;
    }
  }
}

/**
 * Drops the partitions of `parent` that end at or before `bound`, each in a separate transaction. A locked
 * partition is left for the next call. The owner's function refuses partitions younger than any retention.
 * `bound` is compared as text, so it must have the form in which PostgreSQL prints the key (UUID: lower case).
 * Returns the names of those dropped.
 */
export async function dropPartitionsBefore(
  em: EntityManager,
  parent: PartitionedTable,
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
        await boundLockWait(tx);
        await sql`select partition_drop(${parent}, ${name})`.execute(tx.getKysely());
      });
      dropped.push(name);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
  return dropped;
}

async function boundLockWait(tx: EntityManager): Promise<void> {
  await allowMaintenanceTime(tx);
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(tx.getKysely());
}

function isLockTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === LOCK_NOT_AVAILABLE) return true;
  return isLockTimeout(error.cause);
}
