import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsentForwarder } from '../../src/modules/forwarding/application/consent-forwarder.js';
import { claimStatement } from '../../src/platform/outbox/infrastructure/claim-statement.js';
import { OutboxClaimer } from '../../src/platform/outbox/infrastructure/outbox.claimer.js';
import { OutboxStore } from '../../src/platform/outbox/infrastructure/outbox.store.js';
import { SingleStatementSettler } from '../../src/platform/outbox/infrastructure/single-statement-settler.js';
import { idAt, newId } from '../../src/platform/identity/ids.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** A plan that reads all of them for each message reads millions of rows. */
const WAITING = 20_000;
const PROJECTS = 20;
const LIMIT = 256;
const REQUEST = {
  topics: ['consent.recorded'],
  part: 0,
  throttledTopics: ['consent.recorded'],
  limit: LIMIT,
  limitPerKey: LIMIT,
  freeOf: new Map<string, number>(),
  freeOfTopic: new Map<string, number>(),
  afterKey: '00000000-0000-0000-0000-000000000000',
};
const DELIVERED = {
  outcome: 'delivered' as const,
  category: null,
  httpStatus: 200,
  reason: null,
  durationMs: 5,
  host: 'example.com',
  health: { kind: 'up' as const },
};

/**
 * A table that fills and empties is often vacuumed and analyzed while it is empty. A plan made then stays cached
 * until the next analyze, while a backlog grows.
 */
describe('plans that were made while the outbox was empty', () => {
  let service: TestService;
  let claimer: OutboxClaimer;
  let settler: SingleStatementSettler;
  const parts = (): { singleStatement: ConsentForwarder['singleStatement']; store: OutboxStore } => ({
    singleStatement: service.app.get(ConsentForwarder, { strict: false }).singleStatement,
    store: service.app.get(OutboxStore, { strict: false }),
  });

  interface Rows {
    read: number;
    written: number;
  }
  const rowsOfOutbox = async (): Promise<Rows> => {
    const [rows] = await service.database.query<{ read: number; written: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read,
              sum(n_tup_ins + n_tup_upd + n_tup_del)::int as written
       from pg_stat_user_tables where relname like 'outbox\\_message%'`,
    );
    return rows ?? { read: 0, written: 0 };
  };
  /** The rows of the outbox that `act` reads. The server publishes both counts, reads and writes, later and together. */
  const counted = async <Result>(
    writes: number,
    act: () => Promise<Result>,
  ): Promise<{ result: Result; read: number }> => {
    const before = await rowsOfOutbox();
    const result = await act();
    const after = await until('the server has counted', async () => {
      const rows = await rowsOfOutbox();
      return rows.written - before.written >= writes ? rows : null;
    });
    return { result, read: after.read - before.read };
  };

  beforeAll(async () => {
    service = await startTestService();
    claimer = new OutboxClaimer(service.settings.outbox, service.settings.database);
    settler = new SingleStatementSettler(service.settings.database);
    await service.database.query('alter table outbox_message_0 set (autovacuum_enabled = off)');
    await service.database.query('vacuum analyze outbox_message');
    expect((await claimer.claim(REQUEST)).messages).toHaveLength(0);
    expect(await settler.settle(parts().singleStatement, [])).toEqual(new Set());
  });
  afterAll(async () => {
    await claimer.onApplicationShutdown();
    await settler.onApplicationShutdown();
    await service.close();
  });

  it('reads of the outbox, in a batch that is settled, only what is given', async () => {
    const text = settler['textFor'](0, parts().singleStatement);
    const { rows } = await settler['pool'].query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`);
    const plan = rows.map((row) => row['QUERY PLAN'].trim());
    const reads = plan.flatMap((line, at) =>
      / Scan\b.* on outbox_message_0\b/.test(line) ? [[line.replace(/ {2}\(cost.*/, ''), plan[at + 1]]] : [],
    );
    expect(reads).toEqual([
      [
        expect.stringContaining('Index Scan using outbox_message_0_pkey'),
        'Index Cond: ((ordering_key = given.ordering_key) AND (id = given.id))',
      ],
      [expect.stringContaining('Tid Scan'), expect.stringContaining('TID Cond: (ctid = ANY')],
    ]);
  });

  it('claim, settle and give back along the primary key', async () => {
    await service.database.query(
      `insert into outbox_message (ordering_key, project_id, topic, subject_id)
       select key, key, 'consent.recorded', gen_random_uuid()
       from generate_series(1, $2::int) n cross join lateral (select ($1::uuid[])[1 + n % ${PROJECTS}]) as p (key)`,
      [Array.from({ length: PROJECTS }, () => newId()), WAITING],
    );
    await until('the server has counted them', async () => (await rowsOfOutbox()).written >= WAITING);
    const { singleStatement: writing, store } = parts();
    const claimed = await counted(LIMIT, () => claimer.claim(REQUEST));
    const { messages, claimId } = claimed.result;
    expect(messages).toHaveLength(LIMIT);
    const leased = messages.map((message) => ({ message, claimId }));

    const entries = leased.slice(0, -1).map((one) => {
      const attemptedAt = new Date();
      const outcome = { ...DELIVERED, id: idAt(attemptedAt), attemptedAt };
      return { leased: one, values: writing.valuesOf({ message: one.message, outcome }) ?? [] };
    });
    const settled = await counted(LIMIT - 1, () => settler.settle(writing, entries));
    expect(settled.result.size).toBe(LIMIT - 1);
    const released = await counted(1, () => store.release(leased));

    const [left] = await service.database.query<{ waiting: number; claimed: number }>(
      'select count(*)::int as waiting, count(claim_id)::int as claimed from outbox_message',
    );
    expect(left).toEqual({ waiting: WAITING - LIMIT + 1, claimed: 0 });
    const read = { claim: claimed.read, settle: settled.read, release: released.read };
    expect(Object.entries(read).filter(([, rows]) => rows >= WAITING)).toEqual([]);
  });

  it.each<[number, number]>([
    [LIMIT, 1],
    [LIMIT / 2, 2],
    [1, PROJECTS],
  ])(
    'walk no further than to the key that fills a claim: with %i of each to key %i',
    async (limitPerKey, keys) => {
      const { topics, afterKey } = REQUEST;
      const { rows } = await claimer['pool'].query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off, summary off) ${claimStatement(0, null)}`,
        [afterKey, topics, '{}', limitPerKey, LIMIT, newId(), 1, [], []],
      );
      const plan = rows.map((row) => row['QUERY PLAN'].trim());
      expect(plan[plan.indexOf('CTE walk') + 1]).toMatch(
        new RegExp(`Recursive Union .*rows=${keys}(?:\\.00)? `),
      );
    },
  );
});
