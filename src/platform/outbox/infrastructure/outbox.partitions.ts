import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type PartitionState, partitionTable } from '../domain/partition-rotation.js';
import { OPEN_PART_SQL } from '../outbox.sql.js';

/** Messages moved in one transaction. */
const MOVE_MAX = 5_000;
/** A lease that expired this long ago has been abandoned; until then its worker may still settle the message. */
const ABANDONED_SECONDS = 60;
/** Key of the advisory lock. */
const MOVE_LOCK = 7_201_122;

/** Statements on the partitions of the outbox. */
@Injectable()
export class OutboxPartitions {
  constructor(private readonly em: EntityManager) {}

  /** All partitions, by number. The row counts are from the statistics, about a second old. */
  async read(): Promise<PartitionState[]> {
    const { rows } = await sql<PartitionState>`
      select substring(c.relname from '\\d+$')::int as part, pg_relation_size(c.oid)::float8 as bytes,
             pg_stat_get_live_tuples(c.oid)::float8 as "liveRows",
             substring(c.relname from '\\d+$')::int = ${OPEN_PART_SQL} as "isOpen"
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'outbox_message'::regclass
      order by 1
    `.execute(this.em.fork().getKysely());
    return rows;
  }

  /** Directs new messages to a partition, and creates it if it does not exist. */
  async open(part: number): Promise<void> {
    await sql`select outbox_open(${part}::int)`.execute(this.em.fork().getKysely());
  }

  /** Whether a partition has no messages. */
  async isEmpty(part: number): Promise<boolean> {
    const { rows } = await sql<{ empty: boolean }>`
      select not exists (select from ${sql.table(partitionTable(part))}) as empty
    `.execute(this.em.fork().getKysely());
    return rows[0]?.empty === true;
  }

  /** Empties a partition without messages. Returns false if it has messages, is open, or is locked. */
  async truncate(part: number): Promise<boolean> {
    const { rows } = await sql<{ truncated: boolean }>`
      select outbox_truncate(${part}::int) as truncated
    `.execute(this.em.fork().getKysely());
    return rows[0]?.truncated === true;
  }

  /**
   * Moves messages that no worker leases to the open partition, unchanged. Returns their number: at
   * most `MOVE_MAX`. A move excludes deletions by subject or project (`lockMoves`), whose snapshot
   * would miss a message that moves.
   */
  moveForward(part: number): Promise<number> {
    const table = sql.table(partitionTable(part));
    return this.em.fork().transactional(async (tx) => {
      const { rows } = await sql<{ locked: boolean }>`
        select pg_try_advisory_xact_lock(${sql.lit(MOVE_LOCK)}) as locked
      `.execute(tx.getKysely());
      if (rows[0]?.locked !== true) return 0;
      const { numAffectedRows } = await sql`
        with moved as (
          delete from ${table} m
          where m.ctid = any (array(
            select o.ctid from ${table} o
            where o.claim_id is null or o.available_at < now() - make_interval(secs => ${ABANDONED_SECONDS})
            limit ${MOVE_MAX} for update skip locked
          ))
          returning m.*
        )
        insert into outbox_message (
          part, ordering_key, id, project_id, topic, subject_id, payload, claim_id, available_at, abandoned_attempts,
          failures, last_error, created_at
        )
        select ${OPEN_PART_SQL}, ordering_key, id, project_id, topic, subject_id, payload, claim_id, available_at,
               abandoned_attempts, failures, last_error, created_at
        from moved
      `.execute(tx.getKysely());
      return Number(numAffectedRows ?? 0);
    });
  }
}

/** Keeps messages in their partitions until the transaction ends. Use it in a statement before the deletion's. */
export async function lockMoves(tx: EntityManager): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${sql.lit(MOVE_LOCK)})`.execute(tx.getKysely());
}
