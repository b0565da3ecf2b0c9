import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { Processes } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const LATER = 'Migration20990101000000_later';
/** Loaded into the processes of the next version, which has one migration more. */
const NEXT_VERSION = [
  '--import',
  pathToFileURL(join('test', 'support', 'programs', 'later-migration.mjs')).href,
];

const processes = new Processes();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  await processes.close();
  await database.close();
});

interface Run {
  child: ChildProcess;
  output(): string;
}

function runMigrate(environment: Record<string, string>): Run {
  const nodeOptions = ['--disable-warning=ExperimentalWarning', ...NEXT_VERSION];
  const child = spawn(process.execPath, [...nodeOptions, 'dist/ops.js', 'migrate'], {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  return { child, output: () => output };
}

describe('npm run migrate', () => {
  it('asks for the role that may, and is asked for by a start that may not', async () => {
    const { child, output } = runMigrate({ DATABASE_URL: database.url });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output()).toMatch(/^This role cannot change the tables\. Set DATABASE_OWNER_URL .*\.\n$/);

    const api = await processes.startApi({
      environment: { NODE_ENV: 'test', DATABASE_URL: database.url, DATA_DIR: processes.folder() },
      nodeOptions: NEXT_VERSION,
    });
    expect(await api.exit()).toEqual({ code: 1, signal: null });
    expect(api.output()).toMatch(
      /^The database is missing 1 migrations of this version, .*"npm run migrate".*\.\n$/,
    );
  });

  it('lets writers pass while somebody else holds its table, and is done when that one is', async () => {
    const [holder, writer] = [new Client(database.url), new Client(database.url)];
    await Promise.all([holder.connect(), writer.connect()]);
    const insert = (client: Client): Promise<unknown> =>
      client.query(`insert into outbox_message (ordering_key, topic, subject_id) values ($1, 'none', $1)`, [
        newId(),
      ]);
    await holder.query('begin');
    await insert(holder);

    const { child, output } = runMigrate({
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
    });
    const ended = once(child, 'close');
    // Each of these inserts would wait for the holder, whose transaction stays open, if the migration did.
    await until('the migration has waited twice', async () => {
      await insert(writer);
      return output().includes('try 3 of');
    });
    await holder.query('rollback');
    expect(await ended).toEqual([0, null]);
    expect(output()).toMatch(
      new RegExp(
        `^(a table is locked; retry \\d+ of 60 in 3 s\n){2,}ran ${LATER}\nthe schema is up to date\n$`,
      ),
    );
    // The role that serves may use the new table.
    expect((await writer.query('select from later')).rowCount).toBe(0);
    await Promise.all([holder.end(), writer.end()]);
  });

  it('has nothing to do the next time', async () => {
    const { child, output } = runMigrate({
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output()).toBe('the schema is up to date\n');
  });

  it('does not stop the previous version from starting again, even with messages that it does not handle', async () => {
    const messages = "select id from outbox_message where topic = 'none' order by id";
    const queued = await database.query(messages);
    expect(queued).not.toEqual([]);
    const previous = await processes.startApi({
      environment: { NODE_ENV: 'test', DATABASE_URL: database.url, DATA_DIR: processes.folder() },
    });
    await previous.ready();
    expect((await fetch(`${previous.baseUrl}/health/ready`)).status).toBe(200);
    expect(await previous.stop()).toEqual({ code: 0, signal: null });
    expect(await database.query(messages)).toEqual(queued);
  });

  it('refuses tables of a version before the first release, and so does a start; neither changes anything', async () => {
    const old = await createTestDatabase();
    try {
      await old.query("update schema_migration set name = 'Migration20261201000000_baseline'");
      const before = await old.query('select * from schema_migration');
      const sentence = /created by a version before 0\.1\.0, .* Use a new database, .* DATA_DIR .*\.\n$/;
      const { child, output } = runMigrate({ DATABASE_URL: old.url, DATABASE_OWNER_URL: old.ownerUrl });
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(output()).toMatch(sentence);

      const api = await processes.startApi({
        environment: { NODE_ENV: 'test', DATABASE_URL: old.ownerUrl, DATA_DIR: processes.folder() },
      });
      expect(await api.exit()).toEqual({ code: 1, signal: null });
      expect(api.output()).toMatch(sentence);
      expect(await old.query('select * from schema_migration')).toEqual(before);
    } finally {
      await old.close();
    }
  });
});
