import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { EndpointUpkeep } from '../../src/modules/events/application/endpoint-upkeep.js';
import { EventScheduler } from '../../src/modules/events/application/event-scheduler.js';
import { SLOW_ATTEMPT_MS } from '../../src/modules/events/domain/event-endpoint.js';
import { writeEvents } from '../../src/modules/events/event.log.js';
import { EVENT_DUE, EVENT_REPEAT } from '../../src/modules/events/events.topics.js';
import { newId } from '../../src/platform/identity/ids.js';
import {
  accepts,
  arrived,
  createEndpoint,
  makeEvent,
  readJson,
  type TestEndpoint,
} from '../support/people/event-endpoint.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

let authority: TestAuthority;
let receiver: Receiver;
let service: TestService;
let project: TestProject;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority);
  service = await startTestService({
    RUN_WORKER: 'true',
    OUTBOX_POLL_MS: '100',
    FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
  });
});

afterEach(async () => {
  receiver.behave({ kind: 'answer', status: 204 });
  receiver.requests.splice(0);
  // Nothing of one test is sent in the next.
  await service.database.query('delete from event_endpoint');
});

afterAll(async () => {
  await service.close();
  await receiver.close();
  authority.remove();
});

const listen = async (fields: Json = {}): Promise<TestEndpoint> => {
  project = await createTestProject(service);
  return createEndpoint(project, { url: receiver.url, ...fields });
};

const call = async (
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Json }> => {
  const response = await project.request('editor', method, path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Json };
};

interface Attempt extends Json {
  id: string;
  eventId: string;
  outcome: string;
  attempt: number;
  state: string;
  hasResponseBody: boolean;
}

const deliveriesOf = async ({ id }: TestEndpoint, query = ''): Promise<Attempt[]> =>
  (await readJson<{ items: Attempt[] }>(project, `/event-endpoints/${id}/deliveries${query}`)).items;

const settled = (endpoint: TestEndpoint, count: number): Promise<Attempt[]> =>
  until(`${count} lines in the log`, async () => {
    const items = await deliveriesOf(endpoint);
    return items.length >= count ? items : undefined;
  });

const stateOf = ({ id }: TestEndpoint): Promise<Json> => readJson(project, `/event-endpoints/${id}`);

const eventsOf = async (query = ''): Promise<(Json & { id: string })[]> =>
  (await readJson<{ items: (Json & { id: string })[] }>(project, `/events${query}`)).items;

const update = (set: string, { id }: { id: string }): Promise<unknown> =>
  service.database.query(`update event_endpoint set ${set} where id = $1`, [id]);

