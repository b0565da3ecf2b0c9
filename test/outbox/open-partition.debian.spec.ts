import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { DebianPostgres } from '../support/programs/debian.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import { until } from '../support/until.js';

/** Starts programs (`dist/`) on Debian's PostgreSQL, whose pg_dump and pg_restore it uses. */
const TEST_TIMEOUT_MS = 120_000;
/** No partition has this number before the tests open it. */
const NEW_PART = 9;
const DATABASE = 'service';

const processes = new Processes();
const clients: Client[] = [];
let postgres: DebianPostgres;

const environmentOf = (database: string): Record<string, string> => ({
  NODE_ENV: 'test',
  DATABASE_URL: postgres.url(database, 'postgres'),
  RUN_WORKER: 'false',
  SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  AUTH_SECRET: randomBytes(32).toString('base64url'),
  DATA_DIR: processes.folder(),
});

beforeAll(async () => {
  postgres = await DebianPostgres.start(processes.folder());
  await postgres.query('postgres', `create database ${DATABASE}`);
  const api = await start(DATABASE);
  await api.stop();
}, TEST_TIMEOUT_MS);

afterAll(async () => {
  for (const client of clients) await client.end().catch(() => {});
  await processes.close();
  await postgres.stop();
});

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: postgres.url(DATABASE, 'postgres') });
  // The server is killed below it.
  client.on('error', () => {});
  await client.connect();
  clients.push(client);
  return client;
}

/** Migrates the database at its start. */
async function start(database: string): Promise<ServiceProcess> {
  const api = await processes.startApi({ environment: environmentOf(database) });
  await api.ready();
  return api;
}

/** A sign-up appends its mail to the outbox. */
async function expectAppends(database: string): Promise<void> {
  const api = await start(database);
  const count = async (): Promise<number> =>
    (await postgres.query(database, 'select from outbox_message')).length;
  const before = await count();
  const response = await fetch(`${api.baseUrl}/v1/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: api.baseUrl },
    body: JSON.stringify({
      email: `${randomBytes(6).toString('hex')}@example.com`,
      password: 'correct horse battery',
    }),
  });
  expect(response.status).toBe(202);
  expect((await fetch(`${api.baseUrl}/health/ready`)).status).toBe(200);
  expect(await count()).toBe(before + 1);
  await api.stop();
}

describe('the open partition of the outbox', () => {
  it(
    'exists after a crash between its creation and the commit',
    async () => {
      const opening = await connect();
      await opening.query('begin');
      await opening.query(`select outbox_open(${NEW_PART})`);
      // Sequences are not transactional: another commit makes a new value of one durable.
      const other = await connect();
      await other.query(`insert into project (id, name) values (gen_random_uuid(), 'Shop')`);
      await postgres.kill();
      await postgres.revive();
      expect(
        await postgres.query(DATABASE, `select to_regclass('outbox_message_${NEW_PART}') as made`),
      ).toEqual([{ made: null }]);
      await expectAppends(DATABASE);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'is in a dump whose snapshot is older than a rotation',
    async () => {
      const holder = await connect();
      await holder.query('begin');
      await holder.query('lock table project in access exclusive mode');
      const file = join(processes.folder(), 'service.dump');
      // It takes its snapshot, and then waits for the lock.
      const dump = promisify(execFile)('pg_dump', [
        '--format=custom',
        `--file=${file}`,
        postgres.url(DATABASE, 'postgres'),
      ]);
      await until('pg_dump waits', async () => {
        const rows = await postgres.query(
          'postgres',
          `select from pg_stat_activity where application_name = 'pg_dump' and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      await postgres.query(DATABASE, `select outbox_open(${NEW_PART})`);
      await holder.query('commit');
      await dump;
      await postgres.query('postgres', 'create database restored');
      await promisify(execFile)('pg_restore', [
        '--single-transaction',
        `--dbname=${postgres.url('restored', 'postgres')}`,
        file,
      ]);
      await expectAppends('restored');
    },
    TEST_TIMEOUT_MS,
  );
});
