import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { runMigrations } from 'bullmq';
import { Client } from 'pg';
import { migrate, pendingMigrations } from '../../src/platform/database/migrate.js';
import { ormOptions } from '../../src/programs/orm-options.js';
import { migrations } from '../../src/migrations/index.js';
import { startEmbeddedPostgres } from '../../src/standalone/embedded-postgres.js';
import { newId, uuidLowerBound } from '../../src/platform/identity/ids.js';
import { QUEUES } from '../../src/platform/database/queue.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { Processes } from '../support/programs/processes.js';

const INSUFFICIENT_PRIVILEGE = '42501';
const INVALID_PARAMETER = '22023';

let database: TestDatabase;
let runtime: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  runtime = new Client({ connectionString: database.url });
  await runtime.connect();
});

afterAll(async () => {
  await runtime.end();
  await database.close();
});

/** What PostgreSQL answers, as a code; `done` where it does it. */
const attempt = (statement: string, values: unknown[] = []): Promise<string> =>
  runtime.query(statement, values).then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('the role that serves', () => {
  it('is neither superuser nor owner of anything, and may make no role or database', async () => {
    const { rows } = await runtime.query(`
      select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
             (select count(*)::int from pg_class where relowner = r.oid) as tables,
             (select count(*)::int from pg_auth_members where member = r.oid) as memberships
      from pg_roles r where rolname = current_user`);
    expect(rows).toEqual([
      {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
        tables: 0,
        memberships: 0,
      },
    ]);
  });

  it.each([
    ['a table', 'create table mine (x int)'],
    ['a temporary table', 'create temporary table mine (x int)'],
    ['a schema', 'create schema mine'],
    ['a function', 'create function mine() returns int language sql as $$ select 1 $$'],
    ['a role', 'create role mine'],
    ['an extension', 'create extension dblink'],
    ['a table gone', 'drop table consent_record'],
    ['a partition gone', 'drop table delivery_failed'],
    ['a table empty', 'truncate consent_record'],
    ['a column more', 'alter table project add column mine int'],
    ['a table of its own', 'alter table project owner to current_user'],
    ['a trigger', 'create trigger mine before insert on project execute function now()'],
    ['triggers silent', "set session_replication_role = 'replica'"],
    ['itself superuser', 'alter role current_user superuser'],
    ['itself the owner', 'set role service_owner'],
    ['another log', "set log_statement = 'none'"],
    ['a setting of the server', "alter system set fsync = 'off'"],
    ['a program run', "copy (select 1) to program 'true'"],
    ['a file written', "copy (select 1) to '/tmp/mine'"],
    ['a file read', "select pg_read_file('PG_VERSION')"],
    ['a folder listed', "select pg_ls_dir('.')"],
    ['a password read', 'select rolpassword from pg_authid'],
    ['a library loaded', "load '/tmp/mine.so'"],
    ['a tier change changed', 'update tier_change set actor = null'],
    ['a tier change gone', 'delete from tier_change'],
    ['a price of another meaning', "update billing_price set tier = 'business'"],
    ['a price gone', 'delete from billing_price'],
    ['a grant changed', 'update billing_grant_log set operator = null'],
    ['a grant gone', 'delete from billing_grant_log'],
    ['what was published changed', "update publication set configuration = '{}'"],
    ['a migration undone', 'delete from schema_migration'],
    ["the queue's migrations undone", 'delete from bullmq.migration'],
    ["the queue's table changed", 'alter table bullmq.job add column mine int'],
    ['the number of a synchronisation set', "select setval('billing_sync_seq', 1)"],
  ])('may not have %s', async (_, statement) => {
    expect(await attempt(statement)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it.each(Object.values(QUEUES))('numbers the jobs of the queue %s, which is made for it', async (queue) => {
    const { rows } = await runtime.query<{ id: string }>('select bullmq.next_job_id($1) as id', [queue]);
    expect(Number(rows[0]?.id)).toBeGreaterThan(0);
    // What such a job costs without: BullMQ would make the sequence now.
    expect(await attempt(`select bullmq.next_job_id('another')`)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('has a change of tier written down, which goes with its project alone', async () => {
    const id = newId();
    await runtime.query("insert into project (id, name) values ($1, 'A project')", [id]);
    await runtime.query(
      `insert into tier_change (project_id, id, from_tier, to_tier, reason, tier_reason, at)
       values ($1, $1, 'lite', 'pro', 'simulate', 'active', now())`,
      [id],
    );
    expect(await attempt('delete from project where id = $1', [id])).toBe('done');
    expect(await database.query('select from tier_change where project_id = $1', [id])).toEqual([]);
  });

  it.each([
    ['of another table', "select partition_make('project', '2026-01-01')"],
    ['that begins within a month', "select partition_make('consent_record', '2026-01-02')"],
    ['that begins within a day', "select partition_make('delivery_failed', '2026-01-01 01:00Z')"],
    ['far ahead', "select partition_make('consent_record', '2099-01-01')"],
    ['long ago', "select partition_make('consent_record', '1999-01-01')"],
    [
      'whose name is a statement',
      "select partition_make('consent_record; drop table project', '2026-01-01')",
    ],
    ['of nothing', 'select partition_make(null, null)'],
  ])('may not have a partition made %s', async (_, statement) => {
    expect(await attempt(statement)).toBe(INVALID_PARAMETER);
  });

  it('may have nothing dropped that is younger than what is kept, nor what is no partition', async () => {
    const month = new Date(new Date().toISOString().slice(0, 7));
    await runtime.query(`select partition_make('consent_record', $1)`, [month]);
    const name = `consent_record_${month.toISOString().slice(0, 7).replace('-', '')}`;
    expect(await attempt(`select partition_drop('consent_record', $1)`, [name])).toBe(INVALID_PARAMETER);
    expect((await runtime.query(`select partition_drop('consent_record', 'project') as gone`)).rows).toEqual([
      { gone: false },
    ]);
    expect(await attempt(`select partition_drop('project', 'project')`)).toBe('done');
    expect(await database.query('select id from project limit 1')).toEqual([]);
  });
});

describe('a database that one role owns and serves', () => {
  const processes = new Processes();
  afterAll(() => processes.close());

  it('changes hands at the next start, with its rows', async () => {
    const folder = join(processes.dataFolder(), 'postgres');
    const former = await startEmbeddedPostgres(folder);
    await makeWithOneRole(former.superuserUrl);
    await former.stop();

    const server = await startEmbeddedPostgres(folder);
    try {
      const orm = await MikroORM.init(ormOptions(server.ownerUrl));
      await migrate(orm, { ownerUrl: server.ownerUrl, runtimeUrl: server.databaseUrl });
      await orm.close();
      const client = new Client({ connectionString: server.databaseUrl });
      await client.connect();
      const { rows } = await client.query(
        `select (select count(*)::int from consent_record) as records, count(*)::int as left_over from pg_class
         where relnamespace in ('public'::regnamespace, 'bullmq'::regnamespace)
         and relowner <> 'service_owner'::regrole`,
      );
      expect(rows).toEqual([{ records: 1, left_over: 0 }]);
      await client.query(`select partition_make('consent_record', '2026-02-01')`);
      expect(
        (await client.query(`select partition_drop('consent_record', 'consent_record_202601')`)).rowCount,
      ).toBe(1);
      expect((await client.query('select from consent_record')).rowCount).toBe(0);
      await client.end();
    } finally {
      await server.stop();
    }
  });

  it('leaves alone what somebody else keeps in the same schema', async () => {
    await database.query('create table report (id bigserial primary key)');
    await database.query('create function report_of() returns int language sql as $$ select 1 $$');
    await database.query('revoke execute on function report_of() from public');
    const orm = await MikroORM.init(ormOptions(database.ownerUrl));
    await migrate(orm, { ownerUrl: database.ownerUrl, runtimeUrl: database.url });
    await orm.close();
    expect(await attempt('select * from report')).toBe(INSUFFICIENT_PRIVILEGE);
    expect(await attempt('select report_of()')).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('tells the role that serves what is missing, and needs no right to tell', async () => {
    const orm = await MikroORM.init(ormOptions(database.url));
    expect(await pendingMigrations(orm)).toEqual([]);
    const last = migrations.at(-1)?.name;
    await database.query('delete from schema_migration where name = $1', [last]);
    expect(await pendingMigrations(orm)).toEqual([last]);
    await orm.close();
  });
});

/** Creates the database again as the superuser, who owns all tables; there is no other role. */
async function makeWithOneRole(superuserUrl: string): Promise<void> {
  const maintenance = new Client({
    connectionString: Object.assign(new URL(superuserUrl), { pathname: '/postgres' }).href,
  });
  await maintenance.connect();
  await maintenance.query('drop database service');
  await maintenance.query('drop role service_owner');
  await maintenance.query('drop role service_runtime');
  await maintenance.query('create database service');
  await maintenance.end();

  const orm = await MikroORM.init(ormOptions(superuserUrl));
  await orm.migrator.up();
  await orm.close();
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  await runMigrations(client, 'bullmq');
  const [from, to] = [new Date('2026-01-01'), new Date('2026-02-01')].map(uuidLowerBound);
  await client.query('create table consent_record_202601 (like consent_record including all)');
  await client.query(
    `alter table consent_record attach partition consent_record_202601 for values from ('${from}') to ('${to}')`,
  );
  await client.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action)
     values ($1, $1, true, true, true, 'custom')`,
    [from],
  );
  await client.end();
}

describe('the role of scanners', () => {
  let scanner: Client;

  beforeAll(async () => {
    scanner = new Client({ connectionString: database.scannerUrl });
    await scanner.connect();
  });

  afterAll(() => scanner.end());

  it('may touch no table but those of scans', async () => {
    const { rows } = await scanner.query<{ name: string; privileges: string }>(
      `select c.relname as name, string_agg(p, ', ' order by p) as privileges
       from pg_class c, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) p
       where relnamespace in ('public'::regnamespace, 'bullmq'::regnamespace) and relkind in ('r', 'p', 'v', 'm')
         and has_table_privilege(c.oid, p)
       group by c.relname order by c.relname`,
    );
    expect(rows).toEqual([
      { name: 'scan', privileges: 'SELECT, UPDATE' },
      { name: 'scan_account_hour', privileges: 'INSERT, SELECT, UPDATE' },
      { name: 'scan_artifact', privileges: 'INSERT, SELECT, UPDATE' },
      { name: 'scan_host', privileges: 'INSERT, SELECT, UPDATE' },
      { name: 'scan_host_scan', privileges: 'DELETE, INSERT, SELECT, UPDATE' },
      { name: 'scan_item', privileges: 'DELETE, INSERT, SELECT' },
      { name: 'scan_page', privileges: 'INSERT, SELECT, UPDATE' },
      { name: 'scan_state', privileges: 'INSERT, SELECT, UPDATE' },
      { name: 'scanner', privileges: 'DELETE, INSERT, SELECT, UPDATE' },
    ]);
  });

  it('may use no sequence, and no function of the owner but the one that announces a scan', async () => {
    const { rows } = await scanner.query(
      `select c.relname as name from pg_class c
       where relnamespace in ('public'::regnamespace, 'bullmq'::regnamespace) and relkind = 'S'
         and (has_sequence_privilege(c.oid, 'USAGE') or has_sequence_privilege(c.oid, 'SELECT'))
       union all
       select p.proname from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.prosecdef and has_function_privilege(p.oid, 'EXECUTE')`,
    );
    expect(rows).toEqual([{ name: 'scan_finished' }]);
  });

  it('announces only a scan that its transaction ended', async () => {
    const [projectId, scanId] = [newId(), newId()];
    await database.query("insert into project (id, name) values ($1, 'Scanned')", [projectId]);
    await database.query(
      `insert into scan (project_id, id, status, urls, domains, pages_max)
       values ($1, $2, 'running', '{https://shop.example/}', '{shop.example}', 30)`,
      [projectId, scanId],
    );
    const announce = (): Promise<unknown> =>
      scanner.query('select scan_finished($1, $2, $1)', [projectId, scanId]);
    await expect(announce()).rejects.toMatchObject({ code: '23514' });
    await scanner.query('begin');
    await scanner.query("update scan set status = 'completed', ended_at = now() where id = $1", [scanId]);
    await announce();
    await scanner.query('commit');
    await expect(announce()).rejects.toMatchObject({ code: '23514' });
    expect(
      await database.query('select topic, subject_id from outbox_message where project_id = $1', [projectId]),
    ).toEqual([{ topic: 'scan.finished', subject_id: scanId }]);
  });
});
