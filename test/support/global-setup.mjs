// Runs once before all test files: starts a PostgreSQL of this run's own and migrates the database that
// each file clones. Jest does not resolve TypeScript here, so this loads the compiled program, which
// `npm test` builds first.
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MikroORM } from '@mikro-orm/postgresql';
import { migrate } from '../../dist/platform/database/migrate.js';
import { ormOptions } from '../../dist/programs/orm-options.js';
import { startEmbeddedPostgres } from '../../dist/standalone/embedded-postgres.js';

export default async function globalSetup() {
  const folder = mkdtempSync(join(tmpdir(), 'consent-test-'));
  chmodSync(folder, 0o755);
  // The few tests about crash safety start a separate server.
  const server = await startEmbeddedPostgres(join(folder, 'postgres'), {
    fsync: 'off',
    max_connections: '400',
  });
  const orm = await MikroORM.init(ormOptions(server.ownerUrl));
  await migrate(orm, { ownerUrl: server.ownerUrl, runtimeUrl: server.databaseUrl });
  await orm.close();
  process.env.TEST_TEMPLATE_DATABASE_URL = server.databaseUrl;
  process.env.TEST_OWNER_URL = server.ownerUrl;
  process.env.TEST_SCANNER_URL = server.scannerUrl;
  process.env.TEST_SUPERUSER_URL = server.superuserUrl;
  globalThis.__testDatabase = { server, folder };
}
