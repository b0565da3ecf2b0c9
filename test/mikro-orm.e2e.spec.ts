import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../src/migrations/index.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

const TEST_TIMEOUT_MS = 60_000;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.close());

/** What the command line answers; fails where it does not end with 0. */
function mikroOrm(...args: string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    NO_COLOR: '1',
    DATABASE_URL: database.url,
    DATABASE_OWNER_URL: database.ownerUrl,
  };
  const cli = join('node_modules', '@mikro-orm', 'cli', 'cli.js');
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [cli, ...args], { env }, (error, stdout, stderr) =>
      error ? reject(new Error(stdout + stderr)) : resolve(stdout + stderr),
    ),
  );
}

describe('npx mikro-orm', () => {
  it(
    'finds the configuration and the database',
    async () => {
      const text = await mikroOrm('debug');
      expect(text).toContain('database connection successful');
      expect(text).not.toContain('TypeScript files might not work');
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'lists every migration as done, and the one that is missing as pending',
    async () => {
      const text = await mikroOrm('migration:list');
      expect(migrations.filter(({ name }) => !text.includes(name))).toEqual([]);
      const last = migrations.at(-1)?.name ?? '';
      await database.query('delete from schema_migration where name = $1', [last]);
      expect(await mikroOrm('migration:pending')).toContain(last);
      await database.query('insert into schema_migration (name, executed_at) values ($1, now())', [last]);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'wants nothing changed, and nothing dropped least of all',
    async () => {
      expect(await mikroOrm('schema:update', '--dump')).not.toMatch(/\b(drop|alter|create)\b/i);
      expect(await mikroOrm('migration:check')).toContain('No changes required');
    },
    TEST_TIMEOUT_MS,
  );
});
