import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newId } from '../../src/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { Processes, type ServiceProcess } from '../support/processes.js';
import { until } from '../support/until.js';

const TEST_TIMEOUT_MS = 120_000;
const DEADLINE_MS = 60_000;
/** As the thread names its connections. */
const SEALING = 'consent-service sealing';

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

/** Records that a signed checkpoint covers, and the places that were given. */
async function sealed(): Promise<{ signed: number; places: number[] }> {
  const [log] = await database.query<{ signed: number }>(
    `select coalesce(max(checkpoint_size), 0)::int as signed from evidence_log where log = $1`,
    [projectId],
  );
  const leaves = await database.query<{ at: number }>(
    'select leaf_index::int as at from evidence_leaf where project_id = $1 order by leaf_index',
    [projectId],
  );
  return { signed: log?.signed ?? 0, places: leaves.map(({ at }) => at) };
}

/** Ends the thread's connections as an administrator does; returns how many there were. */
async function breakOff(state: string): Promise<number> {
  const ended = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1 and wait_event_type like $2`,
    [SEALING, state],
  );
  return ended.length;
}

const allSealed = (count: number): Promise<unknown> =>
  until(`${count} records are sealed`, async () => (await sealed()).signed === count, DEADLINE_MS);

it(
  'seals on connections of a thread of its own, and goes on after one of them broke off in the middle of a step',
  async () => {
    await store(3);
    await allSealed(3);
    // It is kept for some seconds after its step, between steps as well.
    await until('the thread has a connection', () => breakOff('%').then((count) => count > 0));

    // A step that may not write its leaves is in the middle of its transaction. What is stored before this one begins is
    // not held back by it.
    const other = new Client({ connectionString: database.ownerUrl });
    await other.connect();
    try {
      await store(4);
      await other.query('begin');
      await other.query('lock table evidence_leaf in share mode');
      await until('a step waits', () => breakOff('Lock').then((count) => count > 0), DEADLINE_MS);
    } finally {
      await other.query('rollback');
      await other.end();
    }
    await allSealed(7);
    expect((await sealed()).places).toEqual([0, 1, 2, 3, 4, 5, 6]);
    // A failure of the connection is no fault of the message: nothing is counted against it.
    expect(worker.output()).not.toContain('outbox message failed');
  },
  TEST_TIMEOUT_MS,
);

it('ends with the worker', async () => {
  expect(await worker.stop()).toEqual({ code: 0, signal: null });
  await until('its connections have ended', async () => {
    const rest = await database.query('select from pg_stat_activity where application_name = $1', [SEALING]);
    return rest.length === 0;
  });
});
