import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { ormOptions } from '../../src/app/orm-options.js';
import { siteOrderingKey } from '../../src/licensing/licensing.events.js';
import { migrations } from '../../src/migrations/index.js';
import { LOWEST_KEY, OutboxClaimer } from '../../src/outbox/infrastructure/outbox.claimer.js';
import { namedKey } from '../../src/outbox/domain/ordering-key.js';
import { newId } from '../../src/shared/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startClock } from '../support/elapsed.js';
import { testSettings } from '../support/service.js';

const FIRST = 'Migration20261121001001_ordering_key';
const WAITING = 20_000;
/** Between two batches of an ingest that goes on. */
const INGEST_PAUSE_MS = 20;
const PROJECTS = 20;
/** An insert may wait for the moments in which the tables change; an ingest waits 5 s before it answers 503. */
const INSERT_WAIT_MAX_MS = 5_000;
const TEST_TIMEOUT_MS = 120_000;

/** The statements of the version before, as it prepares them. */
const OLD_INSERT = {
  name: 'old-insert',
  text: `insert into outbox_message (project_id, topic, subject_id)
         select * from unnest($1::uuid[], $2::text[], $3::uuid[])`,
};
const OLD_CLAIM = {
  name: 'old-claim',
  text: `
    with recursive walk (project_id, step) as (
      (select project_id, 1 from outbox_message where project_id > $1::uuid order by project_id limit 1)
      union all
      select next.project_id, walk.step + 1
      from walk cross join lateral (
        select m.project_id from outbox_message m
        where m.project_id > walk.project_id order by m.project_id limit 1
      ) next
      where walk.step < 256
    ), picked as (
      select oldest.place
      from walk
      cross join lateral (
        select m.ctid as place from outbox_message m
        where m.project_id = walk.project_id and m.available_at <= now() and m.topic = any($2::text[])
        order by m.id limit 4 for update skip locked
      ) oldest
      limit 16
    )
    update outbox_message m
    set claim_id = $3::uuid, available_at = now() + interval '60 s', unknown_outcomes = m.unknown_outcomes + 1
    where m.ctid = any (array(select place from picked))
    returning m.project_id as "projectId", m.id, m.subject_id as "subjectId"`,
};
const OLD_REMOVE = {
  name: 'old-remove',
  text: `
    delete from outbox_message m
    where m.ctid = any (array(
      select ours.ctid
      from unnest($1::uuid[], $2::bigint[]) as done (project_id, id)
      cross join lateral (
        select o.ctid from outbox_message o
        where o.project_id = done.project_id and o.id = done.id and o.claim_id = $3::uuid
        limit 1 for update
      ) ours
    ))
    returning m.subject_id as "subjectId"`,
};

interface OldClaimed extends Record<string, unknown> {
  projectId: string;
  id: string;
  subjectId: string;
}

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
  // Back to the version before; what came later goes first.
  for (const name of names.slice(names.indexOf(FIRST)).toReversed()) await owner.migrator.down([name]);
  await owner.close();
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.close();
});

/** The place of what a project publishes in the version before: its id with version 8. */
const oldLane = (projectId: string): string => `${projectId.slice(0, 14)}8${projectId.slice(15)}`;

