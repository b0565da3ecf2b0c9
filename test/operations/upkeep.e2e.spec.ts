import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createHttpApp } from '../../src/app/http-app.js';
import { Upkeep } from '../../src/shared/upkeep.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { testSettings } from '../support/service.js';
import { until } from '../support/until.js';

/** Every task that the service has; a new one is written down here. */
const TASKS = [
  'billing-prune',
  'billing-reconcile',
  'billing-undelivered',
  'consent-partitions',
  'consent-rollup',
  'delivery-partitions',
  'tier-sweep',
];
/** Older than any retention. */
const EXPIRED = '2020-03-01T00:00:00Z';
const PARTITIONED = ['consent_record', 'delivery_settled', 'delivery_failed'];

let database: TestDatabase;
let app: NestExpressApplication;
const run = new Set<string>();

beforeAll(async () => {
  database = await createTestDatabase();
  for (const parent of PARTITIONED) await database.query(`select partition_make($1, $2)`, [parent, EXPIRED]);
  const register = Upkeep.prototype.register;
  jest.spyOn(Upkeep.prototype, 'register').mockImplementation(function (this: Upkeep, task) {
    register.call(this, {
      ...task,
      run: async (now) => {
        await task.run(now);
        run.add(task.name);
      },
    });
  });
  app = await createHttpApp(testSettings(database.url, { RUN_WORKER: 'true' }));
  await app.init();
});

afterAll(async () => {
  jest.restoreAllMocks();
  await app.close();
  await database.close();
});

const partitionsOf2020 = () =>
  database.query(
    `select relname from pg_class where relispartition and relname like '%2020%' and relkind = 'r'`,
  );

describe(Upkeep.name, () => {
  it('runs every task of every module on a worker', async () => {
    expect(
      app
        .get(Upkeep)
        .tasks.map(({ name }) => name)
        .toSorted(),
    ).toEqual(TASKS);
    await until('all tasks have run', () => run.size === TASKS.length);
    expect([...run].toSorted()).toEqual(TASKS);
  });

  it('drops the partitions of records and deliveries that are older than their retention', async () => {
    await until('they are gone', async () => (await partitionsOf2020()).length === 0);
  });

  it('refuses two tasks of one name', () => {
    const task = { name: 'twice', everyMs: 1, run: () => Promise.resolve() };
    const upkeep = new Upkeep();
    upkeep.register(task);
    expect(() => upkeep.register(task)).toThrow('Two upkeep tasks are called twice.');
  });
});
