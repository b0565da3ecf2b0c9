import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { DeleteProjectMessages } from '../../src/modules/projects/project.service.js';
import { PartitionRotation } from '../../src/platform/outbox/application/partition-rotation.js';
import { OutboxDispatcher } from '../../src/platform/outbox/application/outbox.dispatcher.js';
import {
  BUG_SCHEDULE,
  type OutboxMessage,
  type Settled,
} from '../../src/platform/outbox/domain/outbox-message.js';
import { ROTATE_BYTES } from '../../src/platform/outbox/domain/partition-rotation.js';
import { OutboxClaimer } from '../../src/platform/outbox/infrastructure/outbox.claimer.js';
import { OutboxPartitions } from '../../src/platform/outbox/infrastructure/outbox.partitions.js';
import { OutboxStore } from '../../src/platform/outbox/infrastructure/outbox.store.js';
import type { OutboxHandler } from '../../src/platform/outbox/outbox.handler.js';
import { forgetSubjects } from '../../src/platform/outbox/queued-messages.js';
import { OutboxService } from '../../src/platform/outbox/outbox.service.js';
import { newId } from '../../src/platform/identity/ids.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const TOPIC = 'test.topic';
const REQUEST = {
  part: 0,
  topics: [TOPIC],
  throttledTopics: [],
  limit: 100,
  limitPerKey: 100,
  freeOf: new Map<string, number>(),
  freeOfTopic: new Map<string, number>(),
  afterKey: '00000000-0000-0000-0000-000000000000',
};
/** Fills more partitions than there are at first. */
const BATCHES = 60;
const BATCH = 2_000;
const KEYS = 20;
/** More than the slots of one key. */
const KEY_BACKLOG = 300;
/** Created by the migration; `pg_dump` locks the partitions that exist when it starts. */
const INITIAL_PARTITIONS = 4;
/** A step this much later finds closed partitions drained. */
const LATER_MS = 10_000;

/** Settles every message at once, or when it is released. */
class Sink implements OutboxHandler<string> {
  readonly topics = [TOPIC];
  readonly retry = BUG_SCHEDULE;
  readonly attemptMaxMs = 0;
  readonly settled: string[] = [];
  released: Promise<void> = Promise.resolve();

  prepare(messages: OutboxMessage[]): ReturnType<OutboxHandler<string>['prepare']> {
    return Promise.resolve(
      messages.map(() => async () => {
        await this.released;
        return { kind: 'settled', outcome: 'done', healthy: true };
      }),
    );
  }

  settle(_tx: EntityManager, settled: Settled<string>[]): Promise<void> {
    this.settled.push(...settled.map(({ message }) => message.subjectId));
    return Promise.resolve();
  }

  discard(): never {
    throw new Error('not expected');
  }
}

