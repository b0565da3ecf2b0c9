import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { sql } from 'kysely';
import { uuidLowerBound } from '../identity/ids.js';
import { Maintenance } from '../operations/maintenance.js';
import { allowMaintenanceTime } from './tables.js';

type PartitionPeriod = 'day' | 'month';

/** The first instant, in UTC, of the period that is `offset` periods after the one that contains `at`. */
export function periodStart(period: PartitionPeriod, at: Date, offset = 0): Date {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return new Date(period === 'month' ? Date.UTC(year, month + offset) : Date.UTC(year, month, day + offset));
}

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

const EVERY_MS = 60 * 60_000;
/** One, because clocks differ and a row's id may be older than its insert. */
const PERIODS_BEHIND = 1;
/** Inserts keep working for this many days or months without a worker that creates partitions. */
const PERIODS_AHEAD = 3;

/** Creates partitions ahead of time and drops those past their retention, for the tables that modules register. */
@Injectable()
export class PartitionMaintenance {
  private readonly logger = new Logger(PartitionMaintenance.name);

  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
  ) {}

  /**
   * Creates the table's missing partitions, now and every hour, and drops those with only rows from
   * before `keptSince`. Call this while modules start (`onModuleInit`).
   */
  async register(table: PartitionedTable, keptSince: (now: Date) => Date): Promise<void> {
    this.maintenance.register({
      name: `partitions-${table.name}`,
      everyMs: EVERY_MS,
      run: async (now) => {
        await this.createMissing(table, now);
        await this.dropExpired(table, keptSince(now));
      },
    });
    await this.createMissing(table, new Date());
  }

  /** Creates the missing partitions around `now`. Returns the starts of the created ones. */
  createMissing(table: PartitionedTable, now: Date): Promise<Date[]> {
    return ensurePartitions(this.em, table, {
      from: periodStart(table.period, now, -PERIODS_BEHIND),
      to: periodStart(table.period, now, PERIODS_AHEAD),
    });
  }

  private async dropExpired(table: PartitionedTable, keptSince: Date): Promise<void> {
    const dropped = await dropPartitionsBefore(this.em, table, keptSince);
    if (dropped.length > 0) this.logger.log({ partitions: dropped, keptSince }, 'dropped expired partitions');
  }
}
