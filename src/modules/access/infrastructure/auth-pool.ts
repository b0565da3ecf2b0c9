import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { openPool } from '../../database/postgres-pool.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type DatabaseSettings, databaseSettings } from '../../database/database.settings.js';

/** Connections for sign-in in one process: hashing a password, not the database, bounds sign-ins. */
const AUTH_POOL_MAX = 4;
/** Sign-ins queue for the connections rather than fail in a rush. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A sign-in asks for single rows. */
const STATEMENT_TIMEOUT_MS = 10_000;

/** The connections of better-auth and of the attempt counts. They are opened when first used. */
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
