// A helper: `@c15t/backend` on PostgreSQL through its Kysely adapter, behind Hono's own server for Node, which is
// how it is meant to be run there.
import { c15tInstance } from '@c15t/backend';
import { kyselyAdapter } from '@c15t/backend/db/adapters/kysely';
import { migrator } from '@c15t/backend/db/migrator';
import { DB } from '@c15t/backend/db/schema';
import { serve } from '@hono/node-server';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { answerCalls } from './helper.mjs';

/** As many as the service's own pools have together, and more than it could use at the rate it reaches. */
const CONNECTIONS = 20;
const BASE_PATH = '/api/c15t';

answerCalls({
  /** @param {{ databaseUrl: string }} args */
  listen: async ({ databaseUrl }) => {
    const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS });
    pool.on('error', () => {});
    const adapter = kyselyAdapter({
      db: new Kysely({ dialect: new PostgresDialect({ pool }) }),
      provider: 'postgresql',
    });
    const migration = await migrator({ db: DB.client(adapter), schema: 'latest' });
    if ('execute' in migration) await migration.execute();
    const instance = c15tInstance({
      appName: 'bench',
      basePath: BASE_PATH,
      trustedOrigins: ['https://www.example.com'],
      apiKeys: ['bench'],
      adapter,
      logger: { level: 'error' },
    });
    const port = await new Promise((resolve) => {
      serve({ fetch: instance.handler, port: 0, hostname: '127.0.0.1' }, (address) => resolve(address.port));
    });
    return { baseUrl: `http://127.0.0.1:${port}`, path: `${BASE_PATH}/subjects` };
  },
});
