import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { Processes, type ServiceProcess } from '../support/processes.js';
import { until } from '../support/until.js';

/** Long enough for the test's requests, also on a busy machine. */
const DELAY_MS = 4_000;
const TEST_TIMEOUT_MS = 60_000;

describe('a process that was told to stop', () => {
  const processes = new Processes();
  let database: TestDatabase;
  let api: ServiceProcess;

  beforeAll(async () => {
    database = await createTestDatabase();
    api = await processes.startApi({
      environment: {
        DATABASE_URL: database.url,
        NODE_ENV: 'test',
        DATA_DIR: processes.folder(),
        SHUTDOWN_DELAY_MS: String(DELAY_MS),
      },
    });
    await api.ready();
  }, TEST_TIMEOUT_MS);
  afterAll(async () => {
    await processes.close();
    await database.close();
  });

  it(
    'says that it is not ready, and answers requests for SHUTDOWN_DELAY_MS all the same',
    async () => {
      const ready = (): Promise<Response> => fetch(`${api.baseUrl}/health/ready`);
      expect((await ready()).status).toBe(200);
      const stoppedMs = performance.now();
      api.signal('SIGTERM');
      const refusal = await until('it is not ready', async () => {
        const response = await ready();
        return response.status === 503 ? response : null;
      });
      expect(await refusal.json()).toMatchObject({
        status: 'error',
        error: { process: { status: 'down' } },
        info: { database: { status: 'up' } },
      });
      expect((await fetch(`${api.baseUrl}/v1/pricing`)).status).toBe(200);
      expect((await fetch(`${api.baseUrl}/health/live`)).status).toBe(200);
      expect(await api.exit()).toEqual({ code: 0, signal: null });
      expect(performance.now() - stoppedMs).toBeGreaterThanOrEqual(DELAY_MS);
    },
    TEST_TIMEOUT_MS,
  );
});
