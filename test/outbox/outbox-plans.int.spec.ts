import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsentForwarder } from '../../src/forwarding/application/consent-forwarder.js';
import { claimStatement } from '../../src/outbox/infrastructure/claim-statement.js';
import { OutboxClaimer } from '../../src/outbox/infrastructure/outbox.claimer.js';
import { OutboxStore } from '../../src/outbox/infrastructure/outbox.store.js';
import { SingleStatementSettler } from '../../src/outbox/infrastructure/single-statement-settler.js';
import { idAt, newId } from '../../src/shared/ids.js';
import { startClock } from '../support/elapsed.js';
import { startTestService, type TestService } from '../support/service.js';

/** Enough that a plan which reads all of them for each message takes seconds; read in order, some ms. */
const WAITING = 20_000;
const PROJECTS = 20;
const LIMIT = 256;
const TOOK_MS_MAX = 500;
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
    const { singleStatement: writing, store } = parts();
    const claimed = await timed(() => claimer.claim(REQUEST));
    const { messages, claimId } = claimed.result;
    expect(messages).toHaveLength(LIMIT);
    const leased = messages.map((message) => ({ message, claimId }));

    const entries = leased.slice(0, -1).map((one) => {
      const attemptedAt = new Date();
      const outcome = { ...DELIVERED, id: idAt(attemptedAt), attemptedAt };
      return { leased: one, values: writing.valuesOf({ message: one.message, outcome }) ?? [] };
    });
    const settled = await timed(() => settler.settle(writing, entries));
    expect(settled.result.size).toBe(LIMIT - 1);
    const released = await timed(() => store.release(leased));

    const [left] = await service.database.query<{ waiting: number; claimed: number }>(
      'select count(*)::int as waiting, count(claim_id)::int as claimed from outbox_message',
    );
    expect(left).toEqual({ waiting: WAITING - LIMIT + 1, claimed: 0 });
    for (const { tookMs } of [claimed, settled, released]) expect(tookMs).toBeLessThan(TOOK_MS_MAX);
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

async function timed<Result>(act: () => Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const elapsedMs = startClock();
  const result = await act();
  return { result, tookMs: elapsedMs() };
}
