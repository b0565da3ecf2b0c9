import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../../src/migrations/index.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';

const MORE_THAN_THE_POOL = 30;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.close());

interface Answer {
  exitCode: number;
  text: string;
}

/** The command line's output, with the owner's credentials. */
function mikroOrm(...args: string[]): Promise<Answer> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NO_COLOR: '1',
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
  };
  const cli = join('node_modules', '@mikro-orm', 'cli', 'cli.js');
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], { env }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, text: stdout + stderr }),
    );
  });
}

/** As a migration does it: what belongs to another role, the owner does not see. */
async function asOwner(...statements: string[]): Promise<void> {
  await database.query('set role service_owner');
  for (const statement of statements) await database.query(statement);
  await database.query('reset role');
}

/** What would have to be done for the tables to be what the entities say; empty where nothing. */
async function difference(): Promise<string> {
  return (await database.orm.schema.getUpdateSchemaSQL({ wrap: false })).trim();
}

describe('a pool of the ORM', () => {
  it('gets back the connections of transactions that broke', async () => {
    const breaks = Array.from({ length: MORE_THAN_THE_POOL }, () =>
      database.orm.em
        .fork()
        .transactional((tx) => tx.execute('select pg_terminate_backend(pg_backend_pid())')),
    );
    const ends = await Promise.allSettled(breaks);
    expect(ends.map(({ status }) => status)).not.toContain('fulfilled');
    const rows = await database.orm.em.fork().transactional((tx) => tx.execute('select 1 as one'));
    expect(rows).toEqual([{ one: 1 }]);
  });
});

describe('npx mikro-orm', () => {
  it('finds the configuration and the database', async () => {
    const { exitCode, text } = await mikroOrm('debug');
    expect(exitCode).toBe(0);
    expect(text).toContain('database connection successful');
    expect(text).not.toContain('TypeScript files might not work');
  });

  it('lists every migration as done, and the one that is missing as pending', async () => {
    const { text } = await mikroOrm('migration:list');
    expect(migrations.filter(({ name }) => !text.includes(name))).toEqual([]);
    const last = migrations.at(-1)?.name ?? '';
    await database.query('delete from schema_migration where name = $1', [last]);
    expect((await mikroOrm('migration:pending')).text).toContain(last);
    await database.query('insert into schema_migration (name, executed_at) values ($1, now())', [last]);
  });

  it('finds no difference on a migrated database, with partitions and views of extensions', async () => {
    for (const [parent, step] of [
      ['consent_record', 'month'],
      ['delivery_settled', 'day'],
      ['delivery_failed', 'day'],
    ])
      await database.query(`select partition_make($1, date_trunc($2, now(), 'UTC'))`, [parent, step]);
    // As an extension does, for instance pg_stat_statements.
    await asOwner('create view of_an_extension as select 1 as one');
    // The text first: where it is another, it says what differs.
    expect((await mikroOrm('schema:update', '--dump')).text.trim()).toBe('Schema is up-to-date');
    const check = await mikroOrm('migration:check');
    expect(check.text).toContain('No changes required');
    expect(check.exitCode).toBe(0);
  });

  it('ends with 1 where a migration made what no entity has, and names it', async () => {
    await asOwner('alter table project add column surplus int', 'create table stray (id int primary key)');
    try {
      const check = await mikroOrm('migration:check');
      expect(check.text).toContain('Changes detected');
      expect(check.exitCode).toBe(1);
      const { text } = await mikroOrm('schema:update', '--dump');
      expect(text).toContain('alter table "project" drop column "surplus"');
      expect(text).toContain('drop table if exists "stray"');
    } finally {
      await asOwner('alter table project drop column surplus', 'drop table stray');
    }
  });

  it.each([
    'schema:create --run',
    'schema:update --run',
    'schema:drop --run --drop-db',
    'schema:fresh --run',
    'migration:fresh',
  ])('does not make, change or drop the schema by the entities: %s', async (command) => {
    const { exitCode, text } = await mikroOrm(...command.split(' '));
    expect(text).toContain('The schema is managed by migrations only');
    expect(exitCode).toBe(1);
    expect(await difference()).toBe('');
    expect(await database.query('select from schema_migration')).toHaveLength(migrations.length);
  });
});

describe('The entities', () => {
  it('are the tables of the service, all of them', async () => {
    const tables = await database.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname <> 'schema_migration'
       order by relname collate "C"`,
    );
    const mapped = [...database.orm.getMetadata().getAll().values()].map(({ tableName }) => tableName);
    expect(mapped.toSorted()).toEqual(tables.map(({ name }) => name));
  });

  // They add up: this database is of no use to a test behind these.
  it.each([
    ['a table that is missing', 'drop table user_network', 'create table "user_network"'],
    [
      'a column that is missing',
      'alter table delivery drop column host',
      'alter table "delivery" add "host" text null;',
    ],
    [
      'a column of another type',
      'alter table outbox_message alter column failures type bigint',
      'alter table "outbox_message" alter column "failures" type int',
    ],
    [
      'a column that may no longer be null',
      'alter table user_session alter column ip_address set not null',
      'alter table "user_session" alter column "ip_address" drop not null;',
    ],
    [
      'a column that may be null',
      'alter table publication alter column tier drop not null',
      'alter table "publication" alter column "tier" set not null;',
    ],
    [
      'a default that is none of ours',
      'alter table tier_change alter column at set default now()',
      'alter table "tier_change" alter column "at" drop default;',
    ],
    [
      'another primary key',
      'alter table user_account drop constraint user_account_pkey, add primary key (id, user_id)',
      'alter table "user_account" add primary key ("id");',
    ],
    [
      'a primary key that is missing',
      'alter table billing_event drop constraint billing_event_pkey',
      'alter table "billing_event" add primary key ("provider", "event_id");',
    ],
  ])('show %s', async (_, change, expected) => {
    const before = await difference();
    await asOwner(change);
    const after = await difference();
    expect(before).not.toContain(expected);
    expect(after).toContain(expected);
  });
});