describe('an event', () => {
  it('arrives once, signed, thin, with the documented headers, and is in the log', async () => {
    const endpoint = await listen();
    const keyId = await makeEvent(project);
    const [request, ...others] = await arrived(receiver, keyId);
    expect(others).toEqual([]);
    if (!request) throw new Error('no request');
    expect(accepts(endpoint.secret, request)).toBe(true);
    expect(request.method).toBe('POST');
    expect(request.headers).toMatchObject({
      'user-agent': 'Service-Events/1.0',
      'content-type': 'application/json',
    });
    const body = JSON.parse(request.body) as Json;
    expect(body).toEqual({
      type: 'api_key.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        projectId: project.id,
        id: keyId,
        url: expect.stringMatching(new RegExp(`^http.*/v1/projects/${project.id}/api-keys/${keyId}$`)),
        role: 'viewer',
      },
    });
    const eventId = request.headers['webhook-id'] as string;
    const [line] = await settled(endpoint, 1);
    expect(line).toMatchObject({
      eventId,
      type: 'api_key.created',
      outcome: 'delivered',
      attempt: 1,
      httpStatus: 204,
      category: null,
      reason: null,
      state: 'delivered',
      nextAttemptAt: null,
    });
    const [event] = await eventsOf('?type=api_key.created');
    expect(event).toEqual({ id: eventId, ...body, test: false });
    expect(await readJson(project, `/events/${eventId}`)).toEqual({
      ...event,
      deliveries: [{ endpointId: endpoint.id, state: 'delivered', attempts: 1, nextAttemptAt: null }],
    });
    expect(await stateOf(endpoint)).toMatchObject({
      lastDeliveredAt: expect.any(String),
      failingSince: null,
    });
  });

  it('reaches only enabled endpoints that list its type, each with its own signature', async () => {
    const endpoint = await listen({ url: `${receiver.url}/one` });
    const second = await createEndpoint(project, { url: `${receiver.url}/two` });
    await createEndpoint(project, { url: `${receiver.url}/other`, eventTypes: ['scan.finished'] });
    await createEndpoint(project, { url: `${receiver.url}/off`, enabled: false });
    const keyId = await makeEvent(project);
    const requests = await arrived(receiver, keyId, 2);
    await settled(endpoint, 1);
    expect(requests.map(({ path }) => path).toSorted()).toEqual(['/hook/one', '/hook/two']);
    const [one, two] = requests.toSorted((a, b) => a.path.localeCompare(b.path));
    expect([one && accepts(endpoint.secret, one), two && accepts(second.secret, two)]).toEqual([true, true]);
    expect(one && accepts(second.secret, one)).toBe(false);
    expect((await eventsOf()).length).toBe(1);
  });

  it('to a slow endpoint uses the slots of failing ones, until the endpoint is fast again', async () => {
    const endpoint = await listen();
    await makeEvent(project);
    await settled(endpoint, 1);
    const topicsInProgress = (): Promise<string[]> =>
      until('it is in progress', async () => {
        const rows = await service.database.query<{ topic: string }>(
          "select topic from outbox_message where topic like 'event.%' order by id",
        );
        return rows.length > 0 ? rows.map(({ topic }) => topic) : undefined;
      });
    receiver.behave({ kind: 'slow', status: 204, afterMs: SLOW_ATTEMPT_MS + 500 });
    // More than are sent to one endpoint at a time: the others are queued as if it were fast.
    await Promise.all(Array.from({ length: 6 }, () => makeEvent(project)));
    expect(await topicsInProgress()).toContain(EVENT_DUE);
    const lines = await settled(endpoint, 7);
    expect(lines.map(({ outcome, attempt }) => [outcome, attempt])).toEqual(
      lines.map(() => ['delivered', 1]),
    );
    await makeEvent(project);
    expect(await topicsInProgress()).toEqual([EVENT_REPEAT]);
    await settled(endpoint, 8);
    await service.database.query('update event_attempt set duration_ms = 20 where endpoint_id = $1', [
      endpoint.id,
    ]);
    await makeEvent(project);
    expect(await topicsInProgress()).toEqual([EVENT_DUE]);
  });

  it('is not written for a change that is rolled back', async () => {
    await listen();
    const id = newId();
    const change = service.database.orm.em.fork().transactional(async (tx) => {
      await writeEvents(tx, project.id, [{ type: 'api_key.created', id, data: { role: 'viewer' } }]);
      throw new Error('rolled back');
    });
    await expect(change).rejects.toThrow('rolled back');
    expect(await eventsOf()).toEqual([]);
    await expect(writeEvents(service.database.orm.em.fork(), project.id, [])).rejects.toThrow('transaction');
    const keyId = await makeEvent(project);
    await arrived(receiver, keyId);
    expect(receiver.requests.map(({ body }) => body.includes(id))).toEqual([false]);
  });

  it('has two signatures while its secret is rotated', async () => {
    const endpoint = await listen();
    const { body: rotated } = await call('POST', `/event-endpoints/${endpoint.id}/rotate-secret`);
    const [request] = await arrived(receiver, await makeEvent(project));
    if (!request) throw new Error('no request');
    expect([accepts(endpoint.secret, request), accepts(rotated['secret'] as string, request)]).toEqual([
      true,
      true,
    ]);
    await update(`former_secret_until = now() - interval '1 second'`, endpoint);
    const [later] = await arrived(receiver, await makeEvent(project));
    if (!later) throw new Error('no request');
    expect([accepts(endpoint.secret, later), accepts(rotated['secret'] as string, later)]).toEqual([
      false,
      true,
    ]);
  });

  it('that fails is sent again with the same id, and both attempts are in the log', async () => {
    const endpoint = await listen();
    receiver.behave({ kind: 'answer', status: 422 });
    const keyId = await makeEvent(project);
    const [line] = await settled(endpoint, 1);
    expect(line).toMatchObject({
      outcome: 'failed',
      httpStatus: 422,
      category: 'http_4xx',
      state: 'pending',
    });
    const waitMs =
      Date.parse(line?.['nextAttemptAt'] as string) - Date.parse(line?.['attemptedAt'] as string);
    expect(waitMs).toBeGreaterThan(4_900);
    expect(waitMs).toBeLessThan(7_000);
    expect(await stateOf(endpoint)).toMatchObject({ state: 'active', failingSince: expect.any(String) });
    receiver.behave({ kind: 'answer', status: 200 });
    const requests = await arrived(receiver, keyId, 2);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [second, first] = await settled(endpoint, 2);
    expect(second).toMatchObject({
      outcome: 'delivered',
      attempt: 2,
      state: 'delivered',
      nextAttemptAt: null,
    });
    expect(first).toMatchObject({ outcome: 'failed', attempt: 1, nextAttemptAt: null });
    expect(await stateOf(endpoint)).toMatchObject({ failingSince: null });
  });

  it('has failed after 72 hours, and is listed so, held or not', async () => {
    const endpoint = await listen();
    await update(`phase = 'open', held_since = now(), next_claim_at = now() + interval '1 hour'`, endpoint);
    await makeEvent(project);
    const [event] = await eventsOf();
    const age = (hours: number) =>
      service.database.query(`update event_delivery set queued_since = now() - $1 * interval '1 hour'`, [
        hours,
      ]);
    const sweep = () => service.app.get(EventScheduler, { strict: false }).sweep(new Date());
    await age(71.9);
    await sweep();
    expect(await deliveriesOf(endpoint)).toEqual([]);
    await age(72.1);
    await sweep();
    expect(await deliveriesOf(endpoint)).toEqual([
      expect.objectContaining({
        eventId: event?.id,
        outcome: 'failed',
        category: 'expired',
        state: 'failed',
      }),
    ]);
    expect(receiver.requests).toEqual([]);
  });

  it('keeps the body of a failed response only on request, masked, and not for viewers', async () => {
    const endpoint = await listen({ keepResponseBodies: true });
    receiver.behave({ kind: 'answer', status: 400, body: `no: ${endpoint.secret}` });
    await makeEvent(project);
    const [line] = await settled(endpoint, 1);
    const path = `/event-endpoints/${endpoint.id}/deliveries/${line?.id}/response-body`;
    expect(line?.hasResponseBody).toBe(true);
    expect((await call('GET', path)).body).toEqual({ responseBody: 'no: ********' });
    expect((await project.request('viewer', 'GET', path)).status).toBe(403);
    const other = await listen();
    await makeEvent(project);
    const [unkept] = await settled(other, 1);
    expect(unkept?.hasResponseBody).toBe(false);
  });
});

