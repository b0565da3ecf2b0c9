import { InjectQueue } from '@nestjs/bullmq';
import { Injectable } from '@nestjs/common';
import {
  type HealthIndicatorFunction,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Queue } from 'bullmq';
import { sql } from 'kysely';
import { pendingMigrations } from '../database/migrate.js';
import { OUTBOX_QUEUE } from '../outbox/outbox.module.js';

/** A part that has not answered by then counts as down. */
const CHECK_TIMEOUT_MS = 2_000;

/** The checks behind `/health/ready`. Their answers name no host and repeat no error of a driver. */
@Injectable()
export class ReadinessChecks {
  private migrated = false;

  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly orm: MikroORM,
    @InjectQueue(OUTBOX_QUEUE) private readonly queue: Queue,
  ) {}

  readonly all: HealthIndicatorFunction[] = [
    () =>
      this.check('database', 'The database does not answer.', () =>
        sql`select 1`.execute(this.orm.em.fork().getKysely()),
      ),
    () =>
      this.check('queue', 'The queue does not answer; records wait for the poll.', () =>
        this.queue.getJobCounts('waiting'),
      ),
    () =>
      this.check('migrations', 'The schema is not the one of this version; start it once to migrate.', () =>
        this.checkMigrations(),
      ),
  ];

  private async check(
    part: string,
    sentence: string,
    probe: () => Promise<unknown>,
  ): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(part);
    try {
      await withTimeout(probe());
      return indicator.up();
    } catch {
      return indicator.down({ message: sentence });
    }
  }

  /** Migrations only ever go forward, so one good answer is enough for the life of the process. */
  private async checkMigrations(): Promise<void> {
    if (this.migrated) return;
    const pending = await pendingMigrations(this.orm);
    if (pending.length > 0) throw new Error(`pending migrations: ${pending.join(', ')}`);
    this.migrated = true;
  }
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
