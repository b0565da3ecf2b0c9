import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  EventWaits,
  WAIT_SECONDS_MAX,
  WAITS_PER_ACCOUNT_MAX,
} from '../../src/modules/events/application/event-waits.js';
import { EVENT_TYPE_NAMES } from '../../src/modules/events/domain/catalogue.js';
import { idAt, newId, NIL_UUID } from '../../src/platform/identity/ids.js';
import { createEndpoint, makeEvent, readJson } from '../support/people/event-endpoint.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Pause before a refused request is repeated. */
const REPEAT_MS = 100;

interface Listed extends Json {
  id: string;
  type: string;
  test: boolean;
  data: Json;
}

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const fresh = async (): Promise<TestProject> => (project = await createTestProject(service));

const read = async (query: string, of = project): Promise<Listed[]> =>
  (await readJson<{ items: Listed[] }>(of, `/events?${query}`)).items;

/** The requests that wait in a service. */
const waitsOf = ({ app }: TestService): Set<unknown> =>
  (app.get(EventWaits, { strict: false }) as unknown as { waits: Set<unknown> }).waits;

const poll = (of: TestProject, signal?: AbortSignal): Promise<Response> =>
  fetch(`${service.baseUrl}/v1/projects/${of.id}/events?after=${newId()}&waitSeconds=${WAIT_SECONDS_MAX}`, {
    headers: { authorization: `Bearer ${of.keys.viewer}` },
    ...(signal && { signal }),
  });

const write = (at: Date, type = 'scan.finished'): Promise<string> => {
  const id = idAt(at);
  return service.database
    .query('insert into event (project_id, id, type, data) values ($1, $2, $3, $4)', [
      project.id,
      id,
      type,
      { id: newId() },
    ])
    .then(() => id);
};

const ago = (ms: number): Date => new Date(Date.now() - ms);

const trigger = async (type: string): Promise<Listed> => {
  const response = await project.request('editor', 'POST', '/events/trigger', { type });
  expect(response.status).toBe(201);
  const event = (await response.json()) as Listed;
  expect(response.headers.get('location')).toBe(`/v1/projects/${project.id}/events/${event.id}`);
  return event;
};

