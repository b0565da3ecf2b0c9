import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { ormOptions } from '../../src/app/orm-options.js';
import { migrations } from '../../src/migrations/index.js';
import { LOWEST_KEY } from '../../src/outbox/infrastructure/outbox.claimer.js';
import { newId } from '../../src/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startClock } from '../support/elapsed.js';

/** The migration that brings throttles and holds; the next one makes an index beside it. */
const FIRST = 'Migration20261121004000_hold';
const WAITING = 4_000;
const PROJECTS = 20;
const INGEST_PAUSE_MS = 20;
/** An ingest waits 5 s before it answers 503. */
const INSERT_WAIT_MAX_MS = 5_000;
const TEST_TIMEOUT_MS = 120_000;

/** The statements of the version before, as it prepares them. */
const OLD_INSERT = {
  name: 'old-insert',
  text: `insert into outbox_message (ordering_key, project_id, topic, subject_id)
         select key, key, 'consent.recorded', subject from unnest($1::uuid[], $2::uuid[]) as given (key, subject)`,
};
const OLD_CLAIM = {
  name: 'old-claim',
  text: `
    with recursive walk (ordering_key, step) as (
      (select ordering_key, 1 from outbox_message where ordering_key > $1::uuid order by ordering_key limit 1)
      union all
      select next.ordering_key, walk.step + 1
      from walk cross join lateral (
        select m.ordering_key from outbox_message m
        where m.ordering_key > walk.ordering_key order by m.ordering_key limit 1
      ) next
      where walk.step < 256
    ), picked as (
      select oldest.place
      from walk
      cross join lateral (
        select m.ctid as place from outbox_message m
        where m.ordering_key = walk.ordering_key and m.available_at <= now() and m.topic = any($2::text[])
        order by m.id limit 20 for update skip locked
      ) oldest
      limit 256
    )
    update outbox_message m
    set claim_id = $3::uuid, available_at = now() + interval '60 s', unknown_outcomes = m.unknown_outcomes + 1
    where m.ctid = any (array(select place from picked))
    returning m.ordering_key as "orderingKey", m.id`,
};
const OLD_REMOVE = {
  name: 'old-remove',
  text: `
    delete from outbox_message m
    where m.ctid = any (array(
      select ours.ctid
      from unnest($1::uuid[], $2::bigint[]) as done (ordering_key, id)
      cross join lateral (
        select o.ctid from outbox_message o
        where o.ordering_key = done.ordering_key and o.id = done.id and o.claim_id = $3::uuid
        limit 1 for update
      ) ours
    ))
    returning m.subject_id as "subjectId"`,
};

let database: TestDatabase;
const clients: Client[] = [];

async function connect(): Promise<Client> {
  const client = new Client(database.url);
  await client.connect();
  clients.push(client);
  return client;
}

beforeAll(async () => {
  database = await createTestDatabase();
  const owner = await MikroORM.init(ormOptions(database.ownerUrl));
  const names = migrations.map(({ name }) => name);
  for (const name of names.slice(names.indexOf(FIRST)).toReversed()) await owner.migrator.down([name]);
  await owner.close();
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.close();
});

describe('throttles and holds come', () => {
  it(
    'while the version before ingests and works: nothing is lost, nothing is done twice, nobody waits for long',
    async () => {
      const keys = Array.from({ length: PROJECTS }, () => newId());
      const stored = new Set<string>();
      const settled: string[] = [];
      const [api, worker] = [await connect(), await connect()];
      const insert = async (count: number): Promise<void> => {
        const subjects = Array.from({ length: count }, () => newId());
        const places = subjects.map((_, n) => keys[n % PROJECTS]);
        await api.query({ ...OLD_INSERT, values: [places, subjects] });
        for (const subject of subjects) stored.add(subject);
      };
      const work = async (): Promise<number> => {
        const claimId = newId();
        const claimed = await worker.query<{ orderingKey: string; id: number }>({
          ...OLD_CLAIM,
          values: [LOWEST_KEY, ['consent.recorded'], claimId],
        });
        const { rows } = await worker.query<{ subjectId: string }>({
          ...OLD_REMOVE,
          values: [claimed.rows.map((row) => row.orderingKey), claimed.rows.map(({ id }) => id), claimId],
        });
        settled.push(...rows.map(({ subjectId }) => subjectId));
        return rows.length;
      };
      await insert(WAITING);

      const load = { goesOn: true };
      const waitsMs: number[] = [];
      const ingesting = (async () => {
        while (load.goesOn) {
          const elapsedMs = startClock();
          await insert(10);
          waitsMs.push(elapsedMs());
          await new Promise((wake) => setTimeout(wake, INGEST_PAUSE_MS));
        }
      })();
      const working = (async () => {
        while (load.goesOn) await work();
      })();
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', 'dist/ops.js', 'migrate'],
        {
          env: {
            PATH: process.env['PATH'] ?? '',
            NODE_ENV: 'test',
            DATABASE_URL: database.url,
            DATABASE_OWNER_URL: database.ownerUrl,
          },
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      );
      try {
        expect(await once(child, 'close')).toEqual([0, null]);
      } finally {
        load.goesOn = false;
        await Promise.all([ingesting, working]);
      }
      expect(Math.max(...waitsMs)).toBeLessThan(INSERT_WAIT_MAX_MS);
      expect(settled.length).toBeGreaterThan(0);

      // The version before goes on until it is stopped, and works through what is left.
      while ((await work()) > 0);
      expect(settled).toHaveLength(stored.size);
      expect(new Set(settled)).toEqual(stored);
      const indexes = await database.query<{ valid: boolean }>(
        "select indisvalid as valid from pg_index where indexrelid = 'outbox_message_unthrottled'::regclass",
      );
      expect(indexes).toEqual([{ valid: true }]);
    },
    TEST_TIMEOUT_MS,
  );
});