describe('a receiver that is away', () => {
  /** Five failures over five seconds. */
  const hold = async (endpoint: TestEndpoint): Promise<void> => {
    receiver.behave({ kind: 'answer', status: 503 });
    for (let number = 0; number < 5; number++) await makeEvent(project);
    await until('the endpoint is held', async () => (await stateOf(endpoint))['state'] === 'held');
  };

  it('is held, gets only probes, and all events once it is back', async () => {
    const endpoint = await listen();
    await hold(endpoint);
    expect(await stateOf(endpoint)).toMatchObject({
      heldSince: expect.any(String),
      heldReason: 'The endpoint returned 503.',
      nextProbeAt: expect.any(String),
    });
    const before = receiver.requests.length;
    const keyIds: string[] = [];
    for (let number = 0; number < 20; number++) keyIds.push(await makeEvent(project));
    const sent = receiver.requests.slice(before).map(({ headers }) => headers['webhook-id']);
    // A probe repeats the oldest event; the new ones wait.
    const { state, waiting } = await stateOf(endpoint);
    // The oldest of 25 may be on its way as a probe.
    expect([state, Number(waiting) >= 24]).toEqual(['held', true]);
    expect(new Set(sent).size).toBeLessThanOrEqual(1);
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${service.baseUrl}/metrics`)).text();
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    };
    await until('the gauges show it', async () => {
      const [held, queued] = [
        await metric('events_held_endpoints'),
        await metric('events_waiting_deliveries'),
      ];
      return held >= 1 && queued >= 25;
    });
    expect(
      await metric('events_attempts_total{outcome="failed",category="http_5xx"}'),
    ).toBeGreaterThanOrEqual(5);
    expect(await metric('events_oldest_due_age_seconds')).toBeGreaterThanOrEqual(0);
    receiver.behave({ kind: 'answer', status: 204 });
    const { status, body } = await call('POST', `/event-endpoints/${endpoint.id}/resume`);
    expect([status, body['id']]).toEqual([200, endpoint.id]);
    for (const keyId of keyIds) await arrived(receiver, keyId);
    await until('it is active', async () => (await stateOf(endpoint))['state'] === 'active');
    const ended = await until('all are delivered', async () => {
      const items = await deliveriesOf(endpoint, '?outcome=delivered&limit=200');
      return items.length === 25 ? items : undefined;
    });
    expect(new Set(ended.map(({ eventId }) => eventId)).size).toBe(25);
    expect(await stateOf(endpoint)).toMatchObject({
      heldSince: null,
      heldReason: null,
      nextProbeAt: null,
      waiting: 0,
    });
  });

  it('does not delay another endpoint of the project', async () => {
    const endpoint = await listen({ url: `${receiver.url}/away` });
    receiver.behave({ kind: 'by_path', hangs: '/hook/away' });
    const well = await createEndpoint(project, { url: `${receiver.url}/well` });
    for (let number = 0; number < 10; number++) await makeEvent(project);
    await settled(well, 10);
    expect(await deliveriesOf(endpoint)).toEqual([]);
  });

  it('is probed at once after a test that succeeds', async () => {
    const endpoint = await listen();
    await hold(endpoint);
    await update(`next_claim_at = now() + interval '1 hour', wake_at = now() + interval '1 hour'`, endpoint);
    receiver.behave({ kind: 'answer', status: 204 });
    const { body } = await call('POST', `/event-endpoints/${endpoint.id}/test`);
    expect(body).toMatchObject({ delivered: true, httpStatus: 204, category: null, reason: null });
    const [ping] = receiver.requests.filter((request) => request.headers['webhook-id'] === body['eventId']);
    expect(JSON.parse(ping?.body ?? '')).toMatchObject({ type: 'test.ping', data: { id: endpoint.id } });
    await until('all are delivered', async () => {
      const items = await deliveriesOf(endpoint, '?outcome=delivered&limit=200');
      return items.length === 6;
    });
  });

  it('is disabled after five days, with mails on the first, third and fifth, and recovers once enabled', async () => {
    const endpoint = await listen();
    const upkeep = service.app.get(EndpointUpkeep, { strict: false });
    const day = async (days: number): Promise<unknown> => {
      await update(`unsuccessful_since = now() - interval '1 minute' - ${days} * interval '1 day'`, endpoint);
      await upkeep.judgeAll(new Date());
      const [row] = await service.database.query(
        'select mailed_day, enabled from event_endpoint where id = $1',
        [endpoint.id],
      );
      return row;
    };
    expect(await day(0.9)).toEqual({ mailed_day: 0, enabled: true });
    expect(await day(1)).toEqual({ mailed_day: 1, enabled: true });
    expect(await day(2)).toEqual({ mailed_day: 1, enabled: true });
    expect(await day(3)).toEqual({ mailed_day: 3, enabled: true });
    expect(await day(4.9)).toEqual({ mailed_day: 3, enabled: true });
    expect(await day(5)).toEqual({ mailed_day: 5, enabled: false });
    expect(await stateOf(endpoint)).toMatchObject({ state: 'disabled', disabledReason: 'no_success' });
    const keyId = await makeEvent(project);
    expect(
      (await call('POST', `/event-endpoints/${endpoint.id}/recover`, { since: new Date() })).body,
    ).toMatchObject({
      code: 'event_endpoint_disabled',
    });
    const { body } = await call('PATCH', `/event-endpoints/${endpoint.id}`, { enabled: true });
    expect(body).toMatchObject({ state: 'active', disabledReason: null, failingSince: null });
    const since = new Date(Date.now() - 3_600_000);
    expect((await call('POST', `/event-endpoints/${endpoint.id}/recover`, { since })).body).toEqual({
      queued: 1,
      more: false,
    });
    await arrived(receiver, keyId);
  });
});

describe('by hand', () => {
  it('an event is sent again, also a delivered one, and counted once while it is pending', async () => {
    const endpoint = await listen();
    const keyId = await makeEvent(project);
    const [line] = await settled(endpoint, 1);
    const path = `/event-endpoints/${endpoint.id}/deliveries/${line?.eventId}`;
    expect(await call('POST', `${path}/resend`)).toEqual({ status: 202, body: { queued: 1 } });
    const requests = await arrived(receiver, keyId, 2);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const [second] = await settled(endpoint, 2);
    expect(second).toMatchObject({ attempt: 2, outcome: 'delivered' });
    receiver.behave({ kind: 'answer', status: 400 });
    await call('POST', `${path}/resend`);
    await settled(endpoint, 3);
    expect(await call('POST', `${path}/resend`)).toEqual({ status: 202, body: { queued: 0 } });
  });

  it('a waiting event is skipped, and is not sent any more', async () => {
    const endpoint = await listen();
    receiver.behave({ kind: 'answer', status: 400 });
    await makeEvent(project);
    const [line] = await settled(endpoint, 1);
    const path = `/event-endpoints/${endpoint.id}/deliveries/${line?.eventId}/skip`;
    expect(await call('POST', path)).toEqual({ status: 200, body: { skipped: 1 } });
    expect(await call('POST', path)).toEqual({ status: 200, body: { skipped: 0 } });
    const [skipped] = await deliveriesOf(endpoint);
    expect(skipped).toMatchObject({ outcome: 'skipped', attempt: 1, state: 'skipped', nextAttemptAt: null });
    const since = new Date(Date.now() - 3_600_000);
    const recovered = await call('POST', `/event-endpoints/${endpoint.id}/recover`, { since });
    expect(recovered.body).toEqual({ queued: 0, more: false });
  });

  it('tests a disabled endpoint, reports a failure, and stops after ten in a minute', async () => {
    const endpoint = await listen({ enabled: false });
    receiver.behave({ kind: 'answer', status: 500 });
    const first = await call('POST', `/event-endpoints/${endpoint.id}/test`);
    expect(first).toMatchObject({
      status: 200,
      body: { delivered: false, httpStatus: 500, category: 'http_5xx' },
    });
    const [line] = await deliveriesOf(endpoint);
    expect(line).toMatchObject({
      outcome: 'failed',
      type: 'test.ping',
      state: 'failed',
      nextAttemptAt: null,
    });
    for (let number = 0; number < 9; number++) await call('POST', `/event-endpoints/${endpoint.id}/test`);
    const late = await call('POST', `/event-endpoints/${endpoint.id}/test`);
    expect(late).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
  });
});

describe('retention', () => {
  it('deletes events after 30 days with their deliveries and log, and no younger ones', async () => {
    const endpoint = await listen();
    await makeEvent(project);
    await settled(endpoint, 1);
    const upkeep = service.app.get(EndpointUpkeep, { strict: false });
    const age = (days: number) =>
      service.database.query(
        `update event set created_at = now() - ${days} * interval '1 day' where project_id = $1`,
        [project.id],
      );
    await age(29.9);
    await upkeep.deleteOld(new Date());
    expect((await deliveriesOf(endpoint)).length).toBe(1);
    await age(30.1);
    await upkeep.deleteOld(new Date());
    expect([await deliveriesOf(endpoint), await eventsOf()]).toEqual([[], []]);
  });

  it('ends with the project', async () => {
    const endpoint = await listen();
    await makeEvent(project);
    await settled(endpoint, 1);
    await service.database.query('delete from project where id = $1', [project.id]);
    for (const table of ['event', 'event_endpoint', 'event_delivery', 'event_attempt'])
      expect(
        await service.database.query(`select from ${table} where project_id = $1`, [project.id]),
      ).toEqual([]);
  });
});
