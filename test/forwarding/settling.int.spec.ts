import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CONSENT_RECORDED, type ConsentRecorded } from '../../src/modules/consent/domain/consent-recorded.js';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentRecords } from '../../src/modules/consent/consent.records.js';
import { ConsentForwarder } from '../../src/modules/forwarding/application/consent-forwarder.js';
import { DeliveryLogService } from '../../src/modules/forwarding/application/delivery-log.service.js';
import { ResendService } from '../../src/modules/forwarding/application/resend.service.js';
import { RetryScheduler } from '../../src/modules/forwarding/application/retry-scheduler.js';
import type { ClassifiedOutcome } from '../../src/modules/forwarding/domain/delivery-outcome.js';
import { retryKey } from '../../src/modules/forwarding/domain/retry.js';
import { LicensingService } from '../../src/modules/licensing/licensing.service.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import { OutboxService } from '../../src/platform/outbox/outbox.service.js';
import { OutboxSettler } from '../../src/platform/outbox/application/outbox.settler.js';
import { LOWEST_KEY, OutboxClaimer } from '../../src/platform/outbox/infrastructure/outbox.claimer.js';
import { type LeasedMessage, OutboxStore } from '../../src/platform/outbox/infrastructure/outbox.store.js';
import { idAt, newId } from '../../src/platform/identity/ids.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const DELIVERED: Omit<ClassifiedOutcome, 'id' | 'attemptedAt'> = {
  outcome: 'delivered',
  category: null,
  httpStatus: 204,
  reason: null,
  durationMs: 7,
  host: 'receiver.example.com',
  health: { kind: 'up' },
};
const FAILED: Omit<ClassifiedOutcome, 'id' | 'attemptedAt'> = {
  ...DELIVERED,
  outcome: 'failed',
  category: 'http_5xx',
  httpStatus: 503,
  reason: 'The endpoint returned 503.',
  health: { kind: 'down', retryAfterMs: null },
};

/** The default of OUTBOX_LEASE_MS. */
const LEASE_MS = 60_000;

