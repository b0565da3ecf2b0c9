import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { monthsAgo, readImport, settled, start, upload, useService } from '../support/people/import.js';
import { createTestProject } from '../support/people/project.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import { startTestService, type TestService } from '../support/programs/service.js';

/** Runs the programs of dist/: build first. */
const ROWS = Number(process.env['IMPORT_ROWS'] ?? 40_000);
const REFUSED_EVERY = 100;
const KILLS = 6;

const processes = new Processes();
let service: TestService;
let environment: Record<string, string>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'consent-imports-'));
  environment = {
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    STORAGE_URL: pathToFileURL(folder).href,
    FORWARDING_TIMEOUT_MS: '1500',
    OUTBOX_LEASE_MS: '2000',
    OUTBOX_POLL_MS: '100',
  };
  service = await startTestService(environment);
  useService(service.baseUrl);
});

afterAll(async () => {
  await processes.close();
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const startWorker = async (): Promise<ServiceProcess> => {
  const worker = await processes.startWorker({
    environment: {
      ...environment,
      NODE_ENV: 'test',
      DATABASE_URL: service.database.url,
      DATA_DIR: processes.folder(),
    },
  });
  await worker.ready();
  return worker;
};

it(`stores each consent once when its worker is killed ${KILLS} times`, async () => {
  const project = await createTestProject(service);
  const rows = Array.from({ length: ROWS }, (_, index) =>
    index % REFUSED_EVERY === 0
      ? `bad-${index},never,true,true,true`
      : `c-${index},${monthsAgo(3, index)},true,${index % 2 === 0},false`,
  );
  const file = `id,givenAt,analytics,marketing,preferences\n${rows.join('\n')}\n`;
  const id = await upload(project, Buffer.from(file));
  await start(project, id);
  let worker = await startWorker();
  let killed = 0;
  let before = 0;
  while (killed < KILLS) {
    const { rowsRead, state } = await readImport(project, id);
    if (state !== 'running') break;
    if (rowsRead === before) {
      await new Promise((wake) => setTimeout(wake, 20));
      continue;
    }
    before = rowsRead;
    await new Promise((wake) => setTimeout(wake, Math.random() * 40));
    await worker.kill();
    killed += 1;
    worker = await startWorker();
  }
  const done = await settled(project, id, 120_000);
  await worker.stop();
  expect(killed).toBeGreaterThan(1);
  const refused = Math.ceil(ROWS / REFUSED_EVERY);
  expect(done).toMatchObject({
    state: 'finished',
    rowsRead: ROWS,
    stored: ROWS - refused,
    repeated: 0,
    refused,
  });
  const [found] = await service.database.query<{ records: number; ids: number }>(
    `select count(*)::int as records, count(distinct original_id)::int as ids from consent_record where import_id = $1`,
    [id],
  );
  expect(found).toEqual({ records: ROWS - refused, ids: ROWS - refused });
  const list = await project.request('owner', 'GET', `/imports/${id}/refused-rows`);
  const lines = (await list.text()).trim().split('\n').slice(1);
  expect(new Set(lines).size).toBe(refused);
  expect(lines).toHaveLength(refused);
  process.stdout.write(
    `${killed} kills: ${ROWS} rows, ${found?.records} records, none twice, ${refused} refused\n`,
  );
});
