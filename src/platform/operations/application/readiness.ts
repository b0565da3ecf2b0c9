import { InjectQueue } from '@nestjs/bullmq';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  type HealthIndicatorFunction,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import type { Queue } from 'bullmq';
import type { Pool } from 'pg';
import { missingMigrations } from '../../database/migrate.js';
import { OUTBOX_QUEUE } from '../../outbox/outbox.module.js';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { openPool } from '../../database/postgres-pool.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';

/** A part that has not answered by then counts as down. */
const CHECK_TIMEOUT_MS = 2_000;
/**
 * The queue counts as away sooner: without Redis the answer is still 200, and it has to come before a load balancer
 * or Kubernetes stops waiting (a second, as it comes), or all APIs would be taken out of service at once.
 */
const QUEUE_CHECK_TIMEOUT_MS = 300;

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
      // Records are stored, and the poll sends them: other processes have the same queue and would do no better.
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

  /** From now on not ready: load balancers route requests elsewhere before this process stops listening. */
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

  /** Degraded: records are stored, and the worker delivers them when it is back. */
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

  /** Migrations only ever go forward, so one good answer is enough for the life of the process. */
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
