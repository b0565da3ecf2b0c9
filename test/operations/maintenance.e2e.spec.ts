import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getQueueToken } from '@nestjs/bullmq';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Queue } from 'bullmq';
import { createHttpApp } from '../../src/programs/http-app.js';
import {
  MAINTENANCE_QUEUE,
  MaintenanceProcessor,
} from '../../src/platform/operations/application/maintenance.processor.js';
import { newId, uuidLowerBound } from '../../src/platform/identity/ids.js';
import { Maintenance } from '../../src/platform/operations/maintenance.js';
import { Metrics } from '../../src/platform/operations/metrics.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { type FakeStripe, startFakeStripe, stripeEnvironment } from '../support/fakes/fake-stripe.js';
import { testSettings } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Every task of the service. Add new ones here, with a test of their effect. */
const TASKS = [
  'billing-prune',
  'billing-reconcile',
  'billing-undelivered',
  'configuration-drafts',
  'consent-rollup',
  'event-retention',
  'failing-event-endpoints',
  'import-files',
  'partitions-audit_event',
  'partitions-consent_record',
  'partitions-delivery_failed',
  'partitions-delivery_settled',
  'partitions-evidence_leaf',
  'partitions-security_event',
  'preset-updates',
  'scan-retention',
  'scan-schedule',
  'site-visits',
  'tier-sweep',
  'undelivered-mails',
  'visitor-erasures',
];
const NET_MS = 120_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION_MONTHS = 12;
/** docs/privacy.md says so. */
const VISIT_MONTHS_KEPT = 25;
const SUBSCRIPTION = 'sub_not_looked_at_for_long';

const now = new Date();
/** The first instant of the day `days` days ago. */
const daysAgo = (days: number): Date => new Date(Math.floor(now.getTime() / DAY_MS - days) * DAY_MS);
/** The first instant of the month `months` months ago. */
const monthsAgo = (months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));

let database: TestDatabase;
let stripe: FakeStripe;
let worker: NestExpressApplication;
/** Where the tasks publish. */
let folder: string;
const projectId = newId();