describe('the ordering key comes', () => {
  it(
    'while the version before ingests and works: nothing is lost, and nobody waits for long',
    async () => {
      // All of one millisecond, so that the lanes lie behind the projects and what is leased first is records: what is
      // leased of a lane changes its place as the key comes, and its publication is repeated after the lease.
      const moment = newId().slice(0, 14);
      const projects = Array.from({ length: PROJECTS }, () => `${moment}${newId().slice(14)}`);
      const stored = new Set<string>();
      const insert = async (client: Client, count: number): Promise<void> => {
        const rows = Array.from({ length: count }, (_, n) => {
          const [projectId = '', subjectId] = [projects[n % PROJECTS], newId()];
          return n % 10 === 0
            ? { projectId: oldLane(projectId), topic: 'configuration.changed', subjectId: projectId }
            : { projectId, topic: 'consent.recorded', subjectId };
        });
        await client.query({
          ...OLD_INSERT,
          values: [
            rows.map(({ projectId }) => projectId),
            rows.map(({ topic }) => topic),
            rows.map(({ subjectId }) => subjectId),
          ],
        });
        for (const { topic, subjectId } of rows) if (topic === 'consent.recorded') stored.add(subjectId);
      };
      const settled: string[] = [];
      const oldClaim = async (client: Client, claimId: string): Promise<OldClaimed[]> =>
        (
          await client.query<OldClaimed>({
            ...OLD_CLAIM,
            values: [LOWEST_KEY, ['consent.recorded', 'configuration.changed'], claimId],
          })
        ).rows;
      const oldSettle = async (
        client: Client,
        { claimId, claimed }: { claimId: string; claimed: OldClaimed[] },
      ): Promise<number> => {
        const { rows } = await client.query<{ subjectId: string }>({
          ...OLD_REMOVE,
          values: [claimed.map(({ projectId }) => projectId), claimed.map(({ id }) => id), claimId],
        });
        settled.push(...rows.map(({ subjectId }) => subjectId));
        return rows.length;
      };
      const [api, worker] = [await connect(), await connect()];
      await insert(api, WAITING);
      await database.query('delete from outbox_dead_letter');
      await database.query(
        `insert into outbox_dead_letter (project_id, id, topic, subject_id, failures, created_at)
         values ($1, 999999, 'consent.recorded', $1, 8, now())`,
        [projects[0]],
      );
      // Leased before, settled after it: the lease must hold.
      const before = { claimId: newId(), claimed: await oldClaim(worker, newId()) };
      const [row] = await database.query<{ claim_id: string }>(
        'select claim_id from outbox_message where claim_id is not null limit 1',
      );
      before.claimId = row?.claim_id ?? '';

      const load = { goesOn: true };
      const waitsMs: number[] = [];
      const ingesting = (async () => {
        while (load.goesOn) {
          const elapsedMs = startClock();
          await insert(api, 20);
          waitsMs.push(elapsedMs());
          await new Promise((wake) => setTimeout(wake, INGEST_PAUSE_MS));
        }
      })();
      let rounds = 0;
      const working = (async () => {
        while (load.goesOn) {
          const claimId = newId();
          const claimed = await oldClaim(worker, claimId);
          expect(await oldSettle(worker, { claimId, claimed })).toBe(claimed.length);
          rounds += 1;
        }
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
      expect(rounds).toBeGreaterThan(0);
      expect(Math.max(...waitsMs)).toBeLessThan(INSERT_WAIT_MAX_MS);

      // The older version goes on: what it leased and what it writes now.
      expect(await oldSettle(worker, before)).toBe(before.claimed.length);
      await insert(api, 100);
      const late = { claimId: newId(), claimed: [] as OldClaimed[] };
      late.claimed = await oldClaim(worker, late.claimId);
      expect(late.claimed).toHaveLength(16);
      expect(await oldSettle(worker, late)).toBe(16);

      // And this version finds all that is left, each under its key, in the order of the key.
      const left = await database.query<{ ordering_key: string; project_id: string; topic: string }>(
        'select distinct ordering_key, project_id, topic from outbox_message',
      );
      for (const { ordering_key: key, project_id: projectId, topic } of left) {
        expect(projects).toContain(projectId);
        expect(key).toBe(topic === 'consent.recorded' ? projectId : siteOrderingKey(projectId));
      }
      const settings = testSettings(database.url);
      const claimer = new OutboxClaimer(settings.outbox, settings.database);
      const claimedOf = new Map<string, number[]>();
      const found: string[] = [];
      for (let afterKey = LOWEST_KEY, isDone = false; !isDone;) {
        const claim = await claimer.claim({
          topics: ['consent.recorded'],
          throttledTopics: ['consent.recorded'],
          limit: 2_000,
          limitPerKey: 2_000,
          freeOf: new Map(),
          freeOfTopic: new Map(),
          afterKey,
        });
        for (const { orderingKey, id, subjectId } of claim.messages) {
          claimedOf.set(orderingKey, [...(claimedOf.get(orderingKey) ?? []), Number(id)]);
          found.push(subjectId);
        }
        isDone = afterKey === LOWEST_KEY && claim.messages.length === 0;
        afterKey = claim.nextKey;
      }
      await claimer.onApplicationShutdown();
      for (const ids of claimedOf.values()) expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      expect(new Set([...settled.filter((id) => stored.has(id)), ...found])).toEqual(stored);
      expect(settled.filter((id) => stored.has(id)).length + found.length).toBe(stored.size);
      expect(await database.query('select ordering_key, project_id from outbox_dead_letter')).toEqual([
        { ordering_key: projects[0], project_id: projects[0] },
      ]);
    },
    TEST_TIMEOUT_MS,
  );

  it.each(['test', 'publishing:0197', 'billing:sub_1ünï', ''])(
    'is the same for "%s" in SQL',
    async (name) => {
      expect(await database.query('select outbox_named_key($1) as key', [name])).toEqual([
        { key: namedKey(name) },
      ]);
    },
  );
});
