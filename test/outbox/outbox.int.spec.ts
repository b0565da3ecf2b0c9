import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import { Logger } from '@nestjs/common';
import { OutboxClaimer } from '../../src/platform/outbox/infrastructure/outbox.claimer.js';
import { OutboxDispatcher } from '../../src/platform/outbox/application/outbox.dispatcher.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import {
  countBacklog,
  countWaiting,
  deleteOfProject,
  findNewestDeadLetter,
  forgetSubjects,
  hasRecent,
  isWaiting,
  oldestAgeOfTopics,
  readOldestAge,
  waitingAmong,
  waitingSubjects,
  waitingSubjectsOfKeys,
} from '../../src/platform/outbox/queued-messages.js';
import { OutboxService } from '../../src/platform/outbox/outbox.service.js';
import { OutboxSettler } from '../../src/platform/outbox/application/outbox.settler.js';
import { type LeasedMessage, OutboxStore } from '../../src/platform/outbox/infrastructure/outbox.store.js';
import {
  BUG_SCHEDULE,
  type AttemptResult,
  type Failure,
  type OutboxMessage,
  type RetrySchedule,
  type Settled,
} from '../../src/platform/outbox/domain/outbox-message.js';
import type { OutboxHandler } from '../../src/platform/outbox/outbox.handler.js';
import { newId } from '../../src/platform/identity/ids.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const TOPIC = 'test.topic';
const OTHER_TOPIC = 'test.other';
/** As documented, and not as the source has it: one that is changed by accident shall be noticed. */
const OUTBOX_FAILURES_MAX = 8;
/** Longer than a busy machine stalls. */
const LEASE_MS = 3_000;
/** A good part of the lease, and longer than the pause before a failed write is repeated. */
const OUTAGE_MS = LEASE_MS / 3;
const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';

/** A handler whose attempts the test decides; it writes down what it attempted and settled. */
class Recorder implements OutboxHandler<string> {
  topics = [TOPIC];
  retry: RetrySchedule = BUG_SCHEDULE;
  slotsMax?: number;
  slotsPerKeyMax?: number;
  readonly attemptMaxMs = 0;
  readonly prepared: string[] = [];
  readonly attempted: string[] = [];
  readonly settled: { subjectId: string; outcome: string }[] = [];
  attempt: (message: OutboxMessage) => Promise<AttemptResult<string>> = () =>
    Promise.resolve({ kind: 'settled', outcome: 'done', healthy: true });
  poisonous = (_message: OutboxMessage): boolean => false;
  poisonousAtSettle = (_settled: Settled<string>): boolean => false;
  /** The handler's write with an outcome, in the given transaction. */
  write = (_tx: EntityManager): Promise<unknown> => Promise.resolve();

  prepare(messages: OutboxMessage[]): Promise<(() => Promise<AttemptResult<string>>)[]> {
    if (messages.some(this.poisonous)) throw new Error('poison');
    this.prepared.push(...messages.map(({ subjectId }) => subjectId));
    return Promise.resolve(
      messages.map((message) => () => {
        this.attempted.push(message.subjectId);
        return this.attempt(message);
      }),
    );
  }

  async settle(tx: EntityManager, settled: Settled<string>[]): Promise<void> {
    await this.write(tx);
    if (settled.some(this.poisonousAtSettle)) throw new Error('poison at settle');
    this.settled.push(...settled.map(({ message, outcome }) => ({ subjectId: message.subjectId, outcome })));
  }

  readonly failures: Failure<string>[] = [];
  /** The handler's write with a failure. */
  writeFailed = (_tx: EntityManager): Promise<unknown> => Promise.resolve();

  async failed(tx: EntityManager, _message: OutboxMessage, failure: Failure<string>): Promise<void> {
    await this.writeFailed(tx);
    this.failures.push(failure);
  }

  discarded: AttemptResult<string> = { kind: 'settled', outcome: 'given up', healthy: true };

  discard(): AttemptResult<string> {
    return this.discarded;
  }
}