describe('outcomes of deliveries', () => {
  let service: TestService;
  let claimer: OutboxClaimer;
  let settler: OutboxSettler;
  /** Messages that left the outbox, or did not, in a transaction. */
  let inTransaction: number;
  let projectId: string;

  beforeAll(async () => {
    service = await startTestService();
    claimer = service.app.get(OutboxClaimer);
    settler = service.app.get(OutboxSettler);
    const store = service.app.get(OutboxStore);
    const remove = store.remove.bind(store);
    store.remove = (tx, leased) => {
      inTransaction += leased.length;
      return remove(tx, leased);
    };
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    inTransaction = 0;
    projectId = await makeProject();
  });
  afterEach(() => service.database.query('delete from outbox_message'));

  const makeProject = async (): Promise<string> => {
    const id = newId();
    await service.database.query(`insert into project (id, name, tier) values ($1, 'A project', 'pro')`, [
      id,
    ]);
    await service.database.query(
      `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode)
       values ($1, true, 'https://receiver.example.com/hook', 'none')`,
      [id],
    );
    return id;
  };
  const append = (count: number, project = projectId): Promise<unknown> =>
    service.database.query(
      `insert into outbox_message (project_id, ordering_key, topic, subject_id)
       select $1, $1, $2, gen_random_uuid() from generate_series(1, $3::int)`,
      [project, CONSENT_RECORDED, count],
    );
  const claim = async (part = 0): Promise<LeasedMessage[]> => {
    const { claimId, messages } = await claimer.claim({
      topics: [CONSENT_RECORDED],
      part,
      throttledTopics: [CONSENT_RECORDED],
      limit: 100,
      limitPerKey: 100,
      freeOf: new Map(),
      freeOfTopic: new Map(),
      afterKey: LOWEST_KEY,
    });
    return messages.map((message) => ({ message, claimId }));
  };
  const made = (
    outcome: Omit<ClassifiedOutcome, 'id' | 'attemptedAt'>,
    attemptedAt = new Date(),
  ): ClassifiedOutcome => ({
    ...outcome,
    id: idAt(attemptedAt),
    attemptedAt,
  });
  /** Settles them in one batch, after a message of another project, which is settled separately. */
  const settle = async (
    outcomes: readonly { leased: LeasedMessage; outcome: Omit<ClassifiedOutcome, 'id' | 'attemptedAt'> }[],
  ): Promise<void> => {
    const nowMs = Date.now();
    await Promise.all(
      outcomes.map(({ leased, outcome }, index) =>
        settler.settle(leased, made(outcome, new Date(nowMs + index)), performance.now()),
      ),
    );
  };
  const log = (): Promise<{ consent_id: string; outcome: string; http_status: number; host: string }[]> =>
    service.database.query(
      'select consent_id, outcome, http_status, host from delivery where project_id = $1 order by id',
      [projectId],
    );
  const holdOf = async (): Promise<{ phase: string; failures: number } | undefined> =>
    (
      await service.database.query<{ phase: string; failures: number }>(
        'select phase, failures from forwarding_hold where project_id = $1',
        [projectId],
      )
    )[0];
  const waiting = async (): Promise<number> =>
    (await service.database.query('select from outbox_message')).length;

  it('are written without a transaction where all is well, with the time of the last success', async () => {
    await append(3);
    const leased = await claim();
    await settle(leased.map((each) => ({ leased: each, outcome: DELIVERED })));
    expect(inTransaction).toBe(0);
    expect(await waiting()).toBe(0);
    expect(await log()).toEqual(
      leased.map(({ message }) => ({
        consent_id: message.subjectId,
        outcome: 'delivered',
        http_status: 204,
        host: 'receiver.example.com',
      })),
    );
    const [settings] = await service.database.query<{ last: Date }>(
      'select last_delivered_at as last from forwarding_settings where project_id = $1',
      [projectId],
    );
    expect(Date.now() - (settings?.last.getTime() ?? 0)).toBeLessThan(300_000);
  });

  it('are written as they were, without a transaction: skips, and what the host is called', async () => {
    await append(3);
    const leased = await claim();
    const skipped = { ...DELIVERED, outcome: 'skipped', httpStatus: null, durationMs: 0 } as const;
    const host = String.raw`a"b\c,{d}`;
    const attemptedAt = new Date();
    const outcomes = [
      { ...DELIVERED, host },
      { ...skipped, reason: 'no_endpoint', host: null },
      { ...skipped, reason: 'NULL', host: '' },
    ];
    await Promise.all(
      leased.map((each, place) =>
        settler.settle(each, { ...outcomes[place], id: idAt(attemptedAt), attemptedAt }, performance.now()),
      ),
    );
    expect(inTransaction).toBe(0);
    const rows = await service.database.query(
      `select consent_id, outcome, http_status, reason, duration_ms, attempted_at, host from delivery where project_id = $1`,
      [projectId],
    );
    expect(new Set(rows)).toEqual(
      new Set(
        leased.map(({ message }, place) => ({
          consent_id: message.subjectId,
          outcome: outcomes[place]?.outcome,
          http_status: outcomes[place]?.httpStatus,
          reason: outcomes[place]?.reason,
          duration_ms: outcomes[place]?.durationMs,
          attempted_at: attemptedAt,
          host: outcomes[place]?.host,
        })),
      ),
    );
  });

  it('of two partitions are written each once, in one batch without a transaction', async () => {
    await append(4);
    await service.database.query(
      `update outbox_message set part = 1
       where id in (select id from outbox_message order by id desc limit 2)`,
    );
    const [[first, third], [second, fourth]] = [await claim(), await claim(1)] as const;
    const leased = [first, second, third, fourth] as LeasedMessage[];
    await settle(leased.map((each) => ({ leased: each, outcome: DELIVERED })));
    expect(inTransaction).toBe(0);
    expect(await waiting()).toBe(0);
    expect((await log()).map(({ consent_id: id }) => id)).toEqual(
      leased.map(({ message }) => message.subjectId),
    );
  });

  it('are counted by outcome, with their durations in seconds', async () => {
    await service.database.query(
      'update forwarding_settings set retry_failures = true where project_id = $1',
      [projectId],
    );
    const COUNTED = [
      'forwarding_deliveries_total{outcome="delivered",category="none"}',
      'forwarding_deliveries_total{outcome="failed",category="http_5xx"}',
      'forwarding_deliveries_total{outcome="skipped",category="none"}',
      'forwarding_attempt_duration_seconds_count',
      'forwarding_attempt_duration_seconds_sum',
      'forwarding_commit_to_receipt_seconds_sum',
      'forwarding_retries_scheduled_total',
    ];
    const read = async (): Promise<number[]> => {
      const lines = (await service.app.get(Metrics, { strict: false }).registry.metrics()).split('\n');
      const valueOf = (series: string): number =>
        Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length) ?? 0);
      return COUNTED.map(valueOf);
    };
    await append(5);
    const leased = await claim();
    const delivered = { ...DELIVERED, durationMs: 2_000 };
    const failed = { ...FAILED, durationMs: 3_000 };
    const skipped = { ...DELIVERED, outcome: 'skipped', httpStatus: null, durationMs: 0 } as const;
    const before = await read();
    await Promise.all(
      [delivered, delivered, failed, failed, skipped].map((outcome, index) => {
        const one = leased[index] as LeasedMessage;
        const attemptedAt = new Date(one.message.createdAt.getTime() + 10_000);
        return settler.settle(one, made(outcome, attemptedAt), performance.now());
      }),
    );
    const after = await read();
    const counted = COUNTED.map((_, index) => Math.round((after[index] ?? 0) - (before[index] ?? 0)));
    expect(counted).toEqual([2, 2, 1, 4, 10, 24, 2]);
  });

  it('keep the latest failure of the project, in whatever order they are written', async () => {
    await append(3);
    const [first, second, third] = (await claim()) as [LeasedMessage, LeasedMessage, LeasedMessage];
    const forwarder = service.app.get(ConsentForwarder, { strict: false });
    const nowMs = Date.now();
    const write = (failures: [LeasedMessage, number][]): Promise<void> =>
      service.app
        .get(EntityManager)
        .fork()
        .transactional((tx) =>
          forwarder.settle(
            tx,
            failures.map(([{ message }, ageMs]) => ({
              message,
              outcome: made({ ...FAILED, reason: `${ageMs} ms ago` }, new Date(nowMs - ageMs)),
            })),
          ),
        );
    const lastReason = async (): Promise<unknown[]> =>
      service.database.query('select reason from forwarding_last_failure where project_id = $1', [projectId]);
    await write([
      [first, 1],
      [second, 2],
    ]);
    expect(await lastReason()).toEqual([{ reason: '1 ms ago' }]);
    await write([[third, 3]]);
    expect(await lastReason()).toEqual([{ reason: '1 ms ago' }]);
  });

  it('that are retried are queued 64 of a project at a time, the earliest first', async () => {
    const [busy, off] = [await makeProject(), await makeProject()];
    /** Retries that were due some minutes ago: the last one first. */
    const storeRetries = async (project: string, count: number, isQueued = false): Promise<void> => {
      await service.database.query(
        `with stored as (
           insert into consent_record (project_id, id, analytics, marketing, preferences, action)
           select $1, uuidv7(), true, true, true, 'custom' from generate_series(1, $2::int) returning id
         )
         insert into delivery_retry
           (project_id, consent_id, attempts, delivery_id, queued_since, first_attempt_at, due_at, queued_at)
         select $1, id, 1, uuidv7(), now(), now(), now() - make_interval(mins => (row_number() over (order by id))::int),
                case when $3 then now() end
         from stored`,
        [project, count, isQueued],
      );
    };
    const retriesOf = async (project: string): Promise<string[]> =>
      (
        await service.database.query<{ id: string }>(
          'select consent_id as id from delivery_retry where project_id = $1 order by due_at',
          [project],
        )
      ).map(({ id }) => id);
    const queued = async (): Promise<string[]> =>
      (
        await service.database.query<{ id: string }>(
          'select subject_id as id from outbox_message where ordering_key = $1',
          [retryKey(projectId)],
        )
      ).map(({ id }) => id);
    await service.database.query(
      'update forwarding_settings set retry_failures = true where project_id = any($1)',
      [[projectId, busy]],
    );
    await storeRetries(projectId, 80);
    await storeRetries(busy, 64, true);
    await storeRetries(off, 1);
    const due = await retriesOf(projectId);
    const scheduler = new RetryScheduler(
      service.app.get(EntityManager),
      service.app.get(OutboxService),
      service.app.get(ConsentRecords, { strict: false }),
      service.app.get(LicensingService, { strict: false }),
    );
    await scheduler.step();
    expect((await queued()).toSorted()).toEqual(due.slice(0, 64).toSorted());
    await scheduler.step();
    expect(await queued()).toHaveLength(64);
    await service.database.query('delete from delivery_retry where consent_id = any($1)', [due.slice(0, 10)]);
    await scheduler.step();
    expect((await queued()).toSorted()).toEqual(due.slice(0, 74).toSorted());
    // Only the retries of the project that no longer retries end.
    expect([
      await retriesOf(off),
      (await retriesOf(busy)).length,
      (await retriesOf(projectId)).length,
    ]).toEqual([[], 64, 70]);
  });

  it('are written for the newer claim alone where a worker took its own message over', async () => {
    await append(2);
    const older = await claim();
    await service.database.query("update outbox_message set available_at = now() - interval '1 second'");
    const newer = await claim();
    expect(newer).toHaveLength(2);
    await settle([
      ...older.map((leased) => ({ leased, outcome: { ...DELIVERED, httpStatus: 200 } })),
      ...newer.map((leased) => ({ leased, outcome: DELIVERED })),
    ]);
    expect((await log()).map(({ http_status }) => http_status)).toEqual([204, 204]);
    expect(await waiting()).toBe(0);
  });

  it('are judged together, in their order, where one of the project failed', async () => {
    const other = await makeProject();
    await append(9);
    await append(1, other);
    const leased = await claim();
    const ours = leased.filter(({ message }) => message.projectId === projectId);
    await settle([
      ...leased
        .filter(({ message }) => message.projectId === other)
        .map((each) => ({ leased: each, outcome: DELIVERED })),
      // Four failures, a success, four failures: never five in a row.
      ...ours.map((each, index) => ({ leased: each, outcome: index === 4 ? DELIVERED : FAILED })),
    ]);
    expect(await log()).toHaveLength(9);
    expect(await holdOf()).toEqual({ phase: 'closed', failures: 4 });
  });

  describe('whose lease has ended', () => {
    let first: LeasedMessage;
    let repeat: LeasedMessage;
    /** An attempt that began before its repeat. */
    const delivered = (): ClassifiedOutcome => made(DELIVERED, new Date(Date.now() - 1_000));

    beforeEach(async () => {
      await storeConsent();
      first = await claimOne();
      await service.database.query("update outbox_message set available_at = now() - interval '1 second'");
      repeat = await claimOne();
    });

    const storeConsent = async (): Promise<void> => {
      const stored = await fetch(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ analytics: true, marketing: false, preferences: false, action: 'custom' }),
      });
      expect(stored.status).toBe(201);
    };
    const claimOne = async (): Promise<LeasedMessage> => {
      const [leased] = await claim();
      if (!leased) throw new Error('nothing to claim');
      return leased;
    };
    const settleOne = (leased: LeasedMessage, outcome: ClassifiedOutcome): Promise<void> =>
      settler.settle(leased, outcome, performance.now());
    const state = (): Promise<unknown> =>
      service.app
        .get(DeliveryLogService, { strict: false })
        .readState({ projectId, id: first.message.subjectId, skippedReason: null } as ConsentRecorded);
    const failedRecords = (): Promise<unknown> =>
      service.app.get(ResendService, { strict: false }).count(projectId, {
        status: 'failed',
        from: new Date(Date.now() - 60_000),
        to: new Date(Date.now() + 60_000),
      });

    it.each([
      ['after', true],
      ['before', false],
    ])(
      'keep a record delivered where the 2xx is written %s the failure of the repeat',
      async (_, isAfter) => {
        const success = delivered();
        if (!isAfter) await settleOne(first, success);
        await settleOne(repeat, made(FAILED));
        if (isAfter) {
          expect(await state()).toMatchObject({ outcome: 'failed' });
          await settleOne(first, success);
        }
        expect((await log()).map(({ outcome }) => outcome)).toEqual(['delivered', 'failed']);
        expect(await state()).toMatchObject({ outcome: 'delivered', id: success.id });
        expect(await failedRecords()).toMatchObject({ records: 0 });
      },
    );

    it('are logged once, however often they are written', async () => {
      const success = delivered();
      await settleOne(first, success);
      await settleOne(first, success);
      await settleOne(repeat, delivered());
      expect((await log()).map(({ outcome }) => outcome)).toEqual(['delivered', 'delivered']);
    });

    it('are not logged where the record was erased meanwhile', async () => {
      await service.database.query('delete from consent_record where project_id = $1', [projectId]);
      await settleOne(first, delivered());
      expect(await log()).toEqual([]);
    });

    it('are logged of the records that are left where another of the batch was erased', async () => {
      await storeConsent();
      const left = await claimOne();
      await service.database.query("update outbox_message set available_at = now() - interval '1 second'");
      await claim();
      await service.database.query('delete from consent_record where id = $1', [first.message.subjectId]);
      const settled = [first, left].map(({ message }) => ({ message, outcome: delivered() }));
      const forwarder = service.app.get(ConsentForwarder, { strict: false });
      await service.app
        .get(EntityManager)
        .fork()
        .transactional((tx) => forwarder.settleLate(tx, settled));
      expect((await log()).map(({ consent_id: id }) => id)).toEqual([left.message.subjectId]);
    });

    it('free the worker at the end of the lease, and are written when the database is back', async () => {
      const name = new URL(service.database.url).pathname.slice(1);
      await service.database.query(`revoke connect on database ${name} from public, service_runtime`);
      await service.database.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
        [name],
      );
      await settler.settle(repeat, delivered(), performance.now() - LEASE_MS);
      await service.database.query(`grant connect on database ${name} to public, service_runtime`);
      await until('the outcome', async () => (await log()).length === 1);
      expect(await waiting()).toBe(0);
    });
  });

  it('end what a receiver that failed began, in a transaction', async () => {
    await append(2);
    const [first, second] = await claim();
    if (!first || !second) throw new Error('two messages were appended');
    await settle([{ leased: first, outcome: FAILED }]);
    expect(await holdOf()).toEqual({ phase: 'closed', failures: 1 });
    inTransaction = 0;
    await settle([{ leased: second, outcome: DELIVERED }]);
    expect(inTransaction).toBe(1);
    expect(await holdOf()).toBeUndefined();
    expect((await log()).map(({ outcome }) => outcome)).toEqual(['failed', 'delivered']);
  });
});
