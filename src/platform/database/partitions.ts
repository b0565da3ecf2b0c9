import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { uuidLowerBound } from '../identity/ids.js';
import { allowMaintenanceTime } from './statement-time.js';
import { type PartitionPeriod, periodStart } from './partition-period.js';

/** A table that is partitioned by the time of a UUIDv7, in UTC. Its module declares it. */
export interface PartitionedTable {
  readonly name: string;
  readonly period: PartitionPeriod;
}

/** DDL waits this long for a lock, because later queries wait behind it. */
const LOCK_TIMEOUT_MS = 2000;
/** Attempts to get the lock for a partition that must exist. With the timeout above: 20 s at most. */
const LOCK_TRIES_MAX = 10;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Creates the missing partitions from the one that contains `from` to the one that contains `to`. Safe to run in
 * several processes at once; blocks neither readers nor writers. Returns the starts of the created partitions.
 */
export async function ensurePartitions(
  em: EntityManager,
  table: PartitionedTable,
  { from, to }: { from: Date; to: Date },
): Promise<Date[]> {
  const existing = await partitionNames(em, table);
  const created: Date[] = [];
  for (
    let startsAt = periodStart(table.period, from);
    startsAt <= to;
    startsAt = periodStart(table.period, startsAt, 1)
  ) {
    if (existing.has(partitionName(table, startsAt))) continue;
    if (await ensurePartition(em, table, startsAt)) created.push(startsAt);
  }
  return created;
}

async function partitionNames(em: EntityManager, { name }: PartitionedTable): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${name})
  `.execute(em.fork().getKysely());
  return new Set(rows.map((row) => row.name));
}

/** The name that `partition_make` gives it. */
function partitionName({ name, period }: PartitionedTable, startsAt: Date): string {
  const day = startsAt.toISOString().slice(0, period === 'month' ? 'YYYY-MM'.length : 'YYYY-MM-DD'.length);
  return `${name}_${day.replaceAll('-', '')}`;
}

/** Returns whether this call created the partition. */
async function ensurePartition(em: EntityManager, table: PartitionedTable, startsAt: Date): Promise<boolean> {
  const fork = em.fork();
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await fork.transactional(async (tx) => {
        await boundLockWait(tx);
        // A function of the owner, because the service may not create tables (migrations/baseline/partition-functions.ts).
        const { rows } = await sql<{ created: boolean }>`
          select partition_make(${table.name}, ${startsAt}) as created`.execute(tx.getKysely());
        return rows[0]?.created === true;
      });
    } catch (error) {
      if (!isLockTimeout(error) || tryNumber === LOCK_TRIES_MAX) throw error;
    }
  }
}

/**
 * Drops the partitions whose ids are all from before `instant`, each in a separate transaction. A
 * locked partition is left for the next call. The owner's function refuses partitions younger than
 * any retention. Returns the names of the dropped partitions.
 */
export async function dropPartitionsBefore(
  em: EntityManager,
  table: PartitionedTable,
  instant: Date,
): Promise<string[]> {
  // Compared as text, in PostgreSQL's format of a UUID.
  const bound = uuidLowerBound(instant);
  const fork = em.fork();
  const { rows } = await sql<{ name: string; to: string | null }>`
    select c.relname as name,
           substring(pg_get_expr(c.relpartbound, c.oid) from $$TO [(]'([^']+)'[)]$$) as to
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass(${table.name}) and c.relispartition
    order by 2
  `.execute(fork.getKysely());
  const dropped: string[] = [];
  for (const { name, to } of rows) {
    if (to === null || to > bound) continue;
    try {
      await fork.transactional(async (tx) => {
        await boundLockWait(tx);
        await sql`select partition_drop(${table.name}, ${name})`.execute(tx.getKysely());
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
