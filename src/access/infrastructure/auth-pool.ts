import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { InjectSettings, type Settings } from '../../shared/settings.js';

/** Connections for sign-in in one process: hashing a password, not the database, bounds sign-ins. */
const AUTH_POOL_MAX = 4;

/** The connections of better-auth and of the attempt counts. They are opened when first used. */
@Injectable()
export class AuthPool implements OnApplicationShutdown {
  readonly pool: Pool;

  constructor(@InjectSettings() settings: Settings) {
    this.pool = new Pool({
      connectionString: settings.databaseUrl,
      max: AUTH_POOL_MAX,
      application_name: 'consent-service sign-in',
      keepAlive: true,
    });
    // Without a listener, a connection that the server closes ends the process, idle or in a transaction.
    const logger = new Logger(AuthPool.name);
    this.pool.on('connect', (client) => client.on('error', () => {}));
    this.pool.on('error', (error) => logger.warn(`An idle connection was closed: ${error.message}`));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
