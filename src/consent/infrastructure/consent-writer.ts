import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { OutboxService } from '../../outbox/outbox.service.js';
import { AdaptiveBatch } from '../../shared/adaptive-batch.js';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { DomainError } from '../../shared/domain-error.js';
import { isConnectionFailure } from '../../shared/postgres-error.js';
import { openPool } from '../../shared/postgres-pool.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';
import { ConsentEvents } from '../consent.events.js';
import { ConsentPartitions } from './consent-partitions.js';
import {
  type BatchAnswer,
  batchParameters,
  batchStatement,
  type ConsentRow,
  ROW_CONFLICT,
  ROW_ORIGIN_REFUSED,
  ROW_UNKNOWN_PROJECT,
} from './consent-statement.js';

/** Connections that write batches. With two, one batch is on its way to the disk while the next one runs. */
const WRITE_CONNECTIONS = 2;
/** Rows of one batch; more would make the first of them wait longer without sharing the commit better. */
const BATCH_ROWS_MAX = 256;
/** Visitors who keep coming share a commit: they wait 4 ms for it at most, and a lone one for nothing. */
const GATHER = { ms: 4, enough: 16 };
/**
 * One plan for all batches, made once, perhaps while the tables are empty: keys lead to rows all the same. Left to itself the
 * server plans each small batch anew, as it would cost less than the average one: 1.0 ms of its processor time for a record
 * alone, against 0.45 (and 0.38 for the simplest insert).
 */
const ONE_PLAN = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};
/** Rows that may wait for a connection. Past it, requests are answered 503 at once rather than piling up. */
export const WAITING_ROWS_MAX = 5_000;
/** How long a row may wait while the database is away; then its request is answered 503. */
const WAIT_MAX_MS = 5_000;
/** Pause of a connection after the database could not be reached. */
const RECONNECT_PAUSE_MS = 200;
const RETRY_AFTER_SECONDS = 2;
/** SQLSTATE of a row that no partition takes. */
const CHECK_VIOLATION = '23514';

/** What became of one row. */
export type Written =
  | { kind: 'inserted'; receivedAt: Date }
  | { kind: 'conflict' }
  | { kind: 'unknown_project' }
  | { kind: 'origin_refused' };

interface Waiting {
  row: ConsentRow;
  deadlineAt: number;
  resolve(written: Written): void;
  reject(error: Error): void;
}

/**
 * Writes consent records in adaptive batches: whatever waits when a connection is free goes in one statement, and
 * every caller is answered after the commit (31,117 rows/s against 13,187 for a prepared statement each, 32 callers).
 */
@Injectable()
export class ConsentWriter implements OnApplicationShutdown {
  private readonly unreachable = new ThrottledLog(
    new Logger(ConsentWriter.name),
    'the database cannot be reached; consents wait for it',
  );
  private readonly pool: Pool;
  private readonly waiting = new AdaptiveBatch<Waiting>({
    batchesMax: WRITE_CONNECTIONS,
    entriesMax: BATCH_ROWS_MAX,
    gather: GATHER,
    // The statement could not tell two rows of one id apart.
    keyOf: ({ row }) => row.id,
    // After a lost connection a batch is written again, which the rows' ids make harmless.
    write: (batch) => this.writeBatch(batch),
    refuse: (entry, cause) => this.writeAfterMakingPartition(entry, cause),
    isUnreachable: isConnectionFailure,
    unreachable: (error) => this.unreachable.warn(error),
    reconnectPauseMs: RECONNECT_PAUSE_MS,
    isPatient,
  });

  constructor(
    private readonly events: ConsentEvents,
    private readonly outbox: OutboxService,
    private readonly partitions: ConsentPartitions,
    @SettingsFrom(databaseSettings) database: DatabaseSettings,
  ) {
    this.pool = openPool(database, {
      name: 'ingest',
      connections: WRITE_CONNECTIONS,
      statementMs: WAIT_MAX_MS,
      serverSettings: ONE_PLAN,
      onDropped: (error) => this.unreachable.warn(error),
    });
  }

  /**
   * Stores a row and its outbox message; resolves after the commit.
   * @throws DomainError `overloaded` where too many wait, `temporarily_unavailable` where the database is away.
   */
  write(row: ConsentRow): Promise<Written> {
    if (this.waiting.waitingCount >= WAITING_ROWS_MAX) {
      throw new DomainError('overloaded', 'Too many requests wait for the database. Try again in a moment.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return new Promise<Written>((resolve, reject) => {
      this.waiting.add({ row, deadlineAt: performance.now() + WAIT_MAX_MS, resolve, reject });
    });
  }

  /** Rows that wait for a connection, for the metrics. */
  get waitingRows(): number {
    return this.waiting.waitingCount;
  }

  get poolUse(): { total: number; idle: number; waiting: number } {
    return { total: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  private async writeBatch(batch: Waiting[]): Promise<void> {
    const startedMs = performance.now();
    const { rows } = await this.pool.query<BatchAnswer>({
      ...batchStatement(this.events.audienceExpression),
      values: batchParameters(
        batch.map((entry) => entry.row),
        this.events.recordsAreSalted,
      ),
    });
    const answer = rows[0];
    if (!answer) throw new Error('the batch statement answered no row');
    const receivedAt = new Date(answer.receivedMs);
    const refused = new Map(answer.refused?.map(({ position, code }) => [position, code]));
    batch.forEach((entry, index) => entry.resolve(writtenOf(refused.get(index + 1), receivedAt)));
    if (answer.announced === 0) return;
    this.outbox.notifyUnlessPolling({
      pollingMs: answer.pollingMs,
      elapsedMs: performance.now() - startedMs,
    });
  }

  /** Partitions are made months ahead; should one be missing all the same, it is made now. */
  private async writeAfterMakingPartition(entry: Waiting, error: unknown): Promise<void> {
    try {
      if (!(error instanceof Error && 'code' in error && error.code === CHECK_VIOLATION)) throw error;
      await this.partitions.ensure(new Date());
      await this.writeBatch([entry]);
    } catch (cause) {
      entry.reject(new Error('a consent record could not be written', { cause }));
    }
  }
}

/** Whoever has waited too long is answered 503. */
function isPatient(entry: Waiting, nowMs: number): boolean {
  if (entry.deadlineAt > nowMs) return true;
  entry.reject(
    new DomainError(
      'temporarily_unavailable',
      'The database cannot be reached. Nothing was acknowledged; send again.',
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    ),
  );
  return false;
}

function writtenOf(code: number | undefined, receivedAt: Date): Written {
  switch (code) {
    case undefined:
      return { kind: 'inserted', receivedAt };
    case ROW_CONFLICT:
      return { kind: 'conflict' };
    case ROW_UNKNOWN_PROJECT:
      return { kind: 'unknown_project' };
    case ROW_ORIGIN_REFUSED:
      return { kind: 'origin_refused' };
    default:
      throw new Error(`the batch statement answered the unknown code ${code}`);
  }
}
