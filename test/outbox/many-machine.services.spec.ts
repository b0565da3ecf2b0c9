import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startClock } from '../support/elapsed.js';
import { ManyMachines, missing } from '../support/many-machines.js';
import { Processes, type ServiceProcess, stopAll } from '../support/processes.js';
import { RedisServer } from '../support/redis.js';
import { until } from '../support/until.js';

const TEST_TIMEOUT_MS = 120_000;
const STOP_MAX_MS = 5_000;
/** Far more than the 5 s after which a worker polls: it may have much to do then. */
const BY_ITSELF_MAX_MS = 20_000;
/** As in production. No worker dies here, and the receiver has to share its process with all the callers. */
const PATIENCE = {
  FORWARDING_CONNECT_TIMEOUT_MS: '15000',
  FORWARDING_TIMEOUT_MS: '15000',
  OUTBOX_LEASE_MS: '60000',
};
/** Callers while records pile up for seconds: what they leave is delivered at once when a worker looks again. */
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
  }, TEST_TIMEOUT_MS);

  afterAll(async () => {
    await machines.close();
    await redis.kill();
    await redisFolder.close();
  }, TEST_TIMEOUT_MS);

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

  it(
    'delivers each of 500 records exactly once',
    async () => {
      const ids = (await Promise.all(projectIds.map((id) => machines.acknowledge(id, 100)))).flat();
      await machines.drained();
      const received = machines.received();
      expect(ids.filter((id) => received.get(id) !== 1)).toEqual([]);
      await expectNothingLost(ids);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'loses nothing when Redis is emptied under load',
    async () => {
      const stop = machines.startLoad(projectIds);
      for (let time = 0; time < 5; time++) {
        await pause(300);
        await redis.flushAll();
      }
      const report = await stop();
      expect(report).toMatchObject({ unexpected: [], unavailable: 0 });
      // The heartbeat of a worker, 5 s, bounds the delay.
      expect(await machines.drained()).toBeLessThan(10_000);
      await expectNothingLost(report.acknowledged);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'takes and delivers records while Redis is away, says that it is, and finds it again',
    async () => {
      const stop = machines.startLoad(projectIds, CALLERS_MEANWHILE);
      await pause(500);
      await redis.kill();
      await pause(2000);
      const elapsedMs = startClock();
      const ready = await fetch(`${machines.api.baseUrl}/health/ready`);
      expect(elapsedMs()).toBeLessThan(4_000);
      expect(ready.status).toBe(200);
      expect(await ready.json()).toMatchObject({
        status: 'degraded',
        info: { database: { status: 'up' }, queue: { status: 'degraded' } },
        error: {},
      });
      const [id = ''] = await machines.acknowledge(projectIds[0] ?? '', 1);
      // By the heartbeat alone.
      await until('it is delivered', () => machines.received().has(id), BY_ITSELF_MAX_MS);

      await redis.revive();
      await until(
        'the API has its queue',
        async () =>
          ((await (await fetch(`${machines.api.baseUrl}/health/ready`)).json()) as { status: string })
            .status === 'ok',
        30_000,
      );
      const report = await stop();
      expect(report).toMatchObject({ unexpected: [], unavailable: 0 });
      await machines.drained();
      await expectNothingLost(report.acknowledged);
    },
    TEST_TIMEOUT_MS,
  );

  it(
    'starts a worker and ends every process within a bound while Redis is away, without a flood of lines',
    async () => {
      await redis.kill();
      await pause(3000);
      const late = await machines.startWorker();
      const [id = ''] = await machines.acknowledge(projectIds[0] ?? '', 1);
      await until('it is delivered', () => machines.received().has(id), BY_ITSELF_MAX_MS);
      const processes = [machines.api, ...workers, late];
      const elapsedMs = startClock();
      expect(await stopAll(processes)).toEqual([]);
      expect(elapsedMs()).toBeLessThan(STOP_MAX_MS);
      for (const { output } of processes) {
        expect(output().split('\n').length).toBeLessThan(60);
        expect(
          output()
            .split('\n')
            .filter((line) => /^\s+at /.test(line)),
        ).toEqual([]);
      }
    },
    TEST_TIMEOUT_MS,
  );
});
