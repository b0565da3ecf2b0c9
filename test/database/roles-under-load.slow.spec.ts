import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { createHttpApp } from '../../src/programs/http-app.js';
import { ormOptions } from '../../src/programs/orm-options.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { choose } from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { closeApp, type TestService, testSettings } from '../support/programs/service.js';
import { until } from '../support/until.js';

const ROLES = readFileSync('deploy/postgres/roles.sql', 'utf8');
/** Callers at once; each sends its next request when the last one is answered. */
const CALLERS = 4;
const ANSWER_MAX_MS = 5_000;

/** A role that owns everything and serves, as before there were two. */
const FORMER = `service_former_${randomBytes(4).toString('hex')}`;
const PASSWORD = randomBytes(12).toString('hex');

let database: TestDatabase;
let formerUrl: string;

/** Runs `roles.sql` as docs/deploy.md shows it, with the passwords that the roles have. */
async function runRoles(text: string, passwords: Record<string, string> = {}): Promise<void> {
  const superuser = new URL(process.env['TEST_SUPERUSER_URL'] ?? '');
  superuser.pathname = new URL(database.url).pathname;
  const settings = {
    'service.owner_password': new URL(database.ownerUrl).password,
    'service.runtime_password': new URL(database.url).password,
    ...passwords,
  };
  const options = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const client = new Client({ connectionString: superuser.href, options });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

async function serve(databaseUrl: string): Promise<TestService> {
  const settings = testSettings(databaseUrl, { RUN_WORKER: 'true' });
  const app = await createHttpApp(settings);
  await app.listen(0, '127.0.0.1');
  return { app, database, settings, baseUrl: await app.getUrl(), close: () => closeApp(app) };
}

beforeAll(async () => {
  database = await createTestDatabase();
  await runRoles(ROLES.replaceAll('service_owner', FORMER), {
    [`${FORMER.replace('service_', 'service.')}_password`]: PASSWORD,
  });
  await database.query(`revoke ${FORMER} from service_owner`);
  const url = new URL(database.url);
  [url.username, url.password] = [FORMER, PASSWORD];
  formerUrl = url.href;
});

afterAll(async () => {
  const superuser = new Client({ connectionString: process.env['TEST_SUPERUSER_URL'] ?? '' });
  await database.close();
  await superuser.connect();
  await superuser.query(`drop role ${FORMER}`);
  await superuser.end();
});

describe('roles.sql, run while a version with one role serves', () => {
  it('refuses no request, and the version with two roles takes over', async () => {
    const former = await serve(formerUrl);
    const project = await createTestProject(former);
    const load = startLoad(former, project);
    try {
      await until('some answers', () => load.answers > 20);
      // Objects created after roles.sql has ended keep its role until the next run, so wait for
      // these first.
      await until('the partitions of the start', async () => {
        const [made] = await database.query(
          "select count(*)::int as n from pg_inherits where inhparent = 'evidence_leaf'::regclass",
        );
        return Number((made as { n: number }).n) >= 4;
      });
      const report = await openReport();
      const moved = runRoles(ROLES);
      // The report keeps a table for longer than one attempt to lock it lasts.
      await until('a wait for the report', waitsForLock);
      const before = load.answers;
      await until('answers while it waits', () => load.answers > before + 20);
      await createPartition();
      await report.end();
      await moved;
      const orm = await MikroORM.init(ormOptions(database.ownerUrl));
      await migrate(orm, { ownerUrl: database.ownerUrl, runtimeUrl: database.url });
      await orm.close();

      const current = await serve(database.url);
      const currentLoad = startLoad(current, project);
      await until('answers of both', () => currentLoad.answers > 20);
      expect(await load.end()).toEqual([]);
      await former.close();
      await database.query(`revoke service_owner from ${FORMER}`);
      const sofar = currentLoad.answers;
      await until('answers of the new one alone', () => currentLoad.answers > sofar + 20);
      expect(await currentLoad.end()).toEqual([]);
      await current.close();
    } finally {
      await load.end();
    }
    const [left] = await database.query(
      `select count(*)::int as tables from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname = $1`,
      [FORMER],
    );
    expect(left).toEqual({ tables: 0 });
  });
});

/** A transaction that reads a table, as pg_dump does. */
async function openReport(): Promise<Client> {
  const report = new Client({ connectionString: formerUrl });
  await report.connect();
  await report.query('begin');
  await report.query('select from project limit 1');
  return report;
}

/** As the former version's maintenance does, while roles.sql is at work. */
async function createPartition(): Promise<void> {
  const former = new Client({ connectionString: formerUrl });
  await former.connect();
  await former.query(
    `create table evidence_leaf_late partition of evidence_leaf
     for values from ('fffffffe-0000-0000-0000-000000000000') to ('fffffffe-0000-0000-0000-000000000001')`,
  );
  await former.end();
}

async function waitsForLock(): Promise<boolean> {
  const rows = await database.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%roles.sql%'`,
  );
  return rows.length > 0;
}

interface Load {
  readonly answers: number;
  /** Stops the callers; returns the requests that were refused or took too long. */
  end(): Promise<string[]>;
}

function startLoad(service: TestService, project: TestProject): Load {
  const refused: string[] = [];
  let answers = 0;
  const ending = new AbortController();
  const asViewer = { headers: { authorization: `Bearer ${project.keys.viewer}` } };
  const request = async (turn: number): Promise<[string, number]> =>
    turn % 2 === 0
      ? ['consent', (await choose(service, project.id)).status]
      : ['read', (await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, asViewer)).status];
  const call = async (): Promise<void> => {
    for (let turn = 0; !ending.signal.aborted; turn++) {
      const startedMs = performance.now();
      const [what, status] = await request(turn);
      const tookMs = performance.now() - startedMs;
      answers += 1;
      if (status >= 400 || tookMs > ANSWER_MAX_MS) refused.push(`${what}: ${status} after ${tookMs} ms`);
    }
  };
  const callers = Array.from({ length: CALLERS }, call);
  return {
    get answers() {
      return answers;
    },
    end: async () => {
      ending.abort();
      await Promise.all(callers);
      return refused;
    },
  };
}
