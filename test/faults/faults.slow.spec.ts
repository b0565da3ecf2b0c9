import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { ManyMachines, missing } from '../support/programs/many-machines.js';
import { type ServiceProcess, stopAll } from '../support/programs/processes.js';
import { until } from '../support/until.js';

/** Of a process, through all faults of this file: one for each that it saw, and some about itself. */
const LOG_LINES_MAX = 60;

/** Well-formed, so that it is looked up in the database. */
const API_KEY = `ck_${'x'.repeat(43)}`;

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

let machines: ManyMachines;
beforeAll(async () => {
  machines = await ManyMachines.start();
});
afterEach(() => machines.receiver.behave({ kind: 'answer', status: 204 }));
afterAll(() => machines.close());

const timesReceived = (id: string): number => machines.received().get(id) ?? 0;

describe('a worker that is killed between sending and settling (design §6.5)', () => {
  it('has its record sent again, once, by another one', async () => {
    machines.receiver.behave({ kind: 'hang' });
    const projectId = await machines.forwardingProject();
    const first = await machines.startWorker();
    const [id = ''] = await machines.acknowledge(projectId, 1);
    await until('the receiver has it', () => timesReceived(id) === 1);
    await first.kill();
    machines.receiver.behave({ kind: 'answer', status: 204 });

    const second = await machines.startWorker();
    await machines.drained();
    expect(timesReceived(id)).toBe(2);
    expect(await machines.deliveries([projectId])).toEqual(new Map([[id, ['delivered']]]));
    expect(await second.stop()).toEqual({ code: 0, signal: null });
    expect(timesReceived(id)).toBe(2);
  });

  it('makes the record fail as worker_lost after the third time', async () => {
    machines.receiver.behave({ kind: 'hang' });
    const projectId = await machines.forwardingProject();
    const [id = ''] = await machines.acknowledge(projectId, 1);
    for (const time of [1, 2, 3]) {
      const worker = await machines.startWorker();
      await until(`the receiver has it for the ${time}. time`, () => timesReceived(id) === time);
      await worker.kill();
    }
    const last = await machines.startWorker();
    await machines.drained();
    expect(timesReceived(id)).toBe(3);
    expect(await machines.deliveries([projectId])).toEqual(new Map([[id, ['failed']]]));
    const [project] = await machines.query(
      `select l.category, l.reason, l.at, d.category as "deliveryCategory"
         from forwarding_last_failure l join delivery d using (project_id) where project_id = $1`,
      [projectId],
    );
    expect(project).toEqual({
      category: 'worker_lost',
      deliveryCategory: 'worker_lost',
      reason: expect.stringMatching(/^The service was interrupted several times while sending/),
      at: expect.any(Date),
    });
    await last.stop();
  });
});

