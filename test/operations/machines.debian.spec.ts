import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Cluster } from '../support/programs/cluster.js';
import { until } from '../support/until.js';

/** Records a second; more on a machine that has nothing else to do: `CLUSTER_RATE=500`. */
const RATE = Number(process.env['CLUSTER_RATE'] ?? 100);
const NOTHING_LOST = {
  acknowledgedNotStored: 0,
  storedNotSettled: 0,
  deliveredNotReceived: 0,
  failed: 0,
  failures: [],
};

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

/** Prints the run's figures; a passing test prints nothing else. */
function tell(what: string, figures: Record<string, unknown>): void {
  if (process.env['CLUSTER_REPORT']) process.stderr.write(`${what}: ${JSON.stringify(figures)}\n`);
}

describe('two APIs behind HAProxy, two workers, Redis, PgBouncer, and a primary with a synchronous standby', () => {
  let cluster: Cluster;
  let projectId: string;

  beforeAll(async () => {
    cluster = await Cluster.start();
    projectId = await cluster.forwardingProject();
  });

  afterAll(() => cluster?.close());

  /** Runs a fault under load, some seconds before and after it, and does the accounts. */
  async function under(
    what: string,
    fault: () => Promise<void>,
  ): Promise<{ refusals: Record<string, number>; slowestMs: number }> {
    const endLoad = cluster.startLoad(projectId, RATE);
    await pause(2_000);
    const startedAt = Date.now();
    await fault();
    const faultMs = Date.now() - startedAt;
    await pause(3_000);
    const load = await endLoad();
    await cluster.drained();
    const accounts = await cluster.accounts(projectId, load);
    const refusals = Object.fromEntries(load.refusals);
    const lastRefusalMs = load.refusedAt.length === 0 ? null : Math.max(...load.refusedAt) - startedAt;
    tell(what, {
      acknowledged: load.acknowledged.size,
      refusals,
      slowestMs: Math.round(load.slowestMs),
      faultMs,
      lastRefusalMs,
      ...accounts,
    });
    expect({ accounts, givenUp: load.refusals.get('given up') }).toEqual({ accounts: NOTHING_LOST });
    expect(load.acknowledged.size).toBeGreaterThan(RATE);
    return { refusals, slowestMs: load.slowestMs };
  }

  it('tells no client to keep a connection that HAProxy closes sooner', async () => {
    const response = await fetch(`${cluster.baseUrl}/health/live`);
    expect(response.status).toBe(200);
    expect(response.headers.get('keep-alive')).toBeNull();
  });

  it('refuses nobody while every API and worker is replaced, one at a time', async () => {
    const { refusals } = await under('rolling restart', async () => {
      for (const index of [0, 1]) {
        expect((await cluster.workers[index]?.stop())?.code).toBe(0);
        cluster.workers[index] = await cluster.startWorker();
        expect((await cluster.apis[index]?.stop())?.code).toBe(0);
        cluster.apis[index] = await cluster.startApi(index);
      }
    });
    expect(refusals).toEqual({});
  });

  it('loses nothing with one API, which dies in the middle of requests', async () => {
    await under('one API dies', async () => {
      await cluster.apis[0]?.kill();
      await pause(2_000);
      cluster.apis[0] = await cluster.startApi(0);
    });
  });

  it('refuses nobody without Redis: it is a doorbell', async () => {
    const { refusals } = await under('Redis dies', async () => {
      await cluster.redis.kill();
      await pause(3_000);
      await cluster.redis.revive();
    });
    expect(refusals).toEqual({});
  });

  it('loses nothing with PgBouncer, which everybody is connected through', async () => {
    await under('PgBouncer dies', async () => {
      await cluster.bouncer.kill();
      await pause(1_000);
      cluster.bouncer.revive();
    });
  });

  it('loses nothing with the primary, and serves again from the standby', async () => {
    await under('the primary dies', async () => {
      await cluster.primary.kill();
      await cluster.failOver();
      // Every process reconnects to the new primary.
      await until('both APIs are ready', async () => {
        const ready = await Promise.all(
          cluster.apis.map(({ baseUrl }) => fetch(`${baseUrl}/health/ready`).then(({ ok }) => ok)),
        );
        return ready.every(Boolean);
      });
    });
  });
});
