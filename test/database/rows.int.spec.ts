import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import type { Pool } from 'pg';
import { ProjectReads } from '../../src/database/project-reads.js';
import { newId } from '../../src/shared/ids.js';
import { openPool } from '../../src/shared/postgres-pool.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const VALUES = `'2026-01-31T12:00:00.123Z'::timestamptz as at, array['2026-01-31T12:00:00Z'::timestamptz] as ats,
  9007199254740991::bigint as whole, (-7)::bigint as negative, 0.1::numeric as decimal,
  '2026-01-31'::date as day, '{"a":[1]}'::jsonb as json, null::timestamptz as never`;
const READ = {
  at: new Date('2026-01-31T12:00:00.123Z'),
  ats: [new Date('2026-01-31T12:00:00Z')],
  whole: Number.MAX_SAFE_INTEGER,
  negative: -7,
  decimal: '0.1',
  day: '2026-01-31',
  json: { a: [1] },
  never: null,
};
const TOO_LARGE = 'select 9007199254740992::bigint as id';

let database: TestDatabase;
let pool: Pool;
let reads: ProjectReads;
/** Every way in which the service comes to a row. */
const WAYS: Record<string, (text: string) => Promise<unknown[]>> = {
  'the ORM, by SQL of Kysely': async (text) =>
    (await raw(text).execute(database.orm.em.fork().getKysely())).rows,
  'the ORM, in a transaction': (text) =>
    database.orm.em.fork().transactional(async (tx) => (await raw(text).execute(tx.getKysely())).rows),
  'the ORM, by SQL of its own': (text) => database.orm.em.fork().execute(text),
  'a pool beside it': async (text) => (await pool.query(text)).rows,
  'the reads of the dashboard': (text) => reads.list(newId(), raw(text), new AbortController().signal),
};
const raw = (text: string): RawBuilder<unknown> => sql.raw(text);

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = { databaseUrl: database.url };
  pool = openPool(settings, { name: 'test', connections: 1, statementMs: 5_000, onDropped: () => {} });
  reads = new ProjectReads(settings as never);
});

afterAll(async () => {
  await pool.end();
  await reads.onApplicationShutdown();
  await database.close();
});

describe('a value of a row', () => {
  it.each(Object.keys(WAYS))('is the same by %s', async (way) => {
    expect(await WAYS[way]?.(`select ${VALUES}`)).toEqual([READ]);
  });

  it.each(Object.keys(WAYS))('is refused rather than rounded by %s', async (way) => {
    await expect(WAYS[way]?.(TOO_LARGE)).rejects.toThrow(/9007199254740992, which no number holds/);
  });
});
