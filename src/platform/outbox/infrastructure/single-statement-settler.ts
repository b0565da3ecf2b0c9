import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { constantSql } from '../../database/compile-sql.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { openPool } from '../../database/postgres-pool.js';
import { listLiteral, type ListValue } from '../../database/list-literal.js';
import { ThrottledLog } from '../../operations/throttled-log.js';
import { partitionTable } from '../domain/partition-rotation.js';
import type { SingleStatementSettlement } from '../outbox.handler.js';
import type { LeasedMessage } from './outbox.store.js';

/** One per batch that is written concurrently. */
const CONNECTIONS = 2;
/** It takes milliseconds, so one that takes this long indicates a hanging server. */
const STATEMENT_MS = 10_000;

/**
 * Statistics of a table that constantly fills and empties are wrong: force plans that start at the few given rows
 * and use primary keys.
 */
const FROM_WHAT_IS_GIVEN = {
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
};

/** A message, the claim that leases it, and the values of its handler's `SingleStatementSettlement.columns`. */
export interface SettlementEntry {
  leased: LeasedMessage;
  values: readonly ListValue[];
}

/**
 * Deletes messages and writes their outcomes in one prepared statement without an explicit transaction: a batch of
 * 10 took 0.6 ms of CPU in the worker and 1.2 ms in the server, against 2.5 and 2.8 ms in a transaction of five
 * round trips; one of 256 took 2.2 and 6.4 ms against 4.9 and 8.2 (ADR 0025).
 */
@Injectable()
export class SingleStatementSettler implements OnApplicationShutdown {
  private readonly dropped = new ThrottledLog(
    new Logger(SingleStatementSettler.name),
    'a connection that writes outcomes broke off; opening another one',
  );
  private readonly pool: Pool;
  private readonly texts = new Map<string, string>();

  constructor(@InjectSettings(databaseSettings) database: DatabaseSettings) {
    this.pool = openPool(database, {
      name: 'settle',
      connections: CONNECTIONS,
      statementMs: STATEMENT_MS,
      serverSettings: FROM_WHAT_IS_GIVEN,
      onDropped: (error) => this.dropped.warn(error),
    });
  }

  /**
   * Returns the indexes of settled entries. For the others the lease was lost or `unless` holds;
   * they are unchanged.
   */
  async settle(
    writing: SingleStatementSettlement,
    entries: readonly SettlementEntry[],
  ): Promise<Set<number>> {
    const settled = new Set<number>();
    const indexes = Map.groupBy(entries.keys(), (index) => entries[index]?.leased.message.part ?? 0);
    for (const [part, chosen] of indexes) {
      const ofPart = chosen.flatMap((index) => entries[index] ?? []);
      for (const position of await this.settlePart(part, writing, ofPart))
        settled.add(chosen[position] ?? Number.NaN);
    }
    return settled;
  }

  /** Returns the indexes of settled entries. */
  private async settlePart(
    part: number,
    writing: SingleStatementSettlement,
    entries: readonly SettlementEntry[],
  ): Promise<number[]> {
    const leases = entries.map(({ leased }) => leased);
    const { rows } = await this.pool.query<{ positions: number[] }>({
      name: `outbox-settle-${part} ${writing.name}`,
      text: this.textFor(part, writing),
      values: [
        listLiteral(
          'uuid',
          leases.map(({ message }) => message.orderingKey),
        ),
        listLiteral(
          'bigint',
          leases.map(({ message }) => message.id),
        ),
        listLiteral(
          'uuid',
          leases.map(({ claimId }) => claimId),
        ),
        ...writing.columns.map(({ type }, column) =>
          listLiteral(
            type,
            entries.map(({ values }) => values[column] ?? null),
          ),
        ),
      ],
    });
    return rows[0]?.positions ?? [];
  }

  private textFor(part: number, writing: SingleStatementSettlement): string {
    const name = `${part} ${writing.name}`;
    const known = this.texts.get(name);
    if (known !== undefined) return known;
    const text = settleStatement(part, writing);
    this.texts.set(name, text);
    return text;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/**
 * Parameters: ordering keys, numbers, claims, and a list for each column. Each message is locked
 * through the primary key and deleted by ctid: with a join, a plan made right after the outbox was
 * emptied and vacuumed read all of it for each batch, 3 s for 256 of 20,000
 * (`test/outbox/outbox-plans`). A row claimed since fails the condition and is kept.
 */
function settleStatement(part: number, { columns, unless, writes }: SingleStatementSettlement): string {
  const table = partitionTable(part);
  const lists = columns.map(({ type }, column) => `$${column + 4}::${type}[]`);
  return `
    with removed as materialized (
      select ours.project_id, ours.subject_id, ours.stored_at, given.*
      from unnest(${['$1::uuid[]', '$2::bigint[]', '$3::uuid[]', ...lists].join(', ')}) with ordinality
        as given (${['ordering_key', 'id', 'claim_id', ...columns.map(({ name }) => name), 'number'].join(', ')})
      cross join lateral (
        select m.project_id, m.subject_id, m.ctid as stored_at from ${table} m
        where m.ordering_key = given.ordering_key and m.id = given.id and m.claim_id = given.claim_id
          and not (${constantSql(unless({ projectId: sql.ref('m.project_id') }))})
        limit 1 for update of m
      ) ours
    ), deleted as (
      delete from ${table} m where m.ctid = any (array(select stored_at from removed))
    ), ${constantSql(writes({ removed: sql.table('removed') }))}
    select coalesce(array_agg(number::int - 1), '{}') as positions from removed
  `;
}
