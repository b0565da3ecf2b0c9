import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { ProjectReads } from '../../src/platform/database/project-reads.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';

let database: TestDatabase;
let reads: ProjectReads;

beforeAll(async () => {
  database = await createTestDatabase();
  reads = new ProjectReads({ databaseUrl: database.url } as never);
});

afterAll(async () => {
  await reads.onApplicationShutdown();
  await database.close();
});

it.each(['list', 'report'] as const)(
  'leaves a connection for the %s of another account, regardless of the number of projects',
  async (kind) => {
    const other = newId();
    const { signal } = new AbortController();
    reads.shareBy((projectId) => Promise.resolve(projectId === other ? 'other' : 'busy'));
    const finished: string[] = [];
    const read = async (name: string, projectId: string, seconds: number): Promise<void> => {
      await reads[kind](projectId, sql`select pg_sleep(${seconds})`, signal);
      finished.push(name);
    };
    const busy = Array.from({ length: 6 }, () => read('busy', newId(), 1));
    // Only after all of the busy account's projects have asked.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await Promise.all([...busy, read('other', other, 0)]);
    expect(finished[0]).toBe('other');
  },
);
