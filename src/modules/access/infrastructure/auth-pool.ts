import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { openPool } from '../../../platform/database/postgres-pool.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../../platform/database/database.settings.js';

/** Connections for sign-in in one process: the bottleneck is password hashing, not the database. */
const AUTH_POOL_MAX = 4;
/** Long, so that a rush of sign-ins queues for the connections instead of failing. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Sign-in queries read single rows. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** The connections of better-auth and of the attempt counts, opened on first use. */
@Injectable()
export class AuthPool implements OnApplicationShutdown {
  readonly pool: Pool;

  constructor(@InjectSettings(databaseSettings) database: DatabaseSettings) {
    const logger = new Logger(AuthPool.name);
    this.pool = openPool(database, {
      name: 'sign-in',
      connections: AUTH_POOL_MAX,
      statementMs: STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      onDropped: (error) => logger.warn(`an idle connection was closed: ${error.message}`),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
