import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { ormOptions } from '../../../src/programs/orm-options.js';
import { closedWithFile } from '../left-open.js';

/** A database of one test file, cloned from the migrated template. */
export interface TestDatabase {
  /** As the run-time role, so that tests run with its privileges. */
  url: string;
  /** As the role that migrates. */
  ownerUrl: string;
  /** As the role of scanners. */
  scannerUrl: string;
  orm: MikroORM;
  /** As the server's superuser: runs SQL outside the service, as a person with psql would. */
  query<Row extends Record<string, unknown>>(sql: string, params?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

type UrlName = 'TEST_TEMPLATE_DATABASE_URL' | 'TEST_OWNER_URL' | 'TEST_SCANNER_URL' | 'TEST_SUPERUSER_URL';

/** A URL of the server that the run has started; `database` other than the template's. */
function serverUrl(name: UrlName, database: string): string {
  const url = process.env[name];
  if (!url) throw new Error('The test database is not there: run tests through npm test.');
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

/** Clones the template; call in `beforeAll`, and `close()` in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const templateName = new URL(process.env.TEST_TEMPLATE_DATABASE_URL ?? '').pathname.slice(1);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(`create database ${name} template ${templateName} owner service_owner`);
  await asAdministrator(`revoke temporary on database ${name} from public`);
  const url = serverUrl('TEST_TEMPLATE_DATABASE_URL', name);

  const orm = await MikroORM.init(ormOptions(url));
  const client = new Client({ connectionString: serverUrl('TEST_SUPERUSER_URL', name) });
  // The next query reports it; a server that stops must not end the whole run.
  client.on('error', () => {});
  await client.connect();
  return {
    url,
    ownerUrl: serverUrl('TEST_OWNER_URL', name),
    scannerUrl: serverUrl('TEST_SCANNER_URL', name),
    orm,
    query: async <Row extends Record<string, unknown>>(sql: string, params: unknown[] = []) =>
      (await client.query<Row>(sql, params)).rows,
    close: closedWithFile(async () => {
      await client.end();
      await orm.close();
      await asAdministrator(`drop database ${name} with (force)`);
    }),
  };
}

async function asAdministrator(sql: string): Promise<void> {
  const client = new Client({
    connectionString: serverUrl('TEST_SUPERUSER_URL', 'postgres'),
  });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
