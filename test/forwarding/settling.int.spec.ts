import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CONSENT_RECORDED, type ConsentRecorded } from '../../src/modules/consent/domain/consent-recorded.js';
import { EntityManager } from '@mikro-orm/postgresql';
import { ConsentForwarder } from '../../src/modules/forwarding/application/consent-forwarder.js';
import { DeliveryLogService } from '../../src/modules/forwarding/application/delivery-log.service.js';
import { ResendService } from '../../src/modules/forwarding/application/resend.service.js';
import { type ClassifiedOutcome } from '../../src/modules/forwarding/domain/health-signal.js';
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
  const claim = async (): Promise<LeasedMessage[]> => {
    const { claimId, messages } = await claimer.claim({
      topics: [CONSENT_RECORDED],
      part: 0,
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