/** The input of each task exists before the worker starts: only its schedule calls a task. */
beforeAll(async () => {
  database = await createTestDatabase();
  stripe = await startFakeStripe();
  await makePartition('consent_record', monthsAgo(RETENTION_MONTHS + 1));
  await makePartition('consent_record', monthsAgo(RETENTION_MONTHS));
  await makePartition('consent_record', monthsAgo(0));
  await makePartition('evidence_leaf', monthsAgo(RETENTION_MONTHS + 1));
  await makePartition('evidence_leaf', monthsAgo(RETENTION_MONTHS));
  await makePartition('delivery_failed', daysAgo(92));
  await makePartition('delivery_failed', daysAgo(89));
  await database.query(
    `insert into project (id, name, tier, tier_reason, tier_valid_until)
     values ($1, 'A project', 'pro', 'grace_past_due', now() - interval '1 second')`,
    [projectId],
  );
  await database.query(
    `insert into subscription
       (project_id, id, provider, external_id, tier, status, known_status, status_since, past_due_since, updated_at)
     values ($1, $1, 'stripe', $2, 'pro', 'past_due', 'past_due', $3, $3, $3)`,
    [projectId, SUBSCRIPTION, daysAgo(15)],
  );
  await database.query(
    `insert into billing_event (provider, event_id, type, payload, provider_created_at, source, status, received_at)
     values ('stripe', 'evt_ignored', 'invoice.created', '{}', now(), 'webhook', 'ignored', $1)`,
    [daysAgo(31)],
  );
  await database.query(
    `insert into site_visit (project_id, dimension, at, name, visits, chosen, ignored, last_seen_at)
     values ($1, 'hostname', $2, 'old.example.com', 1, 0, 0, $2), ($1, 'hostname', $3, 'kept.example.com', 1, 0, 0, $3)`,
    [projectId, monthsAgo(VISIT_MONTHS_KEPT + 1), monthsAgo(VISIT_MONTHS_KEPT - 1)],
  );
  await database.query(
    `update consent_rollup_state
     set done_until = now() - interval '2 minutes'`,
  );
  await database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, received_at)
     values ($1, $2, true, true, true, 'accept_all', now() - interval '1 minute')`,
    [projectId, newId()],
  );
  folder = mkdtempSync(join(tmpdir(), 'consent-maintenance-'));
  const settings = testSettings(database.url, {
    RUN_WORKER: 'true',
    STORAGE_URL: pathToFileURL(folder).href,
    ...stripeEnvironment(stripe),
  });
  worker = await createHttpApp(settings);
  await worker.init();
});

afterAll(async () => {
  await worker.close();
  await stripe.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function makePartition(parent: string, startsAt: Date): Promise<void> {
  await database.query('select partition_make($1, $2)', [parent, startsAt]);
}

/** Whether a partition of the parent holds the ids of this instant. */
async function hasPartition(parent: string, at: Date): Promise<boolean> {
  const rows = await database.query(
    `select from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = to_regclass($1)
       and pg_get_expr(c.relpartbound, c.oid) like 'FOR VALUES FROM (''' || $2 || ''')%'`,
    [parent, uuidLowerBound(at)],
  );
  return rows.length === 1;
}

const found = async (sql: string, params: unknown[] = []): Promise<boolean> =>
  (await database.query(sql, params)).length > 0;

describe(Maintenance.name, () => {
  it('knows the tasks of every module', () => {
    const names = worker.get(Maintenance).tasks.map(({ name }) => name);
    expect(names.toSorted()).toEqual(TASKS);
  });

  it('refuses two tasks of one name', () => {
    const task = { name: 'twice', everyMs: 1, run: () => Promise.resolve() };
    const maintenance = new Maintenance();
    maintenance.register(task);
    expect(() => maintenance.register(task)).toThrow('Duplicate maintenance task: twice');
  });
});

describe('a task that does not end', () => {
  it(
    'delays no other task, is an alert at each of its deadlines, and is not run twice at once',
    async () => {
      const stuck = Promise.withResolvers<void>();
      let runs = 0;
      let others = 0;
      const maintenance = worker.get(Maintenance);
      maintenance.register({
        name: 'stuck',
        everyMs: 200,
        deadlineMs: 100,
        run: () => {
          runs += 1;
          return stuck.promise;
        },
      });
      maintenance.register({
        name: 'beside',
        everyMs: 200,
        run: () => Promise.resolve((others += 1)),
      });
      const processor = worker.get(MaintenanceProcessor, { strict: false });
      await processor.onApplicationBootstrap();
      const late = async (): Promise<number> => {
        const text = await worker.get(Metrics, { strict: false }).text();
        return Number(/^maintenance_late_total\{task="stuck"\} (\d+)/m.exec(text)?.[1] ?? 0);
      };
      await until('it is late twice', async () => (await late()) >= 2, NET_MS);
      await until('the other task ran', () => others >= 3, NET_MS);
      expect(runs).toBe(1);
      stuck.resolve();
      await until('it runs again', () => runs >= 2, NET_MS);
    },
    NET_MS,
  );
});

describe('what has to be done from time to time is done by a worker that runs', () => {
  it('records: the month before the retention goes, the month that it begins in stays', async () => {
    await until(
      'dropped',
      async () => !(await hasPartition('consent_record', monthsAgo(RETENTION_MONTHS + 1))),
    );
    expect(await hasPartition('consent_record', monthsAgo(RETENTION_MONTHS))).toBe(true);
    expect(await hasPartition('consent_record', monthsAgo(-3))).toBe(true);
  });

  it('where records stand in the logs: gone with the records', async () => {
    await until(
      'dropped',
      async () => !(await hasPartition('evidence_leaf', monthsAgo(RETENTION_MONTHS + 1))),
    );
    expect(await hasPartition('evidence_leaf', monthsAgo(RETENTION_MONTHS))).toBe(true);
    expect(await hasPartition('evidence_leaf', monthsAgo(-3))).toBe(true);
  });

  it('the delivery log: days past their time go, days within it stay', async () => {
    await until('dropped', async () => !(await hasPartition('delivery_failed', daysAgo(92))));
    expect(await hasPartition('delivery_failed', daysAgo(89))).toBe(true);
    expect(await hasPartition('delivery_failed', daysAgo(-3))).toBe(true);
  });

  it('page visits: counts past their months go, later ones stay', async () => {
    const kept = `select from site_visit where project_id = $1 and name = $2`;
    await until('gone', async () => !(await found(kept, [projectId, 'old.example.com'])));
    expect(await found(kept, [projectId, 'kept.example.com'])).toBe(true);
  });

  it('records are added up', async () => {
    await until('added up', () =>
      found('select from consent_rollup_hour where project_id = $1 and records = 1', [projectId]),
    );
  });

  it('a tier whose grace period has ended is taken away', async () => {
    await until('lite', () => found(`select from project where id = $1 and tier = 'lite'`, [projectId]));
  });

  it('Stripe is asked for what it could not deliver, and for a subscription that is due', async () => {
    const asked = (path: string): boolean => stripe.requests.some((request) => request.path === path);
    await until('events', () => asked('/v1/events'));
    await until('the subscription', () => asked(`/v1/subscriptions/${SUBSCRIPTION}`));
  });

  it('events that meant nothing are deleted', async () => {
    await until(
      'deleted',
      async () => !(await found(`select from billing_event where event_id = 'evt_ignored'`)),
    );
  });

  it('plans a task again whose schedule the queue has lost, and runs it', async () => {
    const queue = worker.get<Queue>(getQueueToken(MAINTENANCE_QUEUE), { strict: false });
    const name = 'consent-rollup';
    await queue.removeJobScheduler(name);
    expect(await queue.getJobScheduler(name)).toBeUndefined();
    const id = newId();
    await database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action)
       values ($1, $2, true, true, true, 'accept_all')`,
      [projectId, id],
    );
    await until(
      'it is planned',
      async () => (await queue.getJobScheduler(name))?.every !== undefined,
      NET_MS,
    );
    await until(
      'the record is added up',
      () =>
        found(
          'select from consent_rollup_state where done_until > (select received_at from consent_record where id = $1)',
          [id],
        ),
      NET_MS,
    );
  });

  it('plans a task again that a process with a clock ahead has postponed', async () => {
    const queue = worker.get<Queue>(getQueueToken(MAINTENANCE_QUEUE), { strict: false });
    const inMs = async (): Promise<number> =>
      Number((await queue.getJobScheduler('tier-sweep'))?.next) - Date.now();
    await queue.removeJobScheduler('tier-sweep');
    await queue.upsertJobScheduler(
      'tier-sweep',
      { every: 60_000, startDate: Date.now() + 5 * 60_000 },
      { name: 'tier-sweep', opts: { removeOnComplete: true, removeOnFail: true } },
    );
    expect(await inMs()).toBeGreaterThan(4 * 60_000);
    await until('it is planned within its interval', async () => (await inMs()) <= 60_000);
  });
});
