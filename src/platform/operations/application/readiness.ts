import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  type HealthIndicatorFunction,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import type { Queue } from 'bullmq';
import { DatabaseError, type Pool } from 'pg';
import { missingMigrations } from '../../database/migrate.js';
import { OUTBOX_QUEUE } from '../../outbox/outbox.module.js';
import { PROBE_APPEND } from '../../outbox/outbox.sql.js';
import { RecentAnswer } from '../recent-answer.js';
import { ThrottledLog } from '../throttled-log.js';
import { openPool } from '../../database/postgres-pool.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';

/** A part that does not respond within this time counts as down. */
const CHECK_TIMEOUT_MS = 2_000;
/**
 * The queue counts as down sooner: without Redis the response is still 200, and it must arrive
 * before a load balancer or Kubernetes stops waiting (by default a second), or all APIs would be
 * taken out of service at once.
 */
const QUEUE_CHECK_TIMEOUT_MS = 300;

/** Every probe leaves a dead row, so requests within this time share one. */
const APPEND_AGE_MAX_MS = 1_000;
/** A migration locks the outbox for seconds, in which appends wait and do not fail. */
const APPEND_LOCK_MS = 100;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The checks behind `/health/ready`, on a dedicated connection: an API whose other connections are all busy is
 * slow, but taking it out of rotation would only make the others busier. Responses contain no host name and no
 * driver error.
 */
@Injectable()
export class ReadinessChecks implements OnApplicationShutdown {
  private readonly dropped = new ThrottledLog(
    new Logger(ReadinessChecks.name),
    'lost the health check connection; reconnecting',
  );
  private readonly pool: Pool;
  private readonly append = new RecentAnswer(() => this.probeAppend(), APPEND_AGE_MAX_MS);
  private migrated = false;
  private leaving = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    @InjectQueue(OUTBOX_QUEUE) private readonly queue: Queue,
    @InjectSettings(databaseSettings) database: DatabaseSettings,
  ) {
    this.pool = openPool(database, {
      name: 'health',
      connections: 1,
      statementMs: CHECK_TIMEOUT_MS,
      onDropped: (error) => this.dropped.warn(error),
    });
  }

  private isWorkerRunning: (() => boolean) | null = null;

  readonly all: HealthIndicatorFunction[] = [
    () => this.checkStay(),
    () => this.check('database', 'down', 'The database does not respond.', () => this.pool.query('select 1')),
    () =>
      this.check('outbox', 'down', 'New messages cannot be stored.', async () => {
        if ((await this.append.get()) === null) throw new Error('an append failed');
      }),
    () =>
      // Records are stored, and the poll sends them: other processes use the same queue, so this
      // one stays in service.
      this.check('queue', 'degraded', 'The queue does not respond; records wait for the next poll.', () =>
        withTimeout(this.queue.getJobCounts('waiting'), QUEUE_CHECK_TIMEOUT_MS),
      ),
    () =>
      this.check(
        'migrations',
        'down',
        'The schema does not match this version. Start this version once to migrate.',
        () => this.checkMigrations(),
      ),
    () => this.checkWorker(),
  ];

  /** Reports the worker process of this API. */
  includeWorker(isRunning: () => boolean): void {
    this.isWorkerRunning = isRunning;
  }

  /**
   * Not ready from now on: load balancers route requests elsewhere before this process stops
   * listening.
   */
  leave(): void {
    this.leaving = true;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  private checkStay(): HealthIndicatorResult {
    const indicator = this.indicators.check('process');
    return this.leaving ? indicator.down({ message: 'This process is shutting down.' }) : indicator.up();
  }

  /** Degraded: records are stored, and delivered once the worker is running again. */
  private checkWorker(): HealthIndicatorResult {
    if (!this.isWorkerRunning) return {};
    const indicator = this.indicators.check('worker');
    return this.isWorkerRunning()
      ? indicator.up()
      : indicator.degraded({ message: 'The worker process is starting; records wait for it.' });
  }

  private async check(
    part: string,
    otherwise: 'down' | 'degraded',
    sentence: string,
    probe: () => Promise<unknown>,
  ): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(part);
    try {
      await withTimeout(probe(), CHECK_TIMEOUT_MS);
      return indicator.up();
    } catch {
      return otherwise === 'down'
        ? indicator.down({ message: sentence })
        : indicator.degraded({ message: sentence });
    }
  }

  /** Appends a message and rolls back: if this fails, ingest and sign-up fail too. */
  private async probeAppend(): Promise<true> {
    const client = await this.pool.connect();
    try {
      await client.query(`begin; set local lock_timeout = ${APPEND_LOCK_MS}`);
      await client.query(PROBE_APPEND);
    } catch (error) {
      if (!(error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)) throw error;
    } finally {
      await client.query('rollback').then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
    }
    return true;
  }

  /** Migrations are never reverted, so one success is enough for the life of the process. */
  private async checkMigrations(): Promise<void> {
    if (this.migrated) return;
    const pending = await missingMigrations(
      async (query) => (await this.pool.query<{ name: string }>(query)).rows,
    );
    if (pending.length > 0) throw new Error(`pending migrations: ${pending.join(', ')}`);
    this.migrated = true;
  }
}

function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no response in time')), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
