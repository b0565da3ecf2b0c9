import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { newId } from '../../src/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startClock } from '../support/elapsed.js';
import { Processes } from '../support/processes.js';
import { until } from '../support/until.js';

const LATER = 'Migration20990101000000_later';
/** Loaded into the processes of the next version, which has one migration more. */
const NEXT_VERSION = ['--import', pathToFileURL(join('test', 'support', 'later-migration.mjs')).href];
/** An insert waits behind the migration for its lock (MIGRATION_LOCK_TIMEOUT_MS); an ingest waits 5 s before it answers 503. */
const INSERT_WAIT_MAX_MS = 5_000;
const TEST_TIMEOUT_MS = 60_000;

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

  it(
    'lets writers pass while somebody else holds its table, and is done when that one is',
    async () => {
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
      const waitsMs: number[] = [];
      await until(
        'the migration has waited twice',
        async () => {
          const elapsedMs = startClock();
          await insert(writer);
          waitsMs.push(elapsedMs());
          return output().includes('try 3 of');
        },
        TEST_TIMEOUT_MS,
      );
      expect(Math.max(...waitsMs)).toBeLessThan(INSERT_WAIT_MAX_MS);
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
    },
    TEST_TIMEOUT_MS,
  );

  it('has nothing to do the next time', async () => {
    const { child, output } = runMigrate({
      DATABASE_URL: database.url,
      DATABASE_OWNER_URL: database.ownerUrl,
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(output()).toBe('the schema is up to date\n');
  });

  it(
    'does not stop the previous version from starting again, even with messages that it does not handle',
    async () => {
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
    },
    TEST_TIMEOUT_MS,
  );
});