describe('rotation of the outbox partitions', () => {
  let service: TestService;
  let outbox: OutboxService;
  let dispatcher: OutboxDispatcher;
  let rotation: PartitionRotation;
  let partitions: OutboxPartitions;
  let claimer: OutboxClaimer;
  let sink: Sink;
  const clients: Client[] = [];

  beforeEach(async () => {
    service = await startTestService();
    outbox = service.app.get(OutboxService);
    dispatcher = service.app.get(OutboxDispatcher);
    rotation = service.app.get(PartitionRotation, { strict: false });
    partitions = service.app.get(OutboxPartitions, { strict: false });
    claimer = service.app.get(OutboxClaimer, { strict: false });
    sink = new Sink();
    outbox.register(sink);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.end();
    await service.close();
  });

  const connect = async (): Promise<Client> => {
    const client = new Client({ connectionString: service.database.url });
    await client.connect();
    clients.push(client);
    return client;
  };
  const append = async (count = 1, orderingKey = newId()): Promise<string[]> => {
    const subjects = Array.from({ length: count }, () => newId());
    const messages = subjects.map((subjectId) => ({ orderingKey, projectId: null, topic: TOPIC, subjectId }));
    await service.app
      .get(EntityManager)
      .fork()
      .transactional((tx) => outbox.appendMany(tx, messages));
    return subjects;
  };
  const stored = (): Promise<{ part: number; subject: string }[]> =>
    service.database.query('select part, subject_id as subject from outbox_message order by id');
  /** Passes messages through the outbox, a step of the rotation after each batch. */
  const passMany = async (): Promise<void> => {
    const keys = Array.from({ length: KEYS }, () => newId());
    for (let batch = 1; batch <= BATCHES; batch++) {
      await service.database.query(
        `insert into outbox_message (part, ordering_key, topic, subject_id)
         select (select part from outbox_opening), ($1::uuid[])[1 + n % ${KEYS}], $2, gen_random_uuid()
         from generate_series(1, ${BATCH}) n`,
        [keys, TOPIC],
      );
      dispatcher.requestPoll();
      await until('messages are settled', () => sink.settled.length === batch * BATCH);
      await service.database.query('select pg_stat_force_next_flush()');
      // The statistics of settled messages come a second later, which is many batches here.
      await service.database.query('analyze outbox_message');
      await rotation.step(performance.now() + batch * LATER_MS);
    }
  };

  it.each([
    ['a report', 'select count(*) from project'],
    ['pg_dump', 'lock table outbox_message, project in access share mode'],
  ])('bounds settled messages behind a transaction that stays open, as of %s', async (_, statement) => {
    const holder = await connect();
    await holder.query('begin isolation level repeatable read');
    // A lock takes no snapshot, so settled messages would be removed.
    await holder.query('select count(*) from project');
    await holder.query(statement);
    await passMany();
    expect(new Set(sink.settled).size).toBe(BATCHES * BATCH);
    expect(await stored()).toEqual([]);
    const states = await partitions.read();
    const locked = statement.startsWith('lock') ? INITIAL_PARTITIONS : 0;
    expect(states.length).toBeGreaterThan(locked);
    expect(Math.max(...states.map((state) => state.bytes))).toBeLessThan(2 * ROTATE_BYTES);
    const truncatable = states.filter(({ part }) => part >= locked);
    const bytes = truncatable.reduce((sum, state) => sum + state.bytes, 0);
    expect(bytes).toBeLessThan(3 * ROTATE_BYTES);

    await holder.query('rollback');
    // An autovacuum may lock a partition, which the next step then truncates.
    let steps = BATCHES;
    await until('closed partitions are truncated', async () => {
      await rotation.step(performance.now() + ++steps * LATER_MS);
      return (await partitions.read()).every(({ isOpen, bytes }) => isOpen || bytes === 0);
    });
  });

  it('moves messages without a lease to the open partition, in their order, and leaves leased ones', async () => {
    const key = newId();
    const before = await append(3, key);
    const { messages, claimId } = await claimer.claim({ ...REQUEST, limit: 1 });
    expect(messages.map(({ subjectId }) => subjectId)).toEqual(before.slice(0, 1));
    await partitions.open(1);
    const after = await append(1, key);
    expect((await stored()).map(({ part }) => part)).toEqual([0, 0, 0, 1]);

    expect(await partitions.moveForward(0)).toBe(2);
    expect(await partitions.truncate(0)).toBe(false);
    expect((await stored()).map(({ part }) => part)).toEqual([0, 1, 1, 1]);
    const moved = await claimer.claim({ ...REQUEST, part: 1 });
    expect(moved.messages.map(({ subjectId }) => subjectId)).toEqual([...before.slice(1), ...after]);

    const store = service.app.get(OutboxStore);
    await store.release(messages.map((message) => ({ message, claimId })));
    expect(await partitions.moveForward(0)).toBe(1);
    expect(await partitions.truncate(0)).toBe(true);
    expect((await claimer.claim({ ...REQUEST, part: 1 })).messages[0]?.subjectId).toBe(before[0]);
  });

  it('moves leased messages only if their lease ended a minute ago', async () => {
    await append(2);
    await claimer.claim(REQUEST);
    const ended = (secondsAgo: number): Promise<unknown> =>
      service.database.query(
        `update outbox_message set available_at = now() - make_interval(secs => $1)
         where id = (select min(id) from outbox_message)`,
        [secondsAgo],
      );
    await partitions.open(1);
    await ended(50);
    expect(await partitions.moveForward(0)).toBe(0);
    await ended(70);
    expect(await partitions.moveForward(0)).toBe(1);
    expect((await stored()).map(({ part }) => part)).toEqual([1, 0]);
  });

  it('claims from the new open partition without a step, and older messages first', async () => {
    const key = newId();
    const subjects = await append(1, key);
    await partitions.open(3);
    subjects.push(...(await append(2, key)));
    dispatcher.requestPoll();
    await until('messages are settled', () => sink.settled.length === subjects.length);
    // Messages of one claim are attempted at the same time.
    expect(sink.settled[0]).toBe(subjects[0]);
    expect(sink.settled.toSorted()).toEqual(subjects.toSorted());
  });

  it('looks into a closed partition again as soon as its key has a free slot', async () => {
    const release = Promise.withResolvers<void>();
    sink.released = release.promise;
    const subjects = await append(KEY_BACKLOG);
    await partitions.open(1);
    await rotation.step();
    const claim = claimer.claim.bind(claimer);
    let lastClaimed = -1;
    claimer.claim = async (request) => {
      const claimed = await claim(request);
      if (request.part === 0) lastClaimed = claimed.messages.length;
      return claimed;
    };
    await until('the key has no free slot', () => {
      dispatcher.requestPoll();
      return lastClaimed === 0;
    });
    expect(sink.settled).toEqual([]);
    // The partitions to check, independent of time.
    const due = (): number[] => rotation.claimed.due(Number.NEGATIVE_INFINITY);
    expect(due()).toEqual([0, 1]);
    release.resolve();
    await until('messages are settled', () => sink.settled.length === subjects.length);
    await until('the partition is left alone', () => {
      dispatcher.requestPoll();
      return !due().includes(0);
    });
  });

  it('finds a message of a transaction that read the number of the open partition before it changed', async () => {
    const late = await connect();
    await late.query('begin isolation level repeatable read');
    await late.query('select part from outbox_opening');
    await partitions.open(1);
    expect(await partitions.truncate(0)).toBe(true);
    const subject = newId();
    await late.query(
      'insert into outbox_message (part, ordering_key, topic, subject_id) values (0, $1, $2, $1)',
      [subject, TOPIC],
    );
    // While it is open, its lock prevents the truncation.
    expect(await partitions.truncate(0)).toBe(false);
    await late.query('commit');
    expect(await partitions.truncate(0)).toBe(false);
    await rotation.step();
    dispatcher.requestPoll();
    await until('messages are settled', () => sink.settled.length === 1);
    expect(sink.settled).toEqual([subject]);
  });

  it('keeps every message of a snapshot whose transaction locks the tables seconds later, as pg_dump does', async () => {
    const subjects = await append(2);
    await partitions.open(1);
    const dump = await connect();
    await dump.query('begin isolation level repeatable read');
    await dump.query('select count(*) from project');
    const startMs = performance.now();
    // Seen closed, then drained, then empty for a while.
    for (const afterMs of [0, 3_000, 7_900]) await rotation.step(startMs + afterMs);
    expect((await stored()).map(({ part }) => part)).toEqual([1, 1]);
    await dump.query('lock table outbox_message in access share mode');
    const { rows } = await dump.query<{ part: number; subject: string }>(
      'select part, subject_id as subject from outbox_message order by id',
    );
    expect(rows).toEqual(subjects.map((subject) => ({ part: 0, subject })));
    await rotation.step(startMs + 8_000);
    await dump.query('rollback');
    expect((await partitions.read())[0]?.bytes).toBeGreaterThan(0);
    // A step that does not get a lock at once leaves its work to the next one.
    let afterMs = 8_000;
    await until('the partition is empty', async () => {
      await rotation.step(startMs + afterMs);
      afterMs += 1_000;
      return (await partitions.read())[0]?.bytes === 0;
    });
  });

  it.each(['rollback', 'commit'])(
    'appends while an opening is not committed, and after its %s',
    async (end) => {
      const opening = await connect();
      await opening.query('begin');
      await opening.query('select outbox_open(9)');
      await append(1);
      await opening.query(end);
      await append(1);
      const open = end === 'commit' ? 9 : 0;
      expect((await stored()).map(({ part }) => part)).toEqual([0, open]);
      expect((await partitions.read()).find(({ isOpen }) => isOpen)?.part).toBe(open);
      expect(await partitions.truncate(open)).toBe(false);
    },
  );

  it('keeps one row for the open partition, whatever number of rotations', async () => {
    for (const part of [1, 2, 3, 0, 1]) await partitions.open(part);
    expect(await service.database.query('select part from outbox_opening')).toEqual([{ part: 1 }]);
  });

  it('does not truncate the open partition, nor under an older snapshot', async () => {
    expect(await partitions.truncate(0)).toBe(false);
    expect(await partitions.truncate(31)).toBe(false);
    const client = await connect();
    await client.query('begin isolation level repeatable read');
    await expect(client.query('select outbox_truncate(1)')).rejects.toThrow('older snapshot');
    await client.query('rollback');
    await expect(client.query('select outbox_open(32)')).rejects.toThrow('no partition 32');
  });

  it('moves a message as it is', async () => {
    await append(1);
    await service.database.query(
      `update outbox_message set failures = 2, abandoned_attempts = 5, last_error = 'broken', payload = '{"n": 1}',
         project_id = gen_random_uuid(), created_at = now() - interval '3 days', available_at = now() - interval '2 days'`,
    );
    const read = () => service.database.query<{ part: number }>('select * from outbox_message');
    const [before] = await read();
    await partitions.open(1);
    expect(await partitions.moveForward(0)).toBe(1);
    expect(await read()).toEqual([{ ...before, part: 1 }]);
  });

  it.each<[string, (tx: EntityManager, about: { orderingKey: string; subjectId: string }) => Promise<void>]>([
    [
      'deletes by subject',
      (tx, { orderingKey, subjectId }) => forgetSubjects(tx, { orderingKey, topic: TOPIC }, [subjectId]),
    ],
    ['appends anew', (tx, about) => outbox.appendAnew(tx, { ...about, projectId: null, topic: TOPIC })],
    [
      'deletes a project',
      (tx) => service.app.get(DeleteProjectMessages, { strict: false }).deleting(tx, newId()),
    ],
  ])('moves nothing while a transaction %s', async (_, change) => {
    const orderingKey = newId();
    const [subjectId = ''] = await append(2, orderingKey);
    await partitions.open(1);
    await service.app
      .get(EntityManager)
      .fork()
      .transactional(async (tx) => {
        await change(tx, { orderingKey, subjectId });
        expect(await partitions.moveForward(0)).toBe(0);
      });
    expect(await partitions.moveForward(0)).toBeGreaterThan(0);
  });
});