describe('events after an event', () => {
  it('are listed oldest first, by type, in pages of the limit', async () => {
    await fresh();
    const ids = [];
    for (const ms of [9_000, 8_000, 7_000]) ids.push(await write(ago(ms)));
    const other = await write(ago(6_000), 'tier.changed');
    const idsOf = async (query: string): Promise<string[]> => (await read(query)).map(({ id }) => id);
    expect(await idsOf(`after=${NIL_UUID}`)).toEqual([...ids, other]);
    expect(await idsOf(`after=${ids[0]}&limit=1`)).toEqual([ids[1]]);
    expect(await idsOf(`after=${ids[1]?.toUpperCase()}&type=scan.finished`)).toEqual([ids[2]]);
    expect(await idsOf(`after=${other}&waitSeconds=0`)).toEqual([]);
  });

  it('are listed once they are a second old, so that none with an earlier id is missed', async () => {
    await fresh();
    const late = await write(ago(-3_000));
    expect(await read(`after=${NIL_UUID}`)).toEqual([]);
    expect(await read(`after=${NIL_UUID}&waitSeconds=10`)).toMatchObject([{ id: late }]);
  });

  it('are waited for until there is one, and no longer than asked', async () => {
    await fresh();
    const waiting = read(`after=${newId()}&waitSeconds=${WAIT_SECONDS_MAX}`);
    const keyId = await makeEvent(project);
    expect(await waiting).toMatchObject([{ type: 'api_key.created', test: false, data: { id: keyId } }]);
    const startedMs = performance.now();
    expect(await read(`after=${newId()}&waitSeconds=1&type=tier.changed`)).toEqual([]);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(950);
  });

  it.each([
    ['after=x', 'after'],
    [`after=${NIL_UUID}&waitSeconds=${WAIT_SECONDS_MAX + 1}`, 'waitSeconds'],
    [`after=${NIL_UUID}&waitSeconds=-1`, 'waitSeconds'],
    [`after=${NIL_UUID}&test=1`, 'test'],
    [`after=${NIL_UUID}&from=2026-01-01T00:00:00Z`, 'from'],
  ])('are refused for %s', async (query, field) => {
    await fresh();
    const response = await project.request('viewer', 'GET', `/events?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'validation_failed', errors: [{ field }] });
  });
});

describe('requests that wait', () => {
  it('are bounded by account, hold no connection, and never stop another account', async () => {
    const [busy, other] = [await fresh(), await fresh()];
    const stop = new AbortController();
    const keepWaiting = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const response = await poll(busy, stop.signal).catch(() => null);
        if (response?.status === 429) await sleep(REPEAT_MS);
      }
    };
    const waiting = Array.from({ length: WAITS_PER_ACCOUNT_MAX }, keepWaiting);
    const waits = waitsOf(service);
    await until('all wait', () => waits.size === WAITS_PER_ACCOUNT_MAX);
    // A wait may have ended just now; then this one takes its place.
    const refused = await until('one more is refused', async () => {
      const response = await poll(busy);
      return response.status === 429 ? response : null;
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ code: 'too_many_requests' });
    const answer = poll(other);
    await until('no connection is in use', async () => {
      const [row] = await service.database.query<{ count: string }>(
        `select count(*) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      );
      return row?.count === '0';
    });
    await makeEvent(other);
    expect((await answer).status).toBe(200);
    stop.abort();
    await Promise.all(waiting);
    await until('the places of clients that left are free', () => waits.size === 0);
    expect(await read(`after=${newId()}&waitSeconds=1`, busy)).toEqual([]);
  });

  it('end at once when the service stops', async () => {
    const stopping = await startTestService();
    const { id, keys } = await createTestProject(stopping);
    const waiting = fetch(`${stopping.baseUrl}/v1/projects/${id}/events?after=${newId()}&waitSeconds=20`, {
      headers: { authorization: `Bearer ${keys.viewer}` },
    });
    const waits = waitsOf(stopping);
    await until('it waits', () => waits.size === 1);
    const stoppedMs = performance.now();
    stopping.app.get(EventWaits, { strict: false }).stop();
    expect(await (await waiting).json()).toEqual({ items: [], nextCursor: null });
    expect(performance.now() - stoppedMs).toBeLessThan(15_000);
    await stopping.close();
  });
});

describe('a triggered event', () => {
  it('is the example of its type, which only requests for tests receive', async () => {
    await fresh();
    const start = newId();
    const event = await trigger('tier.changed');
    expect(event).toMatchObject({
      type: 'tier.changed',
      test: true,
      data: { projectId: project.id, id: project.id, from: 'lite', to: 'pro' },
    });
    expect(await read(`after=${start}&test=true&waitSeconds=10`)).toEqual([event]);
    expect(await read(`after=${start}`)).toEqual([]);
    expect(await read('')).toEqual([]);
    expect(await readJson(project, `/events/${event.id}`)).toEqual({ ...event, deliveries: [] });
  });

  it('reaches no endpoint: not when it is made, not by a resend, not by a recovery', async () => {
    await fresh();
    const url = 'https://hooks.example.com/';
    const { id } = await createEndpoint(project, { url, eventTypes: [...EVENT_TYPE_NAMES] });
    const event = await trigger('scan.finished');
    const at = `/event-endpoints/${id}`;
    const resent = await project.request('editor', 'POST', `${at}/deliveries/${event.id}/resend`);
    expect([resent.status, await resent.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'event_not_found' }),
    ]);
    const since = ago(60_000).toISOString();
    const recovered = await project.request('editor', 'POST', `${at}/recover`, { since });
    expect(await recovered.json()).toEqual({ queued: 0, more: false });
    expect(
      await service.database.query('select from event_delivery where project_id = $1', [project.id]),
    ).toEqual([]);
  });

  it('is refused for an unknown type, and after 60 a minute', async () => {
    await fresh();
    const refused = await project.request('editor', 'POST', '/events/trigger', { type: 'scan.started' });
    expect(refused.status).toBe(422);
    for (let count = 0; count < 60; count++) await trigger('test.ping');
    const limited = await project.request('editor', 'POST', '/events/trigger', { type: 'test.ping' });
    expect([limited.status, Number(limited.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
