import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startClock } from '../support/elapsed.js';
import { ManyMachines, missing } from '../support/programs/many-machines.js';
import { Processes, type ServiceProcess, stopAll } from '../support/programs/processes.js';
import { RedisServer } from '../support/programs/redis.js';
import { until } from '../support/until.js';

/** Far more than the 5 s after which a worker polls: it may have much to do then. */
const BY_ITSELF_MAX_MS = 20_000;
/** As in production. No worker dies here, and the receiver has to share its process with all the callers. */
const PATIENCE = {
  FORWARDING_CONNECT_TIMEOUT_MS: '15000',
  FORWARDING_TIMEOUT_MS: '15000',
  OUTBOX_LEASE_MS: '60000',
  OUTBOX_POLL_MS: '200',
};
/**
 * Callers while records pile up for seconds; their records are delivered at once when a worker
 * polls again.
 */
const CALLERS_MEANWHILE = 5;

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

describe('one API and two workers, with Redis for the queue (design §3)', () => {
  let redisFolder: Processes;
  let redis: RedisServer;
  let machines: ManyMachines;
  let workers: ServiceProcess[];
  let projectIds: string[];

  beforeAll(async () => {
    redisFolder = new Processes();
    redis = await RedisServer.start(redisFolder.folder());
    machines = await ManyMachines.start({ REDIS_URL: redis.url, ...PATIENCE });
    workers = await Promise.all([machines.startWorker(), machines.startWorker()]);
    projectIds = await Promise.all(Array.from({ length: 5 }, () => machines.forwardingProject()));
  });

  afterAll(async () => {
    await machines.close();
    await redis.kill();
    await redisFolder.close();
  });

  const expectNothingLost = async (acknowledged: string[]): Promise<void> => {
    const stored = await machines.stored(projectIds);
    const deliveries = await machines.deliveries(projectIds);
    expect({
      failures: await machines.failures(projectIds),
      notStored: missing(acknowledged, stored),
      notReceived: missing(stored, machines.received()),
      notInTheLog: missing(stored, deliveries),
    }).toEqual({ failures: [], notStored: [], notReceived: [], notInTheLog: [] });
  };

  it('keeps its jobs in Redis and none in PostgreSQL', async () => {
    // The migration makes BullMQ's tables whichever backend is used (docs/adr/0018).
    expect(await machines.query('select from bullmq.job')).toEqual([]);
    expect(await machines.query('select from bullmq.scheduler')).toEqual([]);
  });

  it('delivers each of 500 records exactly once', async () => {
    const ids = (await Promise.all(projectIds.map((id) => machines.acknowledge(id, 100)))).flat();
    await machines.drained();
    const received = machines.received();
    expect(ids.filter((id) => received.get(id) !== 1)).toEqual([]);
    await expectNothingLost(ids);
  });

  it('loses nothing when Redis is emptied under load', async () => {
    const stop = machines.startLoad(projectIds);
    for (let time = 0; time < 5; time++) {
      await pause(300);
      await redis.flushAll();
    }
    const report = await stop();
    expect(report).toMatchObject({ unexpected: [], unavailable: 0 });
    // By the heartbeat of a worker: nothing else wakes one.
    await machines.drained();
    await expectNothingLost(report.acknowledged);
  });

  it('takes and delivers records while Redis is away, says that it is, and finds it again', async () => {
    const stop = machines.startLoad(projectIds, CALLERS_MEANWHILE);
    await pause(500);
    await redis.kill();
    await pause(2000);
    // Nothing revives it before the answer is there.
    const ready = await fetch(`${machines.api.baseUrl}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toMatchObject({
      status: 'degraded',
      info: { database: { status: 'up' }, queue: { status: 'degraded' } },
      error: {},
    });
    const [id = ''] = await machines.acknowledge(projectIds[0] ?? '', 1);
    await until('it is delivered', () => machines.received().has(id), BY_ITSELF_MAX_MS);

    await redis.revive();
    await until(
      'the API has its queue',
      async () =>
        ((await (await fetch(`${machines.api.baseUrl}/health/ready`)).json()) as { status: string })
          .status === 'ok',
    );
    const report = await stop();
    expect(report).toMatchObject({ unexpected: [], unavailable: 0 });
    await machines.drained();
    await expectNothingLost(report.acknowledged);
  });

  it('polls at OUTBOX_POLL_MS while Redis is away', async () => {
    await redis.kill();
    await pause(2000);
    const elapsedMs = startClock();
    // One after the other: each waits for a poll. The heartbeat of 5 s would take about a minute.
    for (let sent = 0; sent < 24; sent++) {
      const [id = ''] = await machines.acknowledge(projectIds[0] ?? '', 1);
      await until('it is delivered', () => machines.received().has(id), BY_ITSELF_MAX_MS);
    }
    expect(elapsedMs()).toBeLessThan(2 * BY_ITSELF_MAX_MS);
    await redis.revive();
  });

  it('starts a worker and ends every process within a bound while Redis is away, without a flood of lines', async () => {
    await redis.kill();
    await pause(3000);
    const late = await machines.startWorker();
    const [id = ''] = await machines.acknowledge(projectIds[0] ?? '', 1);
    await until('it is delivered', () => machines.received().has(id), BY_ITSELF_MAX_MS);
    const processes = [machines.api, ...workers, late];
    expect(await stopAll(processes)).toEqual([]);
    for (const { output } of processes) {
      expect(output().split('\n').length).toBeLessThan(60);
      expect(
        output()
          .split('\n')
          .filter((line) => /^\s+at /.test(line)),
      ).toEqual([]);
    }
  });
});
