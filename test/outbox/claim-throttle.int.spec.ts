import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EntityManager } from '@mikro-orm/postgresql';
import type { ClaimThrottle } from '../../src/platform/outbox/domain/claim-throttle.js';
import { type Claimed, OutboxClaimer } from '../../src/platform/outbox/infrastructure/outbox.claimer.js';
import { type LeasedMessage, OutboxStore } from '../../src/platform/outbox/infrastructure/outbox.store.js';
import {
  allowClaim,
  countThrottled,
  nextClaimAt,
  oldestWaiting,
  removeThrottles,
  setThrottles,
} from '../../src/platform/outbox/claim-throttles.js';
import { OutboxService } from '../../src/platform/outbox/outbox.service.js';
import { newId } from '../../src/platform/identity/ids.js';
import { startTestService, type TestService } from '../support/programs/service.js';

/** The one that has throttles. */
const TOPIC = 'consent.recorded';
const OTHER_TOPIC = 'configuration.changed';
const LEASE_MS = 60_000;

describe('a throttle before a topic of a key', () => {
  let service: TestService;
  let outbox: OutboxService;
  let store: OutboxStore;
  /** Two workers. */
  let claimers: [OutboxClaimer, OutboxClaimer];
  let key: string;

  beforeAll(async () => {
    service = await startTestService({ OUTBOX_LEASE_MS: String(LEASE_MS) });
    outbox = service.app.get(OutboxService);
    store = service.app.get(OutboxStore);
    const make = (): OutboxClaimer => new OutboxClaimer(service.settings.outbox, service.settings.database);
    claimers = [make(), make()];
  });
  afterAll(async () => {
    for (const claimer of claimers) await claimer.onApplicationShutdown();
    await service.close();
  });
  beforeEach(() => {
    key = newId();
  });
  afterEach(async () => {
    await service.database.query('delete from outbox_message');
    await service.database.query('delete from claim_throttle');
  });

  const em = (): EntityManager => service.app.get(EntityManager).fork();
  const inTransaction = <T>(work: (tx: EntityManager) => Promise<T>): Promise<T> => em().transactional(work);
  const append = async (count: number, topic = TOPIC, orderingKey = key): Promise<string[]> => {
    const subjects = Array.from({ length: count }, () => newId());
    await inTransaction((tx) =>
      outbox.appendMany(
        tx,
        subjects.map((subjectId) => ({ orderingKey, projectId: null, topic, subjectId })),
      ),
    );
    return subjects;
  };
  const fromNow = (ms: number): Date => new Date(Date.now() + ms);
  const setThrottle = (throttle: ClaimThrottle, orderingKey = key): Promise<void> =>
    inTransaction((tx) => setThrottles(tx, [{ orderingKey, topic: TOPIC, ...throttle }]));
  const claim = (worker: 0 | 1 = 0, more: object = {}): Promise<Claimed> =>
    claimers[worker].claim({
      topics: [TOPIC, OTHER_TOPIC],
      part: 0,
      throttledTopics: [TOPIC],
      limit: 100,
      limitPerKey: 10,
      freeOf: new Map(),
      freeOfTopic: new Map(),
      afterKey: '00000000-0000-0000-0000-000000000000',
      ...more,
    });
  const subjectsOf = ({ messages }: Claimed): string[] => messages.map(({ subjectId }) => subjectId);
  const leasedOf = ({ messages, claimId }: Claimed): LeasedMessage[] =>
    messages.map((message) => ({ message, claimId }));
  const nextClaimAtMs = async (): Promise<number> =>
    (await nextClaimAt(em(), { orderingKey: key, topic: TOPIC }))?.getTime() ?? Number.NaN;
  const nextClaimInMs = async (): Promise<number> => (await nextClaimAtMs()) - Date.now();

  it('keeps everything of it from being claimed until it opens, and nothing of other keys and topics', async () => {
    const behind = await append(3);
    const beside = await append(2, OTHER_TOPIC);
    const others = await append(2, TOPIC, newId());
    await setThrottle({ nextClaimAt: fromNow(60_000), batchLimit: 1 });
    const claimed = await claim();
    expect(subjectsOf(claimed).toSorted()).toEqual([...beside, ...others].toSorted());
    expect(claimed.messages.every(({ probeNumber }) => probeNumber === null)).toBe(true);
    await inTransaction((tx) => removeThrottles(tx, [{ orderingKey: key, topic: TOPIC }]));
    expect(subjectsOf(await claim())).toEqual(behind);
  });

  it('lets its oldest through, as many as it is wide, and shuts itself for as long as their lease', async () => {
    const [first, second, third] = await append(4);
    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 2 });
    const { messages } = await claim();
    expect(messages.map(({ subjectId, probeNumber }) => [subjectId, probeNumber])).toEqual([
      [first, 1],
      [second, 1],
    ]);
    expect(await nextClaimInMs()).toBeGreaterThan(LEASE_MS - 5_000);
    expect((await claim()).messages).toEqual([]);

    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 1 });
    const next = await claim();
    expect(next.messages.map(({ subjectId, probeNumber }) => [subjectId, probeNumber])).toEqual([[third, 2]]);
  });

  it('numbers what it lets through, and nothing of another topic that is claimed beside it', async () => {
    const [first] = await append(2);
    const [beside] = await append(1, OTHER_TOPIC);
    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 1 });
    const { messages } = await claim();
    expect(new Map(messages.map(({ subjectId, probeNumber }) => [subjectId, probeNumber]))).toEqual(
      new Map([
        [first, 1],
        [beside, null],
      ]),
    );
  });

  it('takes no more than the worker has room for', async () => {
    const [first] = await append(5);
    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 5 });
    expect((await claim(0, { freeOf: new Map([[key, 0]]) })).messages).toEqual([]);
    expect(subjectsOf(await claim(0, { freeOf: new Map([[key, 1]]) }))).toEqual([first]);
  });

  it('lets one of two workers through that come at once', async () => {
    for (let round = 0; round < 20; round++) {
      await append(2);
      await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 1 });
      const claims = await Promise.all([claim(0), claim(1)]);
      expect(claims.flatMap(subjectsOf)).toHaveLength(1);
    }
  });

  it('opens again for the same message when the worker that holds it dies', async () => {
    const [first] = await append(2);
    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 1 });
    await claim(0);
    // As if the lease had run out, by the database's clock.
    await service.database.query(
      "update outbox_message set available_at = now() - interval '1 second' where claim_id is not null",
    );
    await service.database.query(
      "update claim_throttle set next_claim_at = next_claim_at - interval '61 seconds'",
    );
    const { messages } = await claim(1);
    expect(messages).toMatchObject([{ subjectId: first, probeNumber: 2, abandonedAttempts: 1 }]);
  });

  it('opens soon where what it let through is to be retried', async () => {
    await append(2);
    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 1 });
    const [leased] = leasedOf(await claim());
    await store.retry(leased as LeasedMessage, { afterMs: 60_000, error: 'late' });
    expect(await nextClaimInMs()).toBeLessThan(2_000);
  });

  it('opens soon where what it let through comes back without an attempt, once', async () => {
    await append(2);
    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 1 });
    const claimed = await claim();
    const beforeMs = Date.now();
    await store.release(leasedOf(claimed));
    const afterMs = Date.now();
    expect(await nextClaimAtMs()).toBeLessThan(afterMs + 1_500);
    expect(await nextClaimAtMs()).toBeGreaterThan(beforeMs - 500);
    // Another process has set it, and it has opened since: a late result changes nothing.
    await setThrottle({ nextClaimAt: fromNow(-1_000), batchLimit: 1 });
    await claim();
    await store.release(leasedOf(claimed));
    expect(await nextClaimInMs()).toBeGreaterThan(LEASE_MS - 5_000);
  });

  it('is removed, opened and released of one key alone', async () => {
    const other = newId();
    const closed = { nextClaimAt: fromNow(60_000), batchLimit: 1 };
    const [first] = await append(2);
    await append(2, TOPIC, other);
    await setThrottle(closed, other);
    await setThrottle(closed);
    await inTransaction((tx) => allowClaim(tx, { orderingKey: key, topic: TOPIC }));
    const claimed = await claim();
    expect(subjectsOf(claimed)).toEqual([first]);
    // Both throttles have the same number.
    await service.database.query('update claim_throttle set probe_number = 1');
    await store.release(leasedOf(claimed));
    expect(await nextClaimInMs()).toBeLessThan(2_000);
    await inTransaction((tx) => removeThrottles(tx, [{ orderingKey: key, topic: TOPIC }]));
    const left = await nextClaimAt(em(), { orderingKey: other, topic: TOPIC });
    expect(left?.getTime()).toBe(closed.nextClaimAt.getTime());
  });

  it('opens now where somebody asks, and stays no throttle where there is none', async () => {
    const [first] = await append(1);
    await setThrottle({ nextClaimAt: fromNow(60_000), batchLimit: 1 });
    await inTransaction((tx) => allowClaim(tx, { orderingKey: key, topic: TOPIC }));
    expect(subjectsOf(await claim())).toEqual([first]);
    const other = { orderingKey: newId(), topic: TOPIC };
    await inTransaction((tx) => allowClaim(tx, other));
    expect(await nextClaimAt(em(), other)).toBeNull();
  });

  it('does not keep the walk from the keys behind it', async () => {
    const keys = Array.from({ length: 5 }, newId).toSorted();
    for (const orderingKey of keys) {
      await append(3, TOPIC, orderingKey);
      if (orderingKey !== keys[3])
        await setThrottle({ nextClaimAt: fromNow(60_000), batchLimit: 1 }, orderingKey);
    }
    const { messages, reachedEnd } = await claim();
    expect(messages.map(({ orderingKey }) => orderingKey)).toEqual([keys[3], keys[3], keys[3]]);
    expect(reachedEnd).toBe(true);
  });

  it('reads nothing of what waits behind it', async () => {
    // Made as a worker that was idle makes it, for an empty table.
    await claim();
    await service.database.query(
      `insert into outbox_message (ordering_key, topic, subject_id)
       select $1, '${TOPIC}', gen_random_uuid() from generate_series(1, 20000)`,
      [key],
    );
    const beside = await append(1, OTHER_TOPIC);
    await setThrottle({ nextClaimAt: fromNow(60_000), batchLimit: 1 });
    const read = async (): Promise<number> => {
      const [row] = await service.database.query<{ read: string }>(
        `select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) as read
         from pg_stat_user_tables where relname = 'outbox_message_0'`,
      );
      return Number(row?.read);
    };
    const flushed = (): Promise<unknown> => service.database.query('select pg_stat_force_next_flush()');
    await flushed();
    const before = await read();
    expect(subjectsOf(await claim())).toEqual(beside);
    // The other session reports its counts when its next statement ends.
    await new Promise((wake) => setTimeout(wake, 1_100));
    await claim();
    await flushed();
    expect((await read()) - before).toBeLessThan(1_000);
  });

  it('counts what waits behind throttles up to a bound each, and says how old the oldest is', async () => {
    await append(5);
    await append(3, OTHER_TOPIC);
    const open = newId();
    await append(7, TOPIC, open);
    await setThrottle({ nextClaimAt: fromNow(60_000), batchLimit: 1 });
    await inTransaction((tx) =>
      setThrottles(tx, [{ orderingKey: open, topic: OTHER_TOPIC, nextClaimAt: fromNow(0), batchLimit: 1 }]),
    );
    await append(1, OTHER_TOPIC, open);
    expect(await countThrottled(em(), TOPIC, 100)).toBe(5);
    expect(await countThrottled(em(), TOPIC, 4)).toBe(4);
    const oldest = await inTransaction((tx) => oldestWaiting(tx, [{ orderingKey: key, topic: TOPIC }], 2));
    expect(oldest).toEqual([
      { orderingKey: key, topic: TOPIC, createdAt: expect.any(Date) },
      { orderingKey: key, topic: TOPIC, createdAt: expect.any(Date) },
    ]);
    // Throttled messages are old for a reason.
    await service.database.query(
      `update outbox_message set created_at = now() - interval '1 hour' where ordering_key = $1 and topic = $2`,
      [key, TOPIC],
    );
    const backlog = await store.backlog([TOPIC, OTHER_TOPIC]);
    expect(backlog).toMatchObject({ waiting: 16, unhandled: 0, dead: 0 });
    expect(backlog.oldestAgeSeconds).toBeLessThan(1_800);
  });

  it('tells when the oldest of several keys were queued, in their order, without those in progress', async () => {
    const keys = [newId(), newId()].toSorted().toReversed() as [string, string];
    for (const orderingKey of [...keys, ...keys]) await append(1, TOPIC, orderingKey);
    await service.database.query(
      `update outbox_message set created_at = now() - make_interval(mins => 10 - id::int)`,
    );
    const rows = await service.database.query<{ orderingKey: string; createdAt: Date }>(
      `select ordering_key as "orderingKey", created_at as "createdAt" from outbox_message order by id`,
    );
    const throttleKeys = keys.map((orderingKey) => ({ orderingKey, topic: TOPIC }));
    const oldest = (max: number) => inTransaction((tx) => oldestWaiting(tx, throttleKeys, max));
    expect(await oldest(2)).toEqual(rows.map((row) => ({ ...row, topic: TOPIC })));
    expect(await oldest(1)).toEqual(rows.slice(0, 2).map((row) => ({ ...row, topic: TOPIC })));
    await claim(0, { limitPerKey: 1 });
    expect(await oldest(1)).toEqual(rows.slice(2).map((row) => ({ ...row, topic: TOPIC })));
  });
});
