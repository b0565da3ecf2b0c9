import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MikroORM, type PostgreSqlConnection } from '@mikro-orm/postgresql';
import { ormOptions } from '../../src/programs/orm-options.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('closes while a connection opens, and the queries in progress end', async () => {
  const orm = await MikroORM.init(ormOptions(database.url));
  const pool = await (orm.em.getConnection() as PostgreSqlConnection).getNativeClient();
  const queries = [1, 2].map((number) => orm.em.fork().execute('select ? as number', [number]));
  // The start left one connection, so the second query opens another.
  while (pool.totalCount < queries.length) await setImmediate();
  await orm.close();
  expect(await Promise.all(queries)).toEqual([[{ number: 1 }], [{ number: 2 }]]);
  expect(pool.totalCount).toBe(0);
});