describe('two workers (design §2)', () => {
  let workers: ServiceProcess[];
  let projectIds: string[];
  beforeAll(async () => {
    workers = await Promise.all([machines.startWorker(), machines.startWorker()]);
    projectIds = await Promise.all(Array.from({ length: 5 }, () => machines.forwardingProject()));
  });

  /** All acknowledged records are stored; all stored ones were sent and are in the log, once for each time sent. */
  const expectNothingLost = async (acknowledged: string[], among: string[]): Promise<void> => {
    const stored = await machines.stored(among);
    const deliveries = await machines.deliveries(among);
    expect({
      notStored: missing(acknowledged, stored),
      notReceived: missing(stored, machines.received()),
      notInTheLog: missing(stored, deliveries),
      // An attempt that was repeated after its lease is logged beside the repeat, and was received, too.
      tooOftenInTheLog: [...deliveries].filter(([id, outcomes]) => outcomes.length > timesReceived(id)),
    }).toEqual({ notStored: [], notReceived: [], notInTheLog: [], tooOftenInTheLog: [] });
  };

  it('deliver each of 500 records exactly once', async () => {
    const ids = (await Promise.all(projectIds.map((id) => machines.acknowledge(id, 100)))).flat();
    await machines.drained();
    const received = machines.received();
    expect(ids.filter((id) => received.get(id) !== 1)).toEqual([]);
    await expectNothingLost(ids, projectIds);
  });

  it('keep delivering for others, and no ingest fails, while a receiver hangs', async () => {
    const hanging = await machines.forwardingProject('/hang');
    machines.receiver.behave({ kind: 'by_path', hangs: '/hang' });
    const stop = machines.startLoad([hanging, ...projectIds]);
    await until('the hanging receiver is called', () =>
      machines.receiver.requests.some(({ path }) => path === '/hang'),
    );
    await pause(1000);
    const healthy = await machines.acknowledge(projectIds[0] ?? '', 1);
    await until('a healthy receiver gets its record', () => timesReceived(healthy[0] ?? '') === 1);
    const report = await stop();
    expect(report).toMatchObject({ unexpected: [], unavailable: 0 });
    expect(report.acknowledged.length).toBeGreaterThan(100);
    // What hangs would take minutes to time out one by one.
    await machines.query('update forwarding_settings set enabled = false where project_id = $1', [hanging]);
    machines.receiver.behave({ kind: 'answer', status: 204 });
    await machines.drained();
    await expectNothingLost([], projectIds);
  });

  /** Truncating all tables at once may meet the queue's own statements in another order: then it is tried again. */
  const emptied = (names: string[]): Promise<unknown> =>
    until('the queue is emptied', () =>
      machines.query(`truncate ${names.join(', ')} cascade`).catch((error: { code?: string }) => {
        if (error.code !== '40P01') throw error;
        return null;
      }),
    );

  it('lose nothing when the queue is emptied under load', async () => {
    const stop = machines.startLoad(projectIds);
    const tables = await machines.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'bullmq'",
    );
    const names = tables.map(({ name }) => name).filter((name) => !/migration|version/.test(name));
    expect(names.length).toBeGreaterThan(0);
    for (let time = 0; time < 5; time++) {
      await pause(300);
      await emptied(names);
    }
    const report = await stop();
    expect(report).toMatchObject({ unexpected: [], unavailable: 0 });
    // By the heartbeat of a worker: nothing else wakes one.
    await machines.drained();
    await expectNothingLost(report.acknowledged, projectIds);
  });

  it('lose nothing when PostgreSQL is killed under load, twice', async () => {
    const stop = machines.startLoad(projectIds);
    for (let time = 0; time < 2; time++) {
      await pause(1000);
      await machines.killPostgres();
      await machines.revivePostgres();
    }
    await pause(1000);
    const report = await stop();
    expect(report.unexpected).toEqual([]);
    expect(report.acknowledged.length).toBeGreaterThan(100);
    await machines.drained();
    await expectNothingLost(report.acknowledged, projectIds);
  });

  it('live through a database that is away; the API says so and asks callers to come again', async () => {
    await machines.killPostgres();
    // Nothing revives it before the answers are there.
    const ready = await fetch(`${machines.api.baseUrl}/health/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      status: 'error',
      error: { database: { status: 'down' } },
      info: { queue: { status: 'degraded' } },
    });
    expect((await fetch(`${machines.api.baseUrl}/health/live`)).status).toBe(200);

    const refused = await machines.post(projectIds[0] ?? '', newId());
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await refused.json()).toMatchObject({ code: 'temporarily_unavailable' });

    const tier = await fetch(`${machines.api.baseUrl}/v1/projects/${projectIds[0]}/tier`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    expect([tier.status, tier.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await tier.json()).toMatchObject({ code: 'temporarily_unavailable' });

    await machines.revivePostgres();
    await until(
      'the API is ready',
      async () => (await fetch(`${machines.api.baseUrl}/health/ready`)).status === 200,
    );
    const [id = ''] = await machines.acknowledge(projectIds[0] ?? '', 1);
    await until('it is delivered', () => timesReceived(id) === 1);
  });

  it('live through a database that hangs; callers are told to come again, and what they sent is stored once', async () => {
    const projectId = projectIds[0] ?? '';
    const ids = Array.from({ length: 20 }, () => newId());
    machines.signalPostgres('SIGSTOP');
    // It continues only after the responses.
    const answers = await Promise.all(ids.map((id) => machines.post(projectId, id))).finally(() =>
      machines.signalPostgres('SIGCONT'),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(new Set(answers.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['2']));
    const again = await Promise.all(ids.map((id) => machines.post(projectId, id)));
    // 200 where the server had the statement in its hands and wrote it after all.
    expect(again.map(({ status }) => status).filter((status) => status !== 201 && status !== 200)).toEqual(
      [],
    );
    await machines.drained();
    expect(missing(ids, machines.received())).toEqual([]);
    await expectNothingLost(ids, projectIds);
  });

  it('say what lasts a few times, not with every retry, and stop at once afterwards', async () => {
    for (const { output } of [machines.api, ...workers]) {
      const lines = output().split('\n');
      expect(lines.slice(LOG_LINES_MAX)).toEqual([]);
      expect(output()).not.toContain('[object Object]');
      // Everything after the start is a line of JSON: nothing was written past the logger.
      expect(lines.filter((line) => /^\s+at /.test(line))).toEqual([]);
    }
    expect(await stopAll(workers)).toEqual([]);
  });

  it('stop within a bound also while the database is away, even from the moment of the start on', async () => {
    const fresh = await Promise.all([machines.startWorker(), machines.startWorker()]);
    await machines.killPostgres();
    expect(await stopAll([...fresh, machines.api])).toEqual([]);
  });
});