describe('outbox', () => {
  let service: TestService;
  let outbox: OutboxService;
  let dispatcher: OutboxDispatcher;
  let recorder: Recorder;

  beforeEach(async () => {
    service = await startTestService({ FORWARDING_TIMEOUT_MS: '500', OUTBOX_LEASE_MS: String(LEASE_MS) });
    outbox = service.app.get(OutboxService);
    dispatcher = service.app.get(OutboxDispatcher);
    recorder = new Recorder();
    outbox.register(recorder);
  });
  afterEach(() => service.close());

  const append = async (count: number, projectId: string = newId()): Promise<string[]> => {
    const subjects = Array.from({ length: count }, () => newId());
    await service.app
      .get(EntityManager)
      .fork()
      .transactional(async (tx) => {
        for (const subjectId of subjects)
          await outbox.append(tx, { orderingKey: projectId, projectId, topic: TOPIC, subjectId });
      });
    return subjects;
  };
  const waiting = async (): Promise<number> =>
    Number((await service.database.query<{ n: string }>('select count(*) n from outbox_message'))[0]?.n);
  const dead = (): Promise<Record<string, unknown>[]> =>
    service.database.query('select * from outbox_dead_letter');
  const skipBackoff = (): Promise<unknown> =>
    service.database.query(
      "update outbox_message set available_at = now() - interval '1 second' where claim_id is null",
    );

  it('keeps nothing of a message whose transaction is rolled back', async () => {
    const em = service.app.get(EntityManager).fork();
    const failing = em.transactional(async (tx) => {
      await outbox.append(tx, { orderingKey: newId(), projectId: null, topic: TOPIC, subjectId: newId() });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await waiting()).toBe(0);
  });

  it('refuses to append outside a transaction or to a topic without a handler', async () => {
    const em = service.app.get(EntityManager).fork();
    await expect(
      outbox.append(em, { orderingKey: newId(), projectId: null, topic: TOPIC, subjectId: newId() }),
    ).rejects.toThrow('inside a transaction');
    const unknown = em.transactional((tx) =>
      outbox.append(tx, { orderingKey: newId(), projectId: null, topic: 'nobody.reads', subjectId: newId() }),
    );
    await expect(unknown).rejects.toThrow('has no handler');
  });

  it('takes one handler for a topic, and none with both throttles and a limit', () => {
    expect(() => outbox.register(new Recorder())).toThrow('has two handlers');
    const both = Object.assign(new Recorder(), { topics: [OTHER_TOPIC], throttled: true, slotsMax: 1 });
    expect(() => outbox.register(both)).toThrow('both throttles and a limit');
  });

  it('wakes a worker unless one polls after the commit', () => {
    let notified = 0;
    const waking = new OutboxService(service.app.get(EntityManager), { notify: () => (notified += 1) });
    const counts = [null, 4, 5, 6].map((pollingMs) => {
      waking.notifyUnlessPolling({ pollingMs, elapsedMs: 5 });
      return notified;
    });
    expect(counts).toEqual([1, 2, 3, 3]);
  });

  it('announces the latest end of polling, and none once a worker stops', async () => {
    const store = service.app.get(OutboxStore);
    const secondsLeft = async (): Promise<number> =>
      Number(
        (
          await service.database.query<{ left: number }>(
            'select extract(epoch from until - now())::float8 as left from worker_polling',
          )
        )[0]?.left,
      );
    await store.announcePolling(600_000);
    await store.announcePolling(1_000);
    expect(await secondsLeft()).toBeGreaterThan(300);
    expect(await secondsLeft()).toBeLessThanOrEqual(600);
    await dispatcher.beforeApplicationShutdown();
    expect(await secondsLeft()).toBeLessThanOrEqual(0);
  });

  it('fails the start where an announced topic has no handler', () => {
    outbox.announce('nobody.reads');
    expect(() => outbox.onApplicationBootstrap()).toThrow('nobody.reads has no handler');
  });

  it('attempts and settles every message once, and leaves the table empty', async () => {
    const subjects = [...(await append(300)), ...(await append(20))];
    dispatcher.requestPoll();
    await until('all settled', () => recorder.settled.length === 320);
    expect(new Set(recorder.settled.map(({ subjectId }) => subjectId))).toEqual(new Set(subjects));
    expect(recorder.attempted).toHaveLength(320);
    await until('no row left', async () => (await waiting()) === 0);
  });

  it.each([['settled'], ['retry'], ['dead']] as const)(
    'writes an attempt that ended %s while no connection could be opened, once, within its lease',
    async (kind) => {
      const database = new URL(service.database.url).pathname.slice(1);
      const allowConnections = (allow: boolean) =>
        service.database.query(
          `${allow ? 'grant' : 'revoke'} connect on database ${database} ${allow ? 'to' : 'from'} public, service_runtime`,
        );
      let refused = false;
      recorder.attempt = async () => {
        if (!refused) {
          refused = true;
          await allowConnections(false);
          await service.database.query(
            'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
            [database],
          );
        }
        return kind === 'settled'
          ? { kind, outcome: 'done', healthy: true }
          : { kind, error: 'the first', afterMs: 60_000 };
      };
      await append(1);
      dispatcher.requestPoll();
      await until('the outage', () => refused);
      await new Promise((wake) => setTimeout(wake, OUTAGE_MS));
      expect([recorder.settled, recorder.failures]).toEqual([[], []]);
      await allowConnections(true);
      await until('the outcome', () => recorder.settled.length + recorder.failures.length > 0);
      expect(recorder.failures.map((failure) => failure.kind)).toEqual(kind === 'settled' ? [] : [kind]);
      expect(recorder.attempted).toHaveLength(1);
      await until('nothing leased', () => dispatcher.leased === 0);
    },
  );

  it('attempts the messages of a project in their order where one goes at a time', async () => {
    const subjects = await append(4);
    dispatcher.requestPoll();
    await until('all settled', () => recorder.settled.length === 4);
    expect(recorder.attempted).toEqual(subjects);
  });

  it('hands each message to one of two workers that claim at the same time', async () => {
    for (let n = 0; n < 10; n++) await append(20);
    const workers = Array.from(
      { length: 4 },
      () => new OutboxClaimer(service.settings.outbox, service.settings.database),
    );
    const request = {
      topics: [TOPIC],
      part: 0,
      throttledTopics: [],
      limit: 100,
      limitPerKey: 20,
      freeOf: new Map<string, number>(),
      freeOfTopic: new Map<string, number>(),
      afterKey: LOWEST_KEY,
    };
    const claims = await Promise.all(workers.map((claimer) => claimer.claim(request)));
    for (const claimer of workers) await claimer.onApplicationShutdown();
    const ids = claims.flatMap(({ messages }) =>
      messages.map((message) => `${message.orderingKey}/${message.id}`),
    );
    expect(ids.length).toBeGreaterThanOrEqual(100);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('claims a worker’s message again once its lease has run out, and fences the first claim off', async () => {
    await append(1);
    const store = service.app.get(OutboxStore);
    const claimer = service.app.get(OutboxClaimer);
    const request = {
      topics: [TOPIC],
      part: 0,
      throttledTopics: [],
      limit: 10,
      limitPerKey: 10,
      freeOf: new Map<string, number>(),
      freeOfTopic: new Map<string, number>(),
      afterKey: LOWEST_KEY,
    };
    const first = await claimer.claim(request);
    expect((await claimer.claim(request)).messages).toHaveLength(0);
    const second = await until('the lease to run out', async () => {
      const claimed = await claimer.claim(request);
      return claimed.messages.length > 0 ? claimed : null;
    });
    expect(second.messages[0]).toMatchObject({ abandonedAttempts: 1 });
    const leased = (claim: typeof first): { message: OutboxMessage; claimId: string }[] =>
      claim.messages.map((message) => ({ message, claimId: claim.claimId }));
    const em = service.app.get(EntityManager).fork();
    expect((await em.transactional((tx) => store.remove(tx, leased(first)))).size).toBe(0);
    expect(await waiting()).toBe(1);
    expect((await em.transactional((tx) => store.remove(tx, leased(second)))).size).toBe(1);
    expect(await waiting()).toBe(0);
  });

  const claim = async (topics = [TOPIC]): Promise<LeasedMessage[]> => {
    const { claimId, messages } = await service.app.get(OutboxClaimer).claim({
      part: 0,
      topics,
      throttledTopics: [],
      limit: 10,
      limitPerKey: 10,
      freeOf: new Map<string, number>(),
      freeOfTopic: new Map<string, number>(),
      afterKey: LOWEST_KEY,
    });
    return messages.map((message) => ({ message, claimId }));
  };
  const rows = (): Promise<Record<string, unknown>[]> =>
    service.database.query('select * from outbox_message order by id');

  it('attempts a message again that its handler retries after abandoned attempts', async () => {
    recorder.discarded = { kind: 'retry', afterMs: 60_000, error: 'The worker crashed on every attempt.' };
    const [subjectId = ''] = await append(1);
    await service.database.query('update outbox_message set abandoned_attempts = 3');
    dispatcher.requestPoll();
    await until('it is retried', async () => (await rows())[0]?.['failures'] === 1);
    expect(recorder.attempted).toEqual([]);
    await skipBackoff();
    dispatcher.requestPoll();
    await until('it is settled', () => recorder.settled.length === 1);
    expect(recorder.settled).toEqual([{ subjectId, outcome: 'done' }]);
  });

  it('holds a lease for as long as the setting says', async () => {
    await append(1);
    await claim();
    const [row] = await service.database.query<{ left: number }>(
      'select extract(epoch from available_at - now())::float8 * 1000 as left from outbox_message',
    );
    expect(row?.left).toBeLessThanOrEqual(LEASE_MS);
    expect(row?.left).toBeGreaterThan(LEASE_MS / 2);
  });

  it.each<[string, (store: OutboxStore, leased: LeasedMessage) => Promise<unknown>]>([
    ['put it back', (store, leased) => store.retry(leased, { afterMs: 60_000, error: 'late' })],
    ['give it back', (store, leased) => store.release([leased])],
    ['bury it', (store, leased) => store.deadLetter(leased, 'late')],
  ])('lets the first claim not %s after the second', async (_, change) => {
    await append(1);
    const [first] = await claim();
    await service.database.query(`update outbox_message set available_at = now() - interval '1 second'`);
    const [second] = await claim();
    const before = await rows();
    const store = service.app.get(OutboxStore);
    await change(store, first as LeasedMessage);
    expect(await rows()).toEqual(before);
    expect(await dead()).toEqual([]);
    await change(store, second as LeasedMessage);
    expect(await rows()).not.toEqual(before);
  });

  it.each<[string, () => Promise<AttemptResult<string>>]>([
    ['retry', () => Promise.resolve({ kind: 'retry', error: 'late', afterMs: 60_000 })],
    ['dead', () => Promise.resolve({ kind: 'dead', error: 'late', outcome: 'lost' })],
    ['thrown', () => Promise.reject(new Error('late'))],
  ])(
    'reports no failure to the handler where another worker has the message by then (%s)',
    async (_, end) => {
      recorder.attempt = async () => {
        await service.database.query(
          `update outbox_message set claim_id = gen_random_uuid(), available_at = now() + interval '1 hour'`,
        );
        return end();
      };
      await append(1);
      dispatcher.requestPoll();
      await until('it was tried', () => recorder.attempted.length === 1);
      await until('nothing is under way', () => dispatcher.leased === 0);
      expect(recorder.failures).toEqual([]);
      expect(await rows()).toMatchObject([{ failures: 0 }]);
      expect(await dead()).toEqual([]);
    },
  );

  it('revives a dead letter as its message was appended', async () => {
    await append(1);
    await service.database.query(
      `update outbox_message set created_at = now() - interval '3 days', payload = '{"n": 1}'`,
    );
    const [appended] = await rows();
    const [leased] = await claim();
    const store = service.app.get(OutboxStore);
    expect(await store.deadLetter(leased as LeasedMessage, 'broken')).toBe(true);
    expect(await dead()).toMatchObject([{ created_at: appended?.['created_at'], failures: 1 }]);
    await service.app
      .get(EntityManager)
      .fork()
      .transactional((tx) => store.revive(tx, null));
    expect(await rows()).toEqual([{ ...appended, available_at: expect.any(Date) }]);
  });

  it('finds the newest messages of a key, up to a bound, and counts from the oldest', async () => {
    const orderingKey = newId();
    const [first = '', second = '', third = ''] = await append(3, orderingKey);
    await append(1);
    const of = { orderingKey, topic: TOPIC };
    const em = (): EntityManager => service.app.get(EntityManager).fork();
    await em().transactional(async (tx) => {
      expect((await waitingSubjects(tx, of, 2)).toSorted()).toEqual([second, third].toSorted());
      expect(await waitingAmong(tx, of, [first, second], 2)).toEqual([second]);
      const ofKeys = { orderingKeys: [newId(), orderingKey], topic: TOPIC };
      expect((await waitingSubjectsOfKeys(tx, ofKeys, 2)).toSorted()).toEqual([second, third].toSorted());
    });
    const waits = (subjectId: string): Promise<boolean> => isWaiting(em(), { ...of, subjectId }, 2);
    expect(await Promise.all([first, second, third].map(waits))).toEqual([false, true, true]);
    await service.database.query(
      `update outbox_message set created_at = now() - interval '1 day' where subject_id = $1`,
      [first],
    );
    const [oldest] = await rows();
    expect(await countWaiting(em(), of, 2)).toEqual({ count: 2, oldestAt: oldest?.['created_at'] });
  });

  it('tells how old the queue of a key is, what of it is recent, and when something of it died', async () => {
    const [orderingKey, other] = [newId(), newId()];
    const [first, second] = await append(2, orderingKey);
    const [third] = await append(1, other);
    await service.database.query(
      `update outbox_message m
       set created_at = now() - make_interval(hours => hours), payload = case when hours = 1 then '{}'::jsonb end
       from unnest($1::uuid[], $2::int[]) as given (subject_id, hours) where m.subject_id = given.subject_id`,
      [
        [first, second, third],
        [2, 1, 3],
      ],
    );
    const em = service.app.get(EntityManager).fork();
    const hours = (seconds: number): number => Math.floor(seconds / 3_600);
    expect(hours(await readOldestAge(em, orderingKey))).toBe(2);
    expect(hours(await oldestAgeOfTopics(em, [TOPIC]))).toBe(3);
    const { waiting: unloaded, oldestAgeSeconds } = await countBacklog(em, [TOPIC]);
    expect([unloaded, hours(oldestAgeSeconds)]).toEqual([2, 3]);
    // The messages without a payload do not count.
    const recent = (key: string, seconds: number): Promise<boolean> => hasRecent(em, key, seconds);
    expect([
      await recent(orderingKey, 4_000),
      await recent(orderingKey, 3_000),
      await recent(other, 20_000),
    ]).toEqual([true, false, false]);
    const died = [3, 1, 2, 0].map((hoursAgo) => new Date(Date.now() - hoursAgo * 3_600_000));
    await service.database.query(
      `insert into outbox_dead_letter (ordering_key, id, topic, subject_id, failures, created_at, died_at)
       select case when n < 4 then $1::uuid else $2::uuid end, n, $3, gen_random_uuid(), 8, now(), at
       from unnest($4::timestamptz[]) with ordinality as given (at, n)`,
      [orderingKey, other, TOPIC, died],
    );
    expect(await findNewestDeadLetter(em, orderingKey)).toEqual(died[1]);
    expect(await findNewestDeadLetter(em, newId())).toBeNull();
  });

  it('lists the oldest dead letters, with the beginning of a long error', async () => {
    await append(3);
    const leased = await claim();
    const store = service.app.get(OutboxStore);
    for (const each of leased) await store.deadLetter(each, 'x'.repeat(501));
    expect(await store.deadLetters(2)).toMatchObject(
      leased.slice(0, 2).map(({ message }) => ({ id: message.id, lastError: 'x'.repeat(500) })),
    );
  });

  it('replaces what is queued or dead about a subject of a key, or forgets it, and nothing else', async () => {
    const [orderingKey, otherKey, subjectId, otherSubject] = [newId(), newId(), newId(), newId()];
    const about = (key: string, subject: string) => ({
      orderingKey: key,
      projectId: null,
      topic: TOPIC,
      subjectId: subject,
    });
    const em = (): EntityManager => service.app.get(EntityManager).fork();
    await em().transactional((tx) =>
      outbox.appendMany(tx, [
        about(orderingKey, subjectId),
        about(orderingKey, otherSubject),
        about(otherKey, subjectId),
      ]),
    );
    await service.database.query(
      `insert into outbox_dead_letter (ordering_key, id, topic, subject_id, failures, created_at)
       select key, row_number() over (), $2, $3, 8, now() from unnest($1::uuid[]) key`,
      [[orderingKey, otherKey], TOPIC, subjectId],
    );
    const left = async (): Promise<unknown[]> =>
      (await rows()).map((row) => [row['ordering_key'], row['subject_id'], row['topic']]);
    await em().transactional((tx) => outbox.appendAnew(tx, about(orderingKey, subjectId)));
    const others = [
      [orderingKey, otherSubject, TOPIC],
      [otherKey, subjectId, TOPIC],
    ];
    expect(await left()).toEqual([...others, [orderingKey, subjectId, TOPIC]]);
    expect(await dead()).toMatchObject([{ ordering_key: otherKey }]);
    await service.database.query(
      `insert into outbox_message (ordering_key, topic, subject_id) values ($1, $2, $3)`,
      [orderingKey, OTHER_TOPIC, subjectId],
    );
    await em().transactional((tx) => forgetSubjects(tx, { orderingKey, topic: TOPIC }, [subjectId]));
    expect(await left()).toEqual([...others, [orderingKey, subjectId, OTHER_TOPIC]]);
    expect(await dead()).toMatchObject([{ ordering_key: otherKey }]);
  });

  it('keeps nothing of a deleted project, and everything of others', async () => {
    const [projectId, other] = [newId(), newId()];
    for (const id of [projectId, other]) await append(2, id);
    const leased = await claim();
    const store = service.app.get(OutboxStore);
    for (const id of [projectId, other]) {
      const one = leased.find(({ message }) => message.projectId === id);
      await store.deadLetter(one as LeasedMessage, 'broken');
    }
    await service.database.query(
      `insert into claim_throttle (ordering_key, topic, next_claim_at, batch_limit)
       select id, $2, now(), 1 from unnest($1::uuid[]) id`,
      [[projectId, other], TOPIC],
    );
    await service.app
      .get(EntityManager)
      .fork()
      .transactional((tx) => deleteOfProject(tx, projectId));
    expect(await rows()).toMatchObject([{ project_id: other }]);
    expect(await dead()).toMatchObject([{ project_id: other }]);
    expect(await service.database.query('select ordering_key from claim_throttle')).toEqual([
      { ordering_key: other },
    ]);
  });

  it('settles a batch of two topics with the handler of each', async () => {
    const other = new Recorder();
    other.topics = [OTHER_TOPIC];
    outbox.register(other);
    const orderingKey = newId();
    const messages = [TOPIC, TOPIC, OTHER_TOPIC].map((topic) => ({
      orderingKey,
      projectId: null,
      topic,
      subjectId: newId(),
    }));
    await service.app
      .get(EntityManager)
      .fork()
      .transactional((tx) => outbox.appendMany(tx, messages));
    const leased = await claim([TOPIC, OTHER_TOPIC]);
    const settler = service.app.get(OutboxSettler);
    // The first is being written while the others come, so that one batch has them.
    await Promise.all(leased.map((each) => settler.settle(each, 'done', performance.now())));
    const settledOf = (handler: Recorder): unknown[] => handler.settled.map(({ subjectId }) => subjectId);
    const [first, second, third] = messages.map(({ subjectId }) => subjectId);
    expect([settledOf(recorder), settledOf(other)]).toEqual([[first, second], [third]]);
    expect(await waiting()).toBe(0);
  });

  it('keeps nothing that a handler wrote before it threw at settle', async () => {
    await service.database.query('create table written (subject text)');
    await service.database.query('grant insert on written to public');
    const [poison] = await append(1);
    recorder.write = (tx) => tx.execute(`insert into written values ('half')`);
    recorder.poisonousAtSettle = ({ message }) => message.subjectId === poison;
    dispatcher.requestPoll();
    await until('the failure is counted', async () => (await rows())[0]?.['failures'] === 1);
    expect(await service.database.query('select * from written')).toEqual([]);
    recorder.poisonousAtSettle = () => false;
    await skipBackoff();
    dispatcher.requestPoll();
    await until('settled, and committed', async () => (await waiting()) === 0);
    expect(await service.database.query('select * from written')).toEqual([{ subject: 'half' }]);
  });

  /** As if the worker had claimed them just now, however slow the machine is. */
  const renewLeases = (): Promise<unknown> =>
    service.database.query(
      `update outbox_message set available_at = now() + interval '1 hour' where claim_id is not null`,
    );

  it('prepares anew what waited too long for its slot, and counts nothing against it', async () => {
    const projectId = newId();
    await append(200, projectId);
    dispatcher.requestPoll();
    await until('the receiver is known to be quick', () => recorder.settled.length === 200);
    recorder.prepared.length = 0;
    recorder.attempted.length = 0;
    const ends: (() => void)[] = [];
    recorder.attempt = async () => {
      if (ends.length < 64) await new Promise<void>((end) => ends.push(end));
      return { kind: 'settled', outcome: 'done', healthy: true };
    };
    await append(128, projectId);
    dispatcher.requestPoll();
    await until('half is under way and half is claimed ahead', () => dispatcher.leased === 128);
    await renewLeases();
    const underWay = new Set(recorder.attempted);
    const ahead = recorder.prepared.filter((subjectId) => !underWay.has(subjectId));
    expect([underWay.size, ahead.length]).toEqual([64, 64]);
    const leasedSinceMs = performance.now();
    // Half a lease, which is less than the two seconds of a longer one.
    await until('they are too old', () => performance.now() - leasedSinceMs > LEASE_MS / 2 + 50);
    ends[0]?.();
    await until('all but those under way are settled', () => recorder.settled.length === 200 + 65);
    const timesPrepared = (subjectId: string): number =>
      recorder.prepared.filter((prepared) => prepared === subjectId).length;
    expect(new Set(ahead.map(timesPrepared))).toEqual(new Set([2]));
    expect(recorder.attempted).toHaveLength(128);
    expect((await rows()).every((row) => Number(row['abandoned_attempts']) <= 1)).toBe(true);
    for (const end of ends) end();
  });

  it.each<[string, AttemptResult<string>]>([
    ['fails', { kind: 'settled', outcome: 'failed', healthy: false }],
    ['is put off', { kind: 'snooze', afterMs: 60_000 }],
  ])(
    'gives what it claimed ahead of a receiver back to other workers when one attempt %s',
    async (_, ending) => {
      const projectId = newId();
      await append(200, projectId);
      dispatcher.requestPoll();
      await until('the receiver is known to be quick', () => recorder.settled.length === 200);
      recorder.prepared.length = 0;
      recorder.attempted.length = 0;
      const ends: ((ending: AttemptResult<string>) => void)[] = [];
      recorder.attempt = () => new Promise((end) => ends.push(end));
      await append(128, projectId);
      dispatcher.requestPoll();
      await until('half is under way and half is claimed ahead', () => dispatcher.leased === 128);
      await renewLeases();
      const underWay = new Set(recorder.attempted);
      const ahead = recorder.prepared.filter((subjectId) => !underWay.has(subjectId));
      expect([underWay.size, ahead.length]).toEqual([64, 64]);
      ends[0]?.(ending);
      const free = (): Promise<{ subject_id: string }[]> =>
        service.database.query(
          `select subject_id from outbox_message
         where subject_id = any($1) and claim_id is null and available_at <= now() and failures + abandoned_attempts = 0`,
          [ahead],
        );
      await until('another worker may claim them', async () => (await free()).length === ahead.length);
      for (const end of ends) end({ kind: 'settled', outcome: 'done', healthy: true });
    },
  );

  it('leaves a project alone that is put off, and counts nothing against its messages', async () => {
    const projectId = newId();
    await append(40, projectId);
    let attempts = 0;
    let startedMs = 0;
    let open = false;
    recorder.attempt = () => {
      startedMs ||= performance.now();
      attempts += 1;
      return Promise.resolve(
        open ? { kind: 'settled', outcome: 'done', healthy: true } : { kind: 'snooze', afterMs: 400 },
      );
    };
    dispatcher.requestPoll();
    await until('it was looked at again', () => attempts > 8);
    // At first as many as a new project gets, then one for each pause.
    expect(performance.now() - startedMs).toBeGreaterThan(3 * 400);
    expect((await rows()).every((row) => row['failures'] === 0)).toBe(true);
    expect((await rows()).reduce((sum, row) => sum + Number(row['abandoned_attempts']), 0)).toBeLessThan(2);
    const neighbour = await append(5);
    open = true;
    dispatcher.requestPoll();
    await until('all are settled in the end', () => recorder.settled.length === 45);
    expect(recorder.settled.map(({ subjectId }) => subjectId)).toEqual(expect.arrayContaining(neighbour));
  });

  it('writes the outcome of the newer claim alone where a worker took its own message over', async () => {
    const claimer = service.app.get(OutboxClaimer);
    const settler = service.app.get(OutboxSettler);
    const [first = '', second = ''] = await append(2);
    const claimBoth = async (): Promise<LeasedMessage[]> => {
      const { claimId, messages } = await claimer.claim({
        topics: [TOPIC],
        part: 0,
        throttledTopics: [],
        limit: 2,
        limitPerKey: 2,
        freeOf: new Map(),
        freeOfTopic: new Map(),
        afterKey: LOWEST_KEY,
      });
      return messages.map((message) => ({ message, claimId }));
    };
    const older = await claimBoth();
    const olderMs = performance.now();
    await service.database.query("update outbox_message set available_at = now() - interval '1 second'");
    const newer = await claimBoth();
    const of = (leased: LeasedMessage[], subjectId: string): LeasedMessage => {
      const found = leased.find(({ message }) => message.subjectId === subjectId);
      if (!found) throw new Error('it was not claimed');
      return found;
    };
    // The first is being written while both outcomes of the second come, so that one batch has them.
    await Promise.all([
      settler.settle(of(newer, first), 'done', performance.now()),
      settler.settle(of(newer, second), 'of the newer claim', performance.now()),
      settler.settle(of(older, second), 'of the older claim', olderMs),
    ]);
    expect(recorder.settled).toEqual([
      { subjectId: first, outcome: 'done' },
      { subjectId: second, outcome: 'of the newer claim' },
    ]);
    expect(await waiting()).toBe(0);
  });

  it('gives a message up after three unknown outcomes (design §6.5)', async () => {
    const [subjectId] = await append(1);
    await service.database.query('update outbox_message set abandoned_attempts = 3');
    dispatcher.requestPoll();
    await until('given up', () => recorder.settled.length === 1);
    expect(recorder.settled).toEqual([{ subjectId, outcome: 'given up' }]);
    expect(recorder.attempted).toEqual([]);
    await append(1);
    dispatcher.requestPoll();
    await until('another one is settled', () => recorder.settled.length === 2);
    await until('nothing is leased', () => dispatcher.leased === 0);
    const [leased] = await until('no poll of the dispatcher is in progress', async () => {
      await append(3);
      const claimed = await claim();
      return claimed.length === 3 ? claimed : null;
    });
    await service.app.get(OutboxStore).deadLetter(leased as LeasedMessage, 'broken');
    const metrics = await service.app.get(Metrics).registry.metrics();
    for (const [name, value] of Object.entries({
      outbox_lease_reclaims_total: 1,
      outbox_given_up_total: 1,
      outbox_waiting_messages: 2,
      outbox_dead_letters: 1,
    }))
      expect(metrics).toMatch(new RegExp(`^${name} ${value}$`, 'm'));
  });

  it('still attempts a message with two unknown outcomes', async () => {
    await append(1);
    await service.database.query('update outbox_message set abandoned_attempts = 2');
    dispatcher.requestPoll();
    await until('settled', () => recorder.settled.length === 1);
    expect(recorder.settled[0]?.outcome).toBe('done');
  });

  it.each(['prepare', 'settle'] as const)(
    'lets a message that is poison at %s stand alone, and buries it in the end',
    async (where) => {
      const projectId = newId();
      const [poison, ...others] = await append(20, projectId);
      if (where === 'prepare') recorder.poisonous = (message) => message.subjectId === poison;
      else recorder.poisonousAtSettle = ({ message }) => message.subjectId === poison;
      dispatcher.requestPoll();
      await until('the others settled', () => recorder.settled.length === others.length);
      // Its neighbours are not attempted again on its account, and nothing is counted against them.
      expect(recorder.attempted.filter((subjectId) => subjectId !== poison)).toHaveLength(others.length);
      expect(new Set(recorder.settled.map(({ subjectId }) => subjectId))).toEqual(new Set(others));
      for (let failures = 1; failures < OUTBOX_FAILURES_MAX; failures++) {
        await until(
          `failure ${failures}`,
          async () =>
            (
              await service.database.query(
                'select 1 from outbox_message where failures = $1 and claim_id is null',
                [failures],
              )
            ).length === 1,
        );
        await skipBackoff();
        dispatcher.requestPoll();
      }
      const [letter] = await until('buried', async () => ((await dead()).length > 0 ? dead() : null));
      expect(letter).toMatchObject({ subject_id: poison, failures: OUTBOX_FAILURES_MAX, topic: TOPIC });
      expect(letter?.last_error).toContain('poison');
      expect(await waiting()).toBe(0);
    },
  );

  it.each([
    ['for a moment', 2],
    ['for longer than a lease', 14],
  ])('counts nothing against messages of which the facts cannot be read %s', async (_, times) => {
    const subjects = await append(20);
    let left = times;
    recorder.poisonous = () => {
      if (left-- > 0) throw Object.assign(new Error('too many clients already'), { code: '53300' });
      return false;
    };
    const failuresSeen = async (): Promise<number> =>
      Number(
        (
          await service.database.query<{ most: number | null }>(
            'select max(failures)::int as most from outbox_message',
          )
        )[0]?.most,
      );
    dispatcher.requestPoll();
    await until('it was tried so often', async () => {
      expect(await failuresSeen()).toBe(0);
      return left <= 0;
    });
    await until('all are settled', () => recorder.settled.length === subjects.length);
    expect(recorder.attempted).toHaveLength(subjects.length);
    expect(recorder.failures).toEqual([]);
    expect(await dead()).toEqual([]);
  });

  it('retries an attempt that lost the database, whatever the retry schedule of its topic', async () => {
    recorder.retry = { failuresMax: 1, abandonedAttemptsMax: 3, delayMs: () => 60_000 };
    recorder.attempt = () => {
      recorder.attempt = () => Promise.resolve({ kind: 'settled', outcome: 'done', healthy: true });
      return Promise.reject(Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' }));
    };
    await append(1);
    dispatcher.requestPoll();
    await until('the failure is written', () => recorder.failures.length === 1);
    expect(recorder.failures).toEqual([
      { kind: 'retry', error: 'Cannot connect to the database.', outcome: null },
    ]);
    await until('settled', () => {
      dispatcher.requestPoll();
      return recorder.settled.length === 1;
    });
    expect(await dead()).toEqual([]);
  });

  it('revives a dead letter by hand, and it is worked through like any other', async () => {
    const [subjectId] = await append(1);
    await service.database.query('update outbox_message set failures = $1', [OUTBOX_FAILURES_MAX - 1]);
    recorder.attempt = () => Promise.reject(new Error('broken for now'));
    dispatcher.requestPoll();
    const store = service.app.get(OutboxStore);
    const [letter] = await until('buried', async () =>
      (await dead()).length > 0 ? store.deadLetters(10) : null,
    );
    expect(letter).toMatchObject({ subjectId, failures: OUTBOX_FAILURES_MAX });
    expect(letter?.lastError).toContain('broken for now');
    recorder.attempt = () => Promise.resolve({ kind: 'settled', outcome: 'done', healthy: true });
    const em = service.app.get(EntityManager).fork();
    expect(await em.transactional((tx) => store.revive(tx, 999_999))).toEqual([]);
    expect(await em.transactional((tx) => store.revive(tx, letter?.id ?? 0))).toMatchObject([{ subjectId }]);
    dispatcher.requestPoll();
    await until('settled', () => recorder.settled.length === 1);
    expect(await dead()).toEqual([]);
  });

  it('waits and buries as the handler of the topic says, and tells it in the same transaction', async () => {
    await service.database.query('create table written (subject text)');
    await service.database.query('grant insert on written to public');
    recorder.writeFailed = (tx) => tx.execute(`insert into written values ('failed')`);
    recorder.retry = { failuresMax: 2, abandonedAttemptsMax: 3, delayMs: () => 60_000 };
    recorder.attempt = () => Promise.reject(new Error('broken'));
    await append(1);
    dispatcher.requestPoll();
    await until('the failure is counted', async () => (await rows())[0]?.['failures'] === 1);
    const [row] = await service.database.query<{ left: number }>(
      'select extract(epoch from available_at - now())::float8 as left from outbox_message',
    );
    expect(row?.left).toBeGreaterThan(50);
    const { error } = Logger.prototype;
    const errors: unknown[] = [];
    Logger.prototype.error = (...given: unknown[]) => void errors.push(given);
    await skipBackoff();
    dispatcher.requestPoll();
    await until('buried', async () => (await dead()).length === 1);
    await until('nothing is leased', () => dispatcher.leased === 0).finally(() => {
      Logger.prototype.error = error;
    });
    const [letter] = await dead();
    expect(errors).toEqual([
      [
        {
          err: expect.any(Error),
          projectId: letter?.['project_id'],
          messageId: Number(letter?.['id']),
          topic: TOPIC,
          failures: 2,
        },
        'dead-lettered an outbox message',
      ],
    ]);
    expect(recorder.failures).toEqual([
      { kind: 'retry', error: 'Error: broken', outcome: null },
      { kind: 'dead', error: 'Error: broken', outcome: null },
    ]);
    expect(await service.database.query('select * from written')).toHaveLength(2);
  });

  it('buries a message at once that its handler says is dead, and nothing where it cannot say so', async () => {
    recorder.attempt = () => Promise.resolve({ kind: 'dead', error: 'for good', outcome: 'lost' });
    recorder.writeFailed = () => Promise.reject(new Error('cannot be written'));
    await append(1);
    dispatcher.requestPoll();
    await until('it was tried', () => recorder.attempted.length === 1);
    await until('nothing is under way', () => dispatcher.leased === 0);
    expect([await dead(), (await rows()).length]).toEqual([[], 1]);
    recorder.writeFailed = () => Promise.resolve();
    await service.database.query('update outbox_message set available_at = now()');
    dispatcher.requestPoll();
    const [letter] = await until('buried', async () => ((await dead()).length > 0 ? dead() : null));
    expect(letter).toMatchObject({ last_error: 'for good' });
    expect(recorder.failures).toEqual([{ kind: 'dead', error: 'for good', outcome: 'lost' }]);
  });

  it('has no more of a topic under way than its handler allows, however many keys wait', async () => {
    recorder.slotsMax = 3;
    let underWay = 0;
    let most = 0;
    recorder.attempt = async () => {
      most = Math.max(most, (underWay += 1));
      await new Promise((wake) => setTimeout(wake, 5));
      underWay -= 1;
      return { kind: 'settled', outcome: 'done', healthy: true };
    };
    for (let n = 0; n < 40; n++) await append(2);
    dispatcher.requestPoll();
    await until('all settled', () => recorder.settled.length === 80);
    expect(most).toBe(3);
    expect(new Set(recorder.settled.map(({ subjectId }) => subjectId)).size).toBe(80);
  });

  it('has no more of one key than its handler allows under way', async () => {
    recorder.slotsMax = 4;
    recorder.slotsPerKeyMax = 1;
    const underWay = new Map<string, number>();
    let most = 0;
    recorder.attempt = async ({ orderingKey }) => {
      const count = (underWay.get(orderingKey) ?? 0) + 1;
      underWay.set(orderingKey, count);
      most = Math.max(most, count);
      await new Promise((wake) => setTimeout(wake, 5));
      underWay.set(orderingKey, count - 1);
      return { kind: 'settled', outcome: 'done', healthy: true };
    };
    for (let n = 0; n < 2; n++) await append(6);
    dispatcher.requestPoll();
    await until('all settled', () => recorder.settled.length === 12);
    expect(most).toBe(1);
  });

  it('puts a message back for as long as its handler asks to retry', async () => {
    await append(1);
    let attempts = 0;
    recorder.attempt = () =>
      Promise.resolve(
        ++attempts < 3
          ? { kind: 'retry', afterMs: 0, error: 'not yet' }
          : { kind: 'settled', outcome: 'done', healthy: true },
      );
    dispatcher.requestPoll();
    await until('settled', () => recorder.settled.length === 1);
    expect(attempts).toBe(3);
  });

  it('serves a fresh project beside one whose attempts all hang', async () => {
    const hanging = newId();
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    recorder.attempt = async (message) => {
      if (message.projectId === hanging) await released;
      return { kind: 'settled', outcome: 'done', healthy: true };
    };
    await append(500, hanging);
    dispatcher.requestPoll();
    await until('the hanging project has its share', () => dispatcher.inFlight >= 4);
    const fresh = await append(10);
    dispatcher.requestPoll();
    await until(
      'the fresh project served',
      () => recorder.settled.filter(({ subjectId }) => fresh.includes(subjectId)).length === 10,
    );
    expect(dispatcher.inFlight).toBeLessThanOrEqual(64);
    release();
  });

  it('walks past more projects than one claim looks at', async () => {
    const projects = Array.from({ length: 600 }, () => newId());
    await service.database.query(
      `insert into outbox_message (ordering_key, project_id, topic, subject_id)
       select p, p, '${TOPIC}', p from unnest($1::uuid[]) p`,
      [projects],
    );
    dispatcher.requestPoll();
    await until('all settled', () => recorder.settled.length === 600);
  });

  it('gives back, when it stops, what it claimed ahead of a quick receiver', async () => {
    const projectId = newId();
    await append(200, projectId);
    dispatcher.requestPoll();
    await until('the receiver is known to be quick', () => recorder.settled.length === 200);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    recorder.attempt = async () => {
      await released;
      return { kind: 'settled', outcome: 'done', healthy: true };
    };
    const subjects = await append(300, projectId);
    dispatcher.requestPoll();
    await until('more is leased than attempted', () => dispatcher.leased === 128);
    const begun = recorder.attempted.length - 200;
    expect(begun).toBe(64);
    const drained = dispatcher.beforeApplicationShutdown();
    release();
    await drained;
    expect(recorder.settled).toHaveLength(200 + begun);
    expect(
      await service.database.query(
        'select from outbox_message where claim_id is null and abandoned_attempts = 0 and available_at <= now()',
      ),
    ).toHaveLength(subjects.length - begun);
    expect(await waiting()).toBe(subjects.length - begun);
  });

  it('drains: waits for what is under way and claims nothing more', async () => {
    await append(50);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    recorder.attempt = async () => {
      await released;
      return { kind: 'settled', outcome: 'done', healthy: true };
    };
    dispatcher.requestPoll();
    await until('attempts under way', () => recorder.attempted.length === 4);
    const drained = dispatcher.beforeApplicationShutdown();
    release();
    await drained;
    expect(recorder.settled).toHaveLength(4);
    expect(await waiting()).toBe(46);
    expect(
      await service.database.query('select 1 from outbox_message where claim_id is not null'),
    ).toHaveLength(0);
  });
});
