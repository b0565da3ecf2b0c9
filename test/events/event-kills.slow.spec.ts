import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { writeEvents } from '../../src/modules/events/event.log.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createEndpoint } from '../support/people/event-endpoint.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { Processes, type ServiceProcess } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Runs the programs of dist/: build first. `EVENT_KILLS=50` for the number in docs/events.md. */
const ROUNDS = Number(process.env['EVENT_KILLS'] ?? 8);
const ENDPOINTS = 3;
/** Events of a round that is killed: half of their transactions are rolled back. */
const PER_ROUND = 40;

const processes = new Processes();
let authority: TestAuthority;
let receiver: Receiver;
let service: TestService;
let environment: Record<string, string>;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority, {
    behaviour: { kind: 'slow', status: 204, afterMs: 40 },
  });
  environment = {
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
    FORWARDING_TIMEOUT_MS: '1500',
    OUTBOX_LEASE_MS: '2000',
    OUTBOX_POLL_MS: '100',
  };
  service = await startTestService(environment);
});

afterAll(async () => {
  await processes.close();
  await service.close();
  await receiver.close();
  authority.remove();
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

/** Writes events, each in its own transaction; returns the subjects of the committed ones. */
async function write({ id: projectId }: TestProject): Promise<string[]> {
  const committed: string[] = [];
  for (let number = 0; number < PER_ROUND; number++) {
    const id = newId();
    const isKept = number % 2 === 0;
    await service.database.orm.em
      .fork()
      .transactional(async (tx) => {
        await writeEvents(tx, projectId, [{ type: 'api_key.created', id, data: { role: 'viewer' } }]);
        if (!isKept) throw new Error('rolled back');
      })
      .catch(() => {});
    if (isKept) committed.push(id);
    await new Promise((wake) => setTimeout(wake, Math.random() * 20));
  }
  return committed;
}

it(`loses no event, and sends none of a rolled-back change, in ${ROUNDS} rounds of kill -9`, async () => {
  const project = await createTestProject(service);
  for (let number = 0; number < ENDPOINTS; number++)
    await createEndpoint(project, { url: `${receiver.url}/${number}` });
  const committed: string[] = [];
  let worker = await startWorker();
  for (let round = 0; round < ROUNDS; round++) {
    const writing = write(project);
    await new Promise((wake) => setTimeout(wake, 100 + Math.random() * 900));
    await worker.kill();
    worker = await startWorker();
    committed.push(...(await writing));
  }
  await until('all are delivered', async () => {
    const [left] = await service.database.query<{ count: number }>(
      `select count(*)::int as count from event_delivery where state = 'pending'`,
    );
    return left?.count === 0;
  });
  await worker.stop();

  const received = receiver.requests.map(({ path, headers, body }) => {
    const { data } = JSON.parse(body) as { data: { id: string } };
    return { subject: data.id, at: `${path} ${data.id}`, webhookId: headers['webhook-id'] };
  });
  const expected = committed.flatMap((id) =>
    Array.from({ length: ENDPOINTS }, (_, number) => `${new URL(receiver.url).pathname}/${number} ${id}`),
  );
  const arrived = new Set(received.map(({ at }) => at));
  expect(expected.filter((each) => !arrived.has(each))).toEqual([]);
  const kept = new Set(committed);
  expect(received.filter(({ subject }) => !kept.has(subject))).toEqual([]);
  // One id for each event, on every attempt and endpoint.
  const ids = new Set(received.map(({ subject, webhookId }) => `${subject} ${String(webhookId)}`));
  expect(ids.size).toBe(committed.length);
  const [states] = await service.database.query(
    `select count(*)::int as deliveries, count(*) filter (where state = 'delivered')::int as delivered,
            (select count(*)::int from event) as events from event_delivery`,
  );
  const deliveries = committed.length * ENDPOINTS;
  expect(states).toEqual({ deliveries, delivered: deliveries, events: committed.length });
  process.stdout.write(
    `${ROUNDS} kills: ${committed.length} events, ${deliveries} deliveries, ` +
      `${received.length - arrived.size} repeated, 0 lost, 0 of rolled-back changes\n`,
  );
});
