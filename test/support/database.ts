import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { ormOptions } from '../../src/database/orm-options.js';

/** A database of one test file, cloned from the migrated template. */
export interface TestDatabase {
  url: string;
  orm: MikroORM;
  /** Runs SQL outside the service, as a person with psql would. */
  query<Row extends Record<string, unknown>>(sql: string, params?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const templateUrl = (): string => {
  const url = process.env.TEST_TEMPLATE_DATABASE_URL;
  if (!url) throw new Error('The test database is not there: run tests through npm test.');
  return url;
};

/** Clones the template; call in `beforeAll`, and `close()` in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = new URL(templateUrl());
  const templateName = template.pathname.slice(1);
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(`create database ${name} template ${templateName}`);
  const url = Object.assign(new URL(template), { pathname: `/${name}` }).href;

  const orm = await MikroORM.init(ormOptions(url));
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    url,
    orm,
    query: async <Row extends Record<string, unknown>>(sql: string, params: unknown[] = []) =>
      (await client.query<Row>(sql, params)).rows,
    close: async () => {
      await client.end();
      await orm.close();
      await asAdministrator(`drop database ${name} with (force)`);
    },
  };
}

async function asAdministrator(sql: string): Promise<void> {
  const client = new Client({
    connectionString: Object.assign(new URL(templateUrl()), { pathname: '/postgres' }).href,
  });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
