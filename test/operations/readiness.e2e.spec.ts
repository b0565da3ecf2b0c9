import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Long enough for the test's requests, also on a busy machine. */
const DELAY_MS = 4_000;
/** Longer than a probe of the outbox is shared. */
const PROBE_SHARED_MS = 1_500;

describe('a process that was told to stop', () => {
  const processes = new Processes();
  let database: TestDatabase;
  let api: ServiceProcess;

  beforeAll(async () => {
    database = await createTestDatabase();
    api = await processes.startApi({
      environment: {
        DATABASE_URL: database.url,
        NODE_ENV: 'test',
        DATA_DIR: processes.folder(),
        SHUTDOWN_DELAY_MS: String(DELAY_MS),
      },
    });
    await api.ready();
  });
  afterAll(async () => {
    await processes.close();
    await database.close();
  });

  it('says that it is not ready, and answers requests for SHUTDOWN_DELAY_MS all the same', async () => {
    const ready = (): Promise<Response> => fetch(`${api.baseUrl}/health/ready`);
    expect((await ready()).status).toBe(200);
    const stoppedMs = performance.now();
    api.signal('SIGTERM');
    const refusal = await until('it is not ready', async () => {
      const response = await ready();
      return response.status === 503 ? response : null;
    });
    expect(await refusal.json()).toMatchObject({
      status: 'error',
      error: { process: { status: 'down' } },
      info: { database: { status: 'up' } },
    });
    expect((await fetch(`${api.baseUrl}/v1/pricing`)).status).toBe(200);
    expect((await fetch(`${api.baseUrl}/health/live`)).status).toBe(200);
    expect(await api.exit()).toEqual({ code: 0, signal: null });
    expect(performance.now() - stoppedMs).toBeGreaterThanOrEqual(DELAY_MS);
  });
});

describe('a process whose database lacks a migration', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('says so each time, until the database has it', async () => {
    const ready = (): Promise<Response> => fetch(`${service.baseUrl}/health/ready`);
    const owner = new Client({ connectionString: service.database.ownerUrl });
    await owner.connect();
    const { rows } = await owner.query<{ name: string }>(
      'delete from schema_migration where name = (select max(name) from schema_migration) returning name',
    );
    for (const _time of ['first', 'second', 'third']) {
      const refusal = await ready();
      expect([refusal.status, await refusal.json()]).toMatchObject([
        503,
        { error: { migrations: { status: 'down' } }, info: { database: { status: 'up' } } },
      ]);
    }
    await owner.query('insert into schema_migration (name) values ($1)', [rows[0]?.name]);
    await owner.end();
    expect((await ready()).status).toBe(200);
  });
});

describe('a process that cannot append to the outbox', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());
  const ready = (): Promise<Response> => fetch(`${service.baseUrl}/health/ready`);

  it('is not ready, and is ready again when appends work', async () => {
    expect((await ready()).status).toBe(200);
    await service.database.query('alter table outbox_message detach partition outbox_message_0');
    const refusal = await until('it is not ready', async () => {
      const response = await ready();
      return response.status === 503 ? response : null;
    });
    expect(await refusal.json()).toMatchObject({
      error: { outbox: { status: 'down', message: 'New messages cannot be stored.' } },
      info: { database: { status: 'up' } },
    });
    await service.database.query(
      'alter table outbox_message attach partition outbox_message_0 for values in (0)',
    );
    await until('it is ready', async () => (await ready()).status === 200);
    expect(await service.database.query('select from outbox_message')).toEqual([]);
  });

  it('stays ready while a migration holds the outbox, because appends wait and do not fail', async () => {
    const holder = new Client({ connectionString: service.database.ownerUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table outbox_message in access exclusive mode');
    // Later answers come from a probe that met the lock.
    for (const fromMs = performance.now(); performance.now() - fromMs < PROBE_SHARED_MS;)
      expect((await ready()).status).toBe(200);
    expect((await ready()).status).toBe(200);
    await holder.end();
  });
});
