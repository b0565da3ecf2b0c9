import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newId } from '../../src/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { Processes, type ServiceProcess } from '../support/processes.js';
import { until } from '../support/until.js';

const TEST_TIMEOUT_MS = 120_000;
const DEADLINE_MS = 60_000;
/** Of those after the name of the thread (proc_pid_stat(5)). */
const NICE_FIELD = 16;
/** Name of the thread's connections. */
const SEQUENCER = 'consent-service sequencer';

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
}, TEST_TIMEOUT_MS);

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

/** Terminates the thread's connections as an administrator would; returns their number. */
async function terminateConnections(state: string): Promise<number> {
  const ended = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1 and wait_event_type like $2`,
    [SEQUENCER, state],
  );
  return ended.length;
}

/** Scheduling priorities of the threads of the worker: 0 is the usual one, more is lower. */
function threadPriorities(): number[] {
  const folder = `/proc/${worker.pid}/task`;
  return readdirSync(folder).map((thread) => {
    // The name, in parentheses, may contain spaces.
    const fields =
      readFileSync(join(folder, thread, 'stat'), 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return Number(fields[NICE_FIELD]);
  });
}

const untilSigned = (count: number): Promise<unknown> =>
  until(`${count} records are signed`, async () => (await readLog()).signed === count, DEADLINE_MS);

it(
  'sequences on separate connections, and continues after one of them breaks within a batch',
  async () => {
    await store(3);
    await untilSigned(3);
    // The main thread keeps its priority.
    expect(threadPriorities().filter((priority) => priority > 0)).toHaveLength(1);
    // The pool keeps it for some seconds after a batch.
    await until('the thread has a connection', () => terminateConnections('%').then((count) => count > 0));

    // The lock stops a batch in the middle of its transaction. The records are stored before this transaction begins, so
    // it does not hold back the cursor.
    const other = new Client({ connectionString: database.ownerUrl });
    await other.connect();
    try {
      await store(4);
      await other.query('begin');
      await other.query('lock table evidence_leaf in share mode');
      await until(
        'a batch waits',
        () => terminateConnections('Lock').then((count) => count > 0),
        DEADLINE_MS,
      );
    } finally {
      await other.query('rollback');
      await other.end();
    }
    await untilSigned(7);
    expect((await readLog()).indexes).toEqual([0, 1, 2, 3, 4, 5, 6]);
    // A connection failure does not count as a failure of the message.
    expect(worker.output()).not.toContain('outbox message failed');
  },
  TEST_TIMEOUT_MS,
);

it('stops with the worker', async () => {
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  await until('its connections are closed', async () => {
    const rest = await database.query('select from pg_stat_activity where application_name = $1', [
      SEQUENCER,
    ]);
    return rest.length === 0;
  });
});
