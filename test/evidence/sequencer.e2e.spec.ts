import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const processes = new Processes();
let database: TestDatabase;
let worker: ServiceProcess;
const projectId = newId();

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query(`insert into project (id, name) values ($1, 'A project')`, [projectId]);
  worker = await processes.startWorker({
    environment: {
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      AUTH_SECRET: randomBytes(32).toString('base64url'),
      DATA_DIR: processes.folder(),
      EVIDENCE_KEYS: `e1:${randomBytes(32).toString('base64')}`,
      EVIDENCE_SEAL_SECONDS: '1',
    },
  });
  await worker.ready();
});

afterAll(async () => {
  await processes.close();
  await database.close();
});

async function store(count: number): Promise<void> {
  await database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at)
     select $1, uuidv7(), true, false, true, 'custom', date_trunc('milliseconds', now())
     from generate_series(1, $2::int)`,
    [projectId, count],
  );
}

/** The size of the signed checkpoint, and the leaf indexes that were assigned. */
async function readLog(): Promise<{ signed: number; indexes: number[] }> {
  const [log] = await database.query<{ signed: number }>(
    `select coalesce(max(checkpoint_size), 0)::int as signed from evidence_log where log = $1`,
    [projectId],
  );
  const leaves = await database.query<{ at: number }>(
    'select leaf_index::int as at from evidence_leaf where project_id = $1 order by leaf_index',
    [projectId],
  );
  return { signed: log?.signed ?? 0, indexes: leaves.map(({ at }) => at) };
}

/** Terminates connections of the worker that wait for a lock, as an administrator would; returns their number. */
async function terminateWaiting(): Promise<number> {
  const ended = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'consent-service' and wait_event_type = 'Lock'`,
  );
  return ended.length;
}

const untilSigned = (count: number): Promise<unknown> =>
  until(`${count} records are signed`, async () => (await readLog()).signed === count);

it('continues after a connection breaks within a batch, and assigns no leaf index twice', async () => {
  await store(3);
  await untilSigned(3);
  // The lock stops a batch in the middle of its transaction. The records are stored before this transaction begins, so
  // it does not hold back the cursor.
  const other = new Client({ connectionString: database.ownerUrl });
  await other.connect();
  try {
    await store(4);
    await other.query('begin');
    await other.query('lock table evidence_leaf in share mode');
    await until('a batch waits', async () => (await terminateWaiting()) > 0);
  } finally {
    await other.query('rollback');
    await other.end();
  }
  await untilSigned(7);
  expect((await readLog()).indexes).toEqual([0, 1, 2, 3, 4, 5, 6]);
  // A connection failure does not count as a failure of the message.
  expect(worker.output()).not.toContain('outbox message failed');
});
