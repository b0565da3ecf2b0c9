import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { OutboxService } from '../../outbox/outbox.service.js';
import { Complaint } from '../../shared/complaint.js';
import { DomainError } from '../../shared/domain-error.js';
import { isConnectionFailure } from '../../shared/postgres-error.js';
import { openPool } from '../../shared/postgres-pool.js';
import { InjectSettings, type Settings } from '../../shared/settings.js';
import { ConsentEvents } from '../consent.events.js';
import { ConsentPartitions } from '../application/consent-partitions.js';
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
const LANES = 2;
/** Rows of one batch; more would make the first of them wait longer without sharing the commit better. */
const BATCH_ROWS_MAX = 256;
/** Rows that may wait for a lane. Past it, requests are answered 503 at once rather than piling up. */
export const WAITING_ROWS_MAX = 5_000;
/** How long a row may wait while the database is away; then its request is answered 503. */
const WAIT_MAX_MS = 5_000;
/** Pause of a lane after the database could not be reached. */
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
 * Writes consent records in adaptive batches: whatever waits when a lane is free goes in one statement, and
 * every caller is answered after the commit. There is no timer: an idle service writes a lone row at once,
 * and the batches grow with the load (31,117 rows/s against 13,187 for a prepared statement each, 32 callers).
 */
@Injectable()
export class ConsentWriter implements OnApplicationShutdown {
  private readonly unreachable = new Complaint(
    new Logger(ConsentWriter.name),
    'the database cannot be reached; consents wait for it',
  );
  private readonly pool: Pool;
  private waiting: Waiting[] = [];
  private busyLanes = 0;

  constructor(
    private readonly events: ConsentEvents,
    private readonly outbox: OutboxService,
    private readonly partitions: ConsentPartitions,
    @InjectSettings() settings: Settings,
  ) {
    this.pool = openPool(settings, {
      name: 'ingest',
      connections: LANES,
      statementMs: WAIT_MAX_MS,
      onDropped: (error) => this.unreachable.about(error),
    });
  }

  /**
   * Stores a row and its outbox message; resolves after the commit.
   * @throws DomainError `overloaded` where too many wait, `temporarily_unavailable` where the database is away.
   */
  write(row: ConsentRow): Promise<Written> {
    if (this.waiting.length >= WAITING_ROWS_MAX) {
      throw new DomainError('overloaded', 'Too many requests wait for the database. Try again in a moment.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return new Promise<Written>((resolve, reject) => {
      this.waiting.push({ row, deadlineAt: performance.now() + WAIT_MAX_MS, resolve, reject });
      this.startLane();
    });
  }

  /** Rows that wait for a lane, for the metrics. */
  get waitingRows(): number {
    return this.waiting.length;
  }

  get poolUse(): { total: number; idle: number; waiting: number } {
    return { total: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  private startLane(): void {
    if (this.busyLanes >= LANES) return;
    this.busyLanes += 1;
    void this.runLane().finally(() => {
      this.busyLanes -= 1;
    });
  }

  private async runLane(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      try {
        await this.writeBatch(batch);
      } catch (error) {
        if (isConnectionFailure(error)) await this.waitForDatabase(batch, error);
        else await this.writeOneByOne(batch);
      }
    }
  }

  /** Takes what waits, in order, but no id twice: the statement could not tell the two apart. */
  private takeBatch(): Waiting[] {
    if (this.waiting.length === 1) return this.waiting.splice(0, 1);
    const batch: Waiting[] = [];
    const later: Waiting[] = [];
    const ids = new Set<string>();
    for (const entry of this.waiting) {
      if (batch.length < BATCH_ROWS_MAX && !ids.has(entry.row.id)) {
        ids.add(entry.row.id);
        batch.push(entry);
      } else {
        later.push(entry);
      }
    }
    this.waiting = later;
    return batch;
  }

  private async writeBatch(batch: Waiting[]): Promise<void> {
    const { rows } = await this.pool.query<BatchAnswer>({
      ...batchStatement(this.events.audienceExpression),
      values: batchParameters(batch.map((entry) => entry.row)),
    });
    const answer = rows[0];
    if (!answer) throw new Error('the batch statement answered no row');
    const receivedAt = new Date(answer.receivedMs);
    const refused = new Map(answer.refused?.map(({ position, code }) => [position, code]));
    batch.forEach((entry, index) => entry.resolve(writtenOf(refused.get(index + 1), receivedAt)));
    if (answer.announced > 0) this.outbox.ring();
  }

  /** One row of the batch cannot be written: each goes alone, so that only the bad one fails. */
  private async writeOneByOne(batch: Waiting[]): Promise<void> {
    for (const entry of batch) {
      try {
        await this.writeBatch([entry]);
      } catch (error) {
        if (isConnectionFailure(error)) await this.waitForDatabase([entry], error);
        else await this.writeAfterMakingPartition(entry, error);
      }
    }
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

  /**
   * The database is away. What was in the batch may or may not be committed, so it is written again, which
   * its id makes harmless; whoever has waited too long is answered 503.
   */
  private async waitForDatabase(batch: Waiting[], cause: unknown): Promise<void> {
    this.unreachable.about(cause);
    await new Promise((wake) => setTimeout(wake, RECONNECT_PAUSE_MS));
    const now = performance.now();
    const patient = [...batch, ...this.waiting].filter((entry) => {
      if (entry.deadlineAt > now) return true;
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
    });
    this.waiting = patient;
  }
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
