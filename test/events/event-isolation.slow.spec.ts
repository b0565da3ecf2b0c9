import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { EndpointService } from '../../src/modules/events/application/endpoint.service.js';
import { writeEvents } from '../../src/modules/events/event.log.js';
import { newId } from '../../src/platform/identity/ids.js';
import { arrived, createEndpoint, makeEvent } from '../support/people/event-endpoint.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { choose, createForwardingProject } from '../support/programs/pipeline.js';
import { Processes } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const PROJECTS = 100;
const ENDPOINTS_PER_PROJECT = 10;
const RECORDS = 400;
const PER_SECOND = 40;

const processes = new Processes();
let authority: TestAuthority;
let receiver: Receiver;
let hanging: Receiver;
let service: TestService;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority);
  hanging = await startReceiver(authority.authority, { behaviour: { kind: 'hang' } });
  const environment = {
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port},127.0.0.1:${hanging.port}`,
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
  };
  service = await startTestService(environment);
  const worker = await processes.startWorker({
    environment: {
      ...environment,
      NODE_ENV: 'test',
      DATABASE_URL: service.database.url,
      DATA_DIR: processes.folder(),
    },
  });
  await worker.ready();
});

afterAll(async () => {
  await processes.close();
  await service.close();
  await receiver.close();
  await hanging.close();
  authority.remove();
});

/** Milliseconds from the commit of records to their arrival, ascending. */
async function latencies(projectId: string): Promise<number[]> {
  receiver.requests.splice(0);
  const sent: Promise<unknown>[] = [];
  for (let number = 0; number < RECORDS; number++) {
    sent.push(choose(service, projectId));
    await new Promise((wake) => setTimeout(wake, 1000 / PER_SECOND));
  }
  await Promise.all(sent);
  await until('all records arrive', () => receiver.requests.length >= RECORDS);
  const rows = await service.database.query<{ ms: number }>(
    `select extract(epoch from d.attempted_at - c.received_at) * 1000 + d.duration_ms as ms
     from consent_record c join delivery d on d.project_id = c.project_id and d.consent_id = c.id
     where c.project_id = $1 order by c.id desc limit $2`,
    [projectId, RECORDS],
  );
  return rows.map(({ ms }) => Number(ms)).toSorted((one, other) => one - other);
}

/** Milliseconds from the commit of an event to its arrival. */
async function eventLatency(project: TestProject): Promise<number> {
  const keyId = await makeEvent(project);
  const startedMs = performance.now();
  await arrived(receiver, keyId);
  return Math.round(performance.now() - startedMs);
}

const at = (values: number[], share: number): number =>
  Math.round(values[Math.floor(values.length * share)] ?? 0);

it('1,000 endpoints that hang do not delay consent records', async () => {
  const project = await createForwardingProject(service, receiver.url);
  await latencies(project.id);
  const alone = await latencies(project.id);

  const well = await createTestProject(service);
  const { id: wellId } = await createEndpoint(well, { url: receiver.url });
  await well.request('editor', 'POST', `/event-endpoints/${wellId}/test`);
  const endpoints = service.app.get(EndpointService, { strict: false });
  const hostile: string[] = [];
  for (let number = 0; number < PROJECTS; number++) {
    const { id } = await createTestProject(service);
    hostile.push(id);
    for (let one = 0; one < ENDPOINTS_PER_PROJECT; one++)
      await endpoints.create(
        id,
        {
          url: hanging.url,
          description: '',
          eventTypes: ['scan.finished'],
          enabled: true,
          keepResponseBodies: false,
        },
        { kind: 'system' },
      );
  }
  const stop = new AbortController();
  const flood = (async () => {
    while (!stop.signal.aborted) {
      for (const id of hostile) {
        await service.database.orm.em
          .fork()
          .transactional((tx) => writeEvents(tx, id, [{ type: 'scan.finished', id: newId(), data: {} }]));
        // Twenty events a second: the writing itself must not be the load.
        if (hanging.requests.length > 40) await new Promise((wake) => setTimeout(wake, 50));
        if (stop.signal.aborted) break;
      }
    }
  })();
  await until('endpoints hang', () => hanging.requests.length > 40);
  const beside = await latencies(project.id);
  const eventMs = await eventLatency(well);
  stop.abort();
  await flood;
  const [counts] = await service.database.query<{ events: number; pending: number }>(
    `select (select count(*)::int from event) as events, count(*)::int as pending from event_delivery
     where state = 'pending'`,
  );
  process.stdout.write(
    `consent delivery p50/p99: alone ${at(alone, 0.5)}/${at(alone, 0.99)} ms, beside ${PROJECTS * ENDPOINTS_PER_PROJECT} ` +
      `hanging endpoints (${counts?.events} events, ${counts?.pending} pending deliveries, ${hanging.requests.length} attempts) ` +
      `${at(beside, 0.5)}/${at(beside, 0.99)} ms; an event to a working endpoint ${eventMs} ms\n`,
  );
  // The records and the event have arrived beside them. How soon depends on the machine: docs/events.md has figures.
  expect(hanging.requests.length).toBeGreaterThan(40);
  expect(beside).toHaveLength(RECORDS);
});
