import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { uuidLowerBound, uuidTimeMs } from './ids.js';

/** A partition of a table that is partitioned by range on a UUIDv7, whose first 48 bits are its time. */
export interface TimePartition {
  /** The partitioned table. */
  table: string;
  /** Ends the partition's name: `table_suffix`. */
  suffix: string;
  from: Date;
  /** The first instant that no longer belongs to it. */
  to: Date;
}

/** Any number, the same in every process: partitions are made and dropped by one at a time. */
const PARTITION_LOCK_KEY = 7_201_120_002;
/** A partition is made ahead of time, so giving up under a long transaction costs nothing. */
const LOCK_TIMEOUT = '2s';

/**
 * Makes a partition unless it is there. It is made as a table of its own and then attached, which asks the
 * parent for a lock that lets reads and writes go on. Returns whether it was made.
 */
export async function ensurePartition(em: EntityManager, partition: TimePartition): Promise<boolean> {
  const name = `${partition.table}_${partition.suffix}`;
  if (await isAttached(em, partition.table, name)) return false;
  return em.transactional(async (tx) => {
    await takePartitionLock(tx);
    if (await isAttached(tx, partition.table, name)) return false;
    const parent = sql.table(partition.table);
    const child = sql.table(name);
    const from = sql.lit(uuidLowerBound(partition.from));
    const to = sql.lit(uuidLowerBound(partition.to));
    await sql`create table ${child} (like ${parent} including all)`.execute(tx.getKysely());
    await sql`alter table ${parent} attach partition ${child} for values from (${from}) to (${to})`.execute(
      tx.getKysely(),
    );
    return true;
  });
}

/**
 * Drops the partitions of a table that end at or before an instant. Returns their names.
 * The parent is locked for the moment of a catalogue change; behind a long transaction it gives up.
 */
export async function dropPartitionsBefore(
  em: EntityManager,
  { table, before }: { table: string; before: Date },
): Promise<string[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass
    order by c.relname
  `.execute(em.getKysely());
  const expired = rows.filter(({ bound }) => {
    const to = /TO \('([0-9a-f-]{36})'\)/.exec(bound)?.[1];
    return to !== undefined && uuidTimeMs(to) <= before.getTime();
  });
  for (const { name } of expired) {
    await em.transactional(async (tx) => {
      await takePartitionLock(tx);
      await sql`drop table if exists ${sql.table(name)}`.execute(tx.getKysely());
    });
  }
  return expired.map(({ name }) => name);
}

async function isAttached(em: EntityManager, table: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_inherits where inhparent = ${table}::regclass and inhrelid = to_regclass(${name})
  `.execute(em.getKysely());
  return rows.length > 0;
}

async function takePartitionLock(tx: EntityManager): Promise<void> {
  await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`.execute(tx.getKysely());
  await sql`select pg_advisory_xact_lock(${sql.lit(PARTITION_LOCK_KEY)})`.execute(tx.getKysely());
}
