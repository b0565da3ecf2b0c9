import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RawBuilder, sql } from 'kysely';
import * as fc from 'fast-check';
import { type Pool, types } from 'pg';
import { ProjectReads } from '../../src/platform/database/project-reads.js';
import { newId } from '../../src/platform/identity/ids.js';
import { listLiteral, type ListValue } from '../../src/platform/database/list-literal.js';
import { instant, openPool } from '../../src/platform/database/postgres-pool.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';

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
    await expect(WAYS[way]?.(TOO_LARGE)).rejects.toThrow(
      /9007199254740992, which exceeds the safe integer range/,
    );
  });
});

describe('an instant', () => {
  const ofDriver: (text: string) => Date | number = types.getTypeParser(types.builtins.TIMESTAMPTZ);
  const fractions = fc.integer({ min: 0, max: 999_999 }).map((micros) => String(micros).padStart(6, '0'));

  // Records were committed with values parsed by the driver's own parser, and are now read by this
  // one.
  it.each([
    ...['.999999', '.0005', '.000500', '.000999', '.001000', '.123456', '.1', ''].flatMap((fraction) =>
      ['+00', '+01', '-05:30'].map((zone) => `2026-11-22 17:53:04${fraction}${zone}`),
    ),
    '1999-12-31 23:59:59.999999+00',
    '2000-02-29 00:00:00.000001+00',
    '0099-01-01 00:00:00.123456+00',
    '0044-03-15 12:00:00.123456+00 BC',
    '12026-11-22 17:53:04.12345+00',
    '22026-11-22 17:53:04.12345+00',
    'infinity',
    '-infinity',
  ])('%s is what the driver makes of it', (text) => {
    expect(instant(text)).toEqual(ofDriver(text));
  });

  it('is what the driver makes of it, whenever it is', () => {
    const days = fc.date({ min: new Date('1990-01-01'), max: new Date('2999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(days, fractions, (day, fraction) => {
        const text = `${day.toISOString().slice(0, 19).replace('T', ' ')}.${fraction}+00`;
        expect([text, instant(text)]).toEqual([text, ofDriver(text)]);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(['.999999', '.0005', '.000500', '.000999', '.123456', ''])(
    'loses what is below a millisecond of %s, whichever way it is read',
    async (fraction) => {
      const text = `select '2026-11-22T17:53:04${fraction}Z'::timestamptz as at`;
      const at = new Date(`2026-11-22T17:53:04${fraction.slice(0, 4)}Z`);
      for (const read of Object.values(WAYS)) expect(await read(text)).toEqual([{ at }]);
    },
  );
});

describe(listLiteral.name, () => {
  const listBack = async (type: string, values: readonly ListValue[]): Promise<unknown> => {
    const { rows } = await pool.query<{ list: unknown }>(
      `select to_json(array(select value::text from unnest($1::${type}[]) with ordinality as given (value, place)
                            order by place)) as list`,
      [listLiteral(type, values)],
    );
    return rows[0]?.list;
  };

  it.each<[string, ListValue[]]>([
    [
      'text',
      ['', 'NULL', 'null', null, '"', '\\', '\\"', 'a,b', '{}', '{"a"}', ' a ', "'", '\n', 'é😀', '$&'],
    ],
    ['text', []],
    ['text', ['']],
    ['text', [null]],
    ['uuid', ['01a1fec8-570f-715b-b2b3-e89dce8cae7b', null]],
    ['int', [0, null, -2_147_483_648, 2_147_483_647]],
    ['bigint', [Number.MAX_SAFE_INTEGER, null, -1]],
    ['timestamptz', [null]],
  ])('writes a list of %s that the database reads as it was: %j', async (type, values) => {
    expect(await listBack(type, values)).toEqual(
      values.map((value) => (value === null ? null : String(value))),
    );
  });

  it('does so for any text that the database takes', async () => {
    const texts = fc.array(
      fc.option(
        fc.string({ unit: fc.constantFrom('"', '\\', ',', '{', '}', ' ', 'N', 'U', 'L', 'é', '\t') }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        expect(await listBack('text', values)).toEqual(values);
      }),
    );
  });
});
