import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { newId } from '../../src/platform/identity/ids.js';
import { createEndpoint, makeEvent, readJson } from '../support/people/event-endpoint.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const URL = 'https://hooks.shop.example/events';
const TYPES = ['scan.finished', 'tier.changed'];
/** Every text in a list of the specification of the endpoint policy that is refused. */
const REFUSED_URLS = [
  'http://hooks.shop.example/',
  'https://localhost/',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://10.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://hooks.internal/',
  'https://user@hooks.shop.example/',
  'https://hooks.shop.example/#x',
  'https://hooks.shop.example:0/',
  'ftp://hooks.shop.example/',
  '',
  `https://hooks.shop.example/${'x'.repeat(2048)}`,
];

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(async () => {
  await service.close();
});

const fresh = async (): Promise<void> => {
  project = await createTestProject(service);
};

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(`${service.baseUrl}/v1/projects/${project.id}/event-endpoints${path}`, {
    method,
    headers: {
      authorization: `Bearer ${project.keys.editor}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const auditOf = async (target: string): Promise<string[]> => {
  const { items } = await readJson<{ items: { action: string; target: string }[] }>(
    { ...project, request: (_, ...rest) => project.request('owner', ...rest) },
    '/audit',
  );
  return items.filter((item) => item.target === target).map(({ action }) => action);
};

describe('an event endpoint', () => {
  it('is created with its defaults, a secret and an ETag, and read without the secret', async () => {
    await fresh();
    const response = await send('POST', '', { url: URL, eventTypes: TYPES });
    expect(response.status).toBe(201);
    const { secret, ...created } = (await response.json()) as { secret: string; id: string };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created).toEqual({
      id: created.id,
      url: URL,
      description: '',
      eventTypes: TYPES,
      enabled: true,
      state: 'active',
      heldSince: null,
      heldReason: null,
      nextProbeAt: null,
      disabledReason: null,
      failingSince: null,
      lastDeliveredAt: null,
      waiting: 0,
      formerSecretValidUntil: null,
      keepResponseBodies: false,
      createdAt: expect.stringMatching(/^2\d{3}-/),
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('location')).toBe(`/v1/projects/${project.id}/event-endpoints/${created.id}`);
    const read = await send('GET', `/${created.id}`);
    expect(read.headers.get('etag')).toBe(response.headers.get('etag'));
    expect(await read.json()).toEqual(created);
    expect(await readJson(project, '/event-endpoints')).toEqual({ items: [created], nextCursor: null });
    expect(await auditOf(created.id)).toEqual(['event_endpoint.create']);
  });

  it.each([
    ['no body member', {}],
    ['no types', { url: URL, eventTypes: [] }],
    ['a star', { url: URL, eventTypes: ['*'] }],
    ['an unknown type', { url: URL, eventTypes: ['scan.finished', 'scan.started'] }],
    ['a type twice', { url: URL, eventTypes: ['scan.finished', 'scan.finished'] }],
    ['types that are no list', { url: URL, eventTypes: 'scan.finished' }],
    ['a URL that is no text', { url: 5, eventTypes: TYPES }],
    ['an unknown member', { url: URL, eventTypes: TYPES, secret: 'whsec_x' }],
    ['enabled as a text', { url: URL, eventTypes: TYPES, enabled: 'yes' }],
    ['enabled as null', { url: URL, eventTypes: TYPES, enabled: null }],
    ['a description of two lines', { url: URL, eventTypes: TYPES, description: 'a\nb' }],
    ['a long description', { url: URL, eventTypes: TYPES, description: 'x'.repeat(201) }],
  ])('is refused with %s', async (_, body) => {
    await fresh();
    const response = await send('POST', '', body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ code: 'validation_failed' });
    expect(await readJson(project, '/event-endpoints')).toMatchObject({ items: [] });
  });

  it('takes no URL that forwarding would refuse, at creation and in a change', async () => {
    await fresh();
    const { id } = await createEndpoint(project, { url: URL });
    for (const url of REFUSED_URLS) {
      for (const [method, path] of [
        ['POST', ''],
        ['PATCH', `/${id}`],
      ] as const) {
        const response = await send(method, path, { url, ...(method === 'POST' && { eventTypes: TYPES }) });
        const { errors } = (await response.json()) as { errors: { field: string }[] };
        expect({ url, status: response.status, field: errors[0]?.field }).toEqual({
          url,
          status: 422,
          field: 'url',
        });
      }
    }
    expect(await readJson(project, `/event-endpoints/${id}`)).toMatchObject({ url: URL });
  });

  it('changes member by member, and only what is given', async () => {
    await fresh();
    const { id } = await createEndpoint(project, { url: URL, eventTypes: TYPES, description: 'One' });
    const changed = await send('PATCH', `/${id}`, { eventTypes: ['member.left'] });
    expect(await changed.json()).toMatchObject({ url: URL, description: 'One', eventTypes: ['member.left'] });
    const off = await send('PATCH', `/${id}`, { enabled: false });
    expect(await off.json()).toMatchObject({ enabled: false, state: 'disabled', disabledReason: 'owner' });
    const on = await send('PATCH', `/${id}`, { enabled: true });
    expect(await on.json()).toMatchObject({ enabled: true, state: 'active', disabledReason: null });
    expect((await send('PATCH', `/${id}`, {})).status).toBe(200);
    expect(await auditOf(id)).toEqual([
      'event_endpoint.update',
      'event_endpoint.update',
      'event_endpoint.update',
      'event_endpoint.create',
    ]);
  });

  it('honors If-Match in a change and a deletion', async () => {
    await fresh();
    const { id } = await createEndpoint(project, { url: URL });
    const first = (await send('GET', `/${id}`)).headers.get('etag') ?? '';
    const second = await send('PATCH', `/${id}`, { description: 'New' }, { 'if-match': first });
    expect(second.status).toBe(200);
    expect(second.headers.get('etag')).not.toBe(first);
    const late = await send('PATCH', `/${id}`, { description: 'Late' }, { 'if-match': first });
    expect([late.status, await late.json()]).toEqual([
      412,
      expect.objectContaining({ code: 'version_conflict' }),
    ]);
    expect((await send('DELETE', `/${id}`, undefined, { 'if-match': first })).status).toBe(412);
    const tag = (await send('GET', `/${id}`)).headers.get('etag') ?? '';
    expect((await send('DELETE', `/${id}`, undefined, { 'if-match': tag })).status).toBe(204);
    expect((await send('GET', `/${id}`)).status).toBe(404);
    expect(await auditOf(id)).toContain('event_endpoint.delete');
  });

  it('is one of ten at most', async () => {
    await fresh();
    for (let number = 0; number < 9; number++) await createEndpoint(project, { url: URL });
    // Two at once: one of them is the tenth.
    const both = await Promise.all([0, 1].map(() => send('POST', '', { url: URL, eventTypes: TYPES })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const response = await send('POST', '', { url: URL, eventTypes: TYPES });
    expect(await response.json()).toMatchObject({ status: 409, code: 'event_endpoint_limit_reached' });
  });

  it("is not found in another project, by a malformed id, or by another project's key", async () => {
    await fresh();
    const { id } = await createEndpoint(project, { url: URL });
    const stranger = await createTestProject(service);
    for (const [method, path, body] of [
      ['GET', `/${id}`, undefined],
      ['PATCH', `/${id}`, { enabled: false }],
      ['DELETE', `/${id}`, undefined],
      ['POST', `/${id}/rotate-secret`, undefined],
      ['POST', `/${id}/resume`, undefined],
      ['POST', `/${id}/test`, undefined],
      ['GET', `/${id}/deliveries`, undefined],
      ['GET', '/none', undefined],
      ['POST', '/none/recover', { since: new Date().toISOString() }],
    ] as const) {
      const response = await stranger.request('owner', method, `/event-endpoints${path}`, body);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await response.json()).toMatchObject({ code: 'event_endpoint_not_found' });
    }
    expect(await readJson(project, `/event-endpoints/${id}`)).toMatchObject({ enabled: true });
  });

  it('keeps its secret encrypted, and shows a new one once at a rotation', async () => {
    await fresh();
    const { id, secret } = await createEndpoint(project, { url: URL });
    const response = await send('POST', `/${id}/rotate-secret`);
    const rotated = (await response.json()) as { secret: string; formerSecretValidUntil: string };
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    const hours = (Date.parse(rotated.formerSecretValidUntil) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    const rows = await service.database.query('select e::text as row from event_endpoint e where id = $1', [
      id,
    ]);
    const audit = await (await project.request('owner', 'GET', '/audit')).text();
    for (const place of [
      JSON.stringify(rows),
      audit,
      JSON.stringify(await readJson(project, `/event-endpoints/${id}`)),
    ])
      for (const each of [secret, rotated.secret]) expect(place).not.toContain(each.slice('whsec_'.length));
    expect((await send('DELETE', `/${id}/former-secret`)).status).toBe(204);
    expect(await readJson(project, `/event-endpoints/${id}`)).toMatchObject({ formerSecretValidUntil: null });
  });
});

describe('by hand', () => {
  it('recovers at most 14 days, and nothing of the future', async () => {
    await fresh();
    const { id } = await createEndpoint(project, { url: URL });
    const recover = async (ms: number): Promise<number> => {
      const since = new Date(Date.now() + ms);
      return (await send('POST', `/${id}/recover`, { since })).status;
    };
    const fortnight = -14 * 86_400_000;
    expect([await recover(fortnight - 60_000), await recover(600_000)]).toEqual([422, 422]);
    expect(await recover(fortnight + 60_000)).toBe(202);
  });

  it('refuses events of another project, and of a type that the endpoint does not list', async () => {
    await fresh();
    const { id } = await createEndpoint(project, { url: URL, eventTypes: ['scan.finished'] });
    await makeEvent(project);
    const { items } = await readJson<{ items: { id: string }[] }>(project, '/events');
    for (const eventId of [items[0]?.id, newId(), 'none'])
      for (const what of ['resend', 'skip']) {
        const response = await send('POST', `/${id}/deliveries/${eventId}/${what}`);
        expect([response.status, await response.json()]).toMatchObject([404, { code: 'event_not_found' }]);
      }
    expect(await readJson(project, `/event-endpoints/${id}/deliveries`)).toMatchObject({ items: [] });
  });
});

describe('GET /v1/event-types', () => {
  it('lists every type with a schema that its example fits, to anyone', async () => {
    const response = await fetch(`${service.baseUrl}/v1/event-types`);
    const { items } = (await response.json()) as {
      items: {
        type: string;
        group: string;
        schema: { properties: Record<string, unknown> };
        example: object;
      }[];
    };
    expect(response.status).toBe(200);
    expect(items.length).toBeGreaterThan(15);
    for (const { type, group, example, schema } of items) {
      expect(type).toMatch(/^[a-z_]+\.[a-z_]+$/);
      expect(type.startsWith(`${group}.`)).toBe(true);
      expect(example).toMatchObject({
        type,
        data: { projectId: expect.any(String), url: expect.stringMatching(/^http/) },
      });
      const data = (schema.properties as { data: { properties: object } }).data.properties;
      expect(Object.keys((example as { data: object }).data)).toEqual(Object.keys(data));
    }
    const document = readFileSync('docs/events.md', 'utf8');
    const documented = [...document.matchAll(/^\| `([a-z_]+\.[a-z_]+)`/gm)].map(([, type]) => type);
    expect(documented).toEqual(items.map(({ type }) => type));
  });
});
