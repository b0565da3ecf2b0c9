import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { databaseSettings, type DatabaseSettings } from '../../../platform/database/database.settings.js';
import { PartitionMaintenance, type PartitionedTable } from '../../../platform/database/partitions.js';
import { isConnectionFailure } from '../../../platform/database/postgres-error.js';
import { openPool } from '../../../platform/database/postgres-pool.js';
import type { PreparedStatement } from '../../../platform/database/prepared-reads.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { AdaptiveBatch } from '../../../platform/limits/adaptive-batch.js';
import { Metrics } from '../../../platform/operations/metrics.js';
import { ThrottledLog } from '../../../platform/operations/throttled-log.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ConsentHooks } from '../consent.hooks.js';
import {
  batchParameters,
  batchStatement,
  ROW_CONFLICT,
  ROW_ORIGIN_REFUSED,
  ROW_UNKNOWN_PROJECT,
  type BatchResult,
  type ConsentRow,
} from './consent-statement.js';

export const CONSENT_RECORDS: PartitionedTable = { name: 'consent_record', period: 'month' };

/** Connections that write batches. With two, one batch is flushed to disk while the next one runs. */
const WRITE_CONNECTIONS = 2;
/** Rows of one batch. With more, the first row would wait longer and each commit would gain little. */
const BATCH_ROWS_MAX = 256;
/** Under load, requests wait up to 4 ms to share a commit. A single request doesn't wait. */
const GATHER = { ms: 4, enough: 16 };
/**
 * One generic plan for all batches. It uses primary keys even if it was made while the tables were
 * empty. By default the server plans each small batch again, which takes 1.0 ms of its processor
 * time for a single record instead of 0.45 (the simplest insert takes 0.38).
 */
const ONE_PLAN = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
};
/** Rows that may wait for a connection. Further requests get 503 at once. */
const WAITING_ROWS_MAX = 5_000;
/**
 * How long a row waits for its commit. After that its request gets 503, even while a statement
 * still runs.
 */
const WAIT_MAX_MS = 5_000;
/** Pause of a connection after the database was unreachable. */
const RECONNECT_PAUSE_MS = 200;
const RETRY_AFTER_SECONDS = 2;
/** SQLSTATE of a row without a partition. */
const CHECK_VIOLATION = '23514';

/** The outcome of one row. */
export type Written =
  | { kind: 'inserted'; receivedAt: Date }
  | { kind: 'conflict' }
  | { kind: 'unknown_project' }
  | { kind: 'origin_refused' };

interface Waiting {
  row: ConsentRow;
  /** Its request already got 503. */
  isLate: boolean;
  resolve(written: Written): void;
  reject(error: Error): void;
}

/**
 * Writes consent records in adaptive batches: when a connection is free, one statement writes all queued rows. Each
 * caller gets its result after the commit. With 32 callers this writes 31,117 rows/s, against 13,187 with one prepared
 * statement per row.
 */
@Injectable()
export class ConsentWriter implements OnApplicationShutdown {
  private readonly unreachable = new ThrottledLog(
    new Logger(ConsentWriter.name),
    'the database is unavailable; consents are waiting',
  );
  private readonly pool: Pool;
  /** Built for the first batch, when all hooks are set. */
  private statement: PreparedStatement | null = null;
  private readonly waiting = new AdaptiveBatch<Waiting>({
    batchesMax: WRITE_CONNECTIONS,
    entriesMax: BATCH_ROWS_MAX,
    gather: GATHER,
    // The statement can't distinguish two rows with the same id.
    keyOf: ({ row }) => row.id,
    // After a lost connection a batch is written again. This is idempotent, because each row has an id.
    write: (batch) => this.writeBatch(batch),
    refuse: (entry, cause) => this.writeAfterCreatingPartition(entry, cause),
    isUnreachable: isConnectionFailure,
    unreachable: (error) => this.unreachable.warn(error),
    reconnectPauseMs: RECONNECT_PAUSE_MS,
    isPatient: ({ isLate }) => !isLate,
  });

  constructor(
    private readonly hooks: ConsentHooks,
    private readonly outbox: OutboxService,
    private readonly partitions: PartitionMaintenance,
    @InjectSettings(databaseSettings) database: DatabaseSettings,
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
   * @throws DomainError `overloaded` if too many rows wait, `temporarily_unavailable` if the
   * database does not confirm the row in time.
   */
  write(row: ConsentRow): Promise<Written> {
    if (this.waiting.waitingCount >= WAITING_ROWS_MAX) {
      throw new DomainError(
        'overloaded',
        'Too many requests are waiting for the database. Try again shortly.',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    const { promise, resolve, reject } = Promise.withResolvers<Written>();
    const entry = { row, isLate: false, resolve, reject };
    const timer = setTimeout(() => {
      entry.isLate = true;
      reject(unconfirmed());
    }, WAIT_MAX_MS);
    this.waiting.add(entry);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Rows that wait for a connection. */
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
    const { rows } = await this.pool.query<BatchResult>({
      ...(this.statement ??= batchStatement(this.hooks.current.forwardingPredicate)),
      values: batchParameters(
        batch.map((entry) => entry.row),
        this.hooks.current.areRecordsSalted,
      ),
    });
    const result = rows[0];
    if (!result) throw new Error('the batch statement returned no row');
    const receivedAt = new Date(result.receivedMs);
    const refused = new Map(result.refused?.map(({ position, code }) => [position, code]));
    batch.forEach((entry, index) => entry.resolve(outcomeOf(refused.get(index + 1), receivedAt)));
    if (result.announced === 0) return;
    this.outbox.notifyUnlessPolling({
      pollingMs: result.pollingMs,
      elapsedMs: performance.now() - startedMs,
    });
  }

  /** Creates the partition of a row if it is missing, although partitions are created months ahead. */
  private async writeAfterCreatingPartition(entry: Waiting, error: unknown): Promise<void> {
    try {
      if (!(error instanceof Error && 'code' in error && error.code === CHECK_VIOLATION)) throw error;
      await this.partitions.createMissing(CONSENT_RECORDS, new Date());
      await this.writeBatch([entry]);
    } catch (cause) {
      entry.reject(new Error('failed to write a consent record', { cause }));
    }
  }
}

function unconfirmed(): DomainError {
  return new DomainError(
    'temporarily_unavailable',
    'The database did not confirm the record in time. Send the request again with the same id.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

function outcomeOf(code: number | undefined, receivedAt: Date): Written {
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
      throw new Error(`the batch statement returned the unknown code ${code}`);
  }
}

@Injectable()
export class ConsentWriterMetrics {
  constructor(metrics: Metrics, writer: ConsentWriter) {
    const registers = [metrics.registry];
    new Gauge({
      name: 'consent_ingest_waiting_rows',
      help: 'Rows waiting for a free database connection.',
      registers,
      collect() {
        this.set(writer.waitingRows);
      },
    });
    new Gauge({
      name: 'consent_ingest_pool_connections',
      help: 'Ingest connections by state.',
      labelNames: ['state'],
      registers,
      collect() {
        for (const [state, count] of Object.entries(writer.poolUse)) this.set({ state }, count);
      },
    });
  }
}
