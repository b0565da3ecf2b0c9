import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHOICE } from '../support/pipeline.js';
import { createTestProject, type TestProject } from '../support/project.js';
import { startTestService, type TestService } from '../support/service.js';
import { BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/user.js';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NAMED = { visitorReferenceField: 'customerId', visitorReferenceHashed: false };
const SETTINGS = { enabled: false, endpointUrl: null, authMode: 'none' };

let service: TestService;
let project: TestProject;
let user: TestUser;

beforeAll(async () => {
  service = await startTestService(BEHIND_LOOPBACK_PROXY);
  project = await createTestProject(service, { tier: 'business' });
  user = await signUp(service);
});
afterAll(() => service.close());

const send = (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${service.baseUrl}${path}`, { method, ...init });

describe('what HTTP asks of an answer', () => {
  it.each([
    ['without a credential', {}],
    ['with a key that is none', { authorization: 'Bearer nothing' }],
  ])('401 says how to authenticate, %s', async (_which, headers) => {
    const response = await send('GET', `/v1/projects/${project.id}`, { headers });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="Service"',
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('says so for a wrong password too', async () => {
    const response = await send('POST', '/v1/auth/sign-in/email', {
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.9' },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' }),
    });
    expect([response.status, response.headers.has('www-authenticate')]).toEqual([401, true]);
  });

  it.each([
    ['application/x-www-form-urlencoded', 'enabled=false'],
    ['text/plain', JSON.stringify(SETTINGS)],
    ['', JSON.stringify(SETTINGS)],
  ])('a body of type %j is 415 and changes nothing', async (type, body) => {
    const response = await send('PUT', `/v1/projects/${project.id}/forwarding`, {
      headers: { authorization: `Bearer ${project.keys.editor}`, 'content-type': type },
      body,
    });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      415,
      'unsupported_media_type',
    ]);
  });

  it.each([
    ['PUT', '/v1/projects', 'GET, HEAD, POST'],
    ['POST', '/v1/pricing', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/v1/projects/x/forwarding', 'GET, HEAD, PUT'],
    ['PATCH', '/v1/projects/x/consents', 'GET, HEAD, POST'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['GET', '/v1/webhooks/billing', 'POST'],
  ])('%s %s is 405 and names the methods that there are', async (method, path, allow) => {
    const response = await send(method, path);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await response.json()).toMatchObject({ code: 'method_not_allowed' });
  });

  it.each(['/v1/nothing', '/v1/projects/x/nothing', '/nothing', '/%ff'])(
    'a path that nobody knows is none of those: %s',
    async (path) => {
      const response = await send('DELETE', path);
      expect([400, 404]).toContain(response.status);
      expect(response.headers.has('allow')).toBe(false);
    },
  );

  it('201 says where the new thing is', async () => {
    const made = await user.request('POST', '/v1/projects', { name: 'Mine' });
    const { id } = (await made.json()) as { id: string };
    expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/projects/${id}`]);
    expect((await user.request('GET', made.headers.get('location') ?? '')).status).toBe(200);

    const key = await user.request('POST', `/v1/projects/${id}/api-keys`, { name: 'k', role: 'viewer' });
    const { id: keyId } = (await key.json()) as { id: string };
    expect([key.status, key.headers.get('location')]).toEqual([201, `/v1/projects/${id}/api-keys/${keyId}`]);

    const other = await signUp(service);
    const member = await user.request('POST', `/v1/projects/${id}/members`, {
      email: other.email,
      role: 'viewer',
    });
    expect([member.status, member.headers.get('location')]).toEqual([
      201,
      `/v1/projects/${id}/members/${other.id}`,
    ]);

    const post = (): Promise<Response> =>
      send('POST', `/v1/projects/${project.id}/consents`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(CHOICE),
      });
    const consent = await post();
    const { id: consentId } = (await consent.json()) as { id: string };
    expect(consent.headers.get('location')).toBe(`/v1/projects/${project.id}/consents/${consentId}`);
    expect(
      (await project.request('viewer', 'GET', `/consents/${consentId}`)).headers.get('cache-control'),
    ).toBe('no-store');
  });

  it.each([
    '',
    '/forwarding',
    '/configuration',
    '/tier',
    '/consents',
    '/subscription',
    '/analytics/consents',
  ])('what a credential opens is kept by nobody: GET /v1/projects/:id%s', async (path) => {
    const response = await project.request('viewer', 'GET', path);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  it('names fields as they were sent', async () => {
    const response = await project.request('editor', 'PUT', '/forwarding', {
      ...SETTINGS,
      endpointUrl: 7,
      authMode: 'x',
    });
    const { errors } = (await response.json()) as { errors: { field: string; message: string }[] };
    expect(errors.map(({ field }) => field).toSorted()).toEqual(['authMode', 'endpointUrl']);
    for (const { field, message } of errors) expect(message.startsWith(field)).toBe(true);
  });
});

describe('If-Match', () => {
  it.each([
    ['PUT', '/forwarding', SETTINGS, { ...SETTINGS, endpointUrl: 'https://receiver.example.com/a' }],
    ['PATCH', '', { name: 'One' }, { name: 'Two' }],
    ['PUT', '/privacy', NAMED, { ...NAMED, visitorReferenceHashed: true }],
  ])('is honoured by %s /v1/projects/:id%s where it is given', async (method, path, first, second) => {
    const change = (body: object, ifMatch?: string): Promise<Response> =>
      send(method, `/v1/projects/${project.id}${path}`, {
        headers: {
          authorization: `Bearer ${project.keys.owner}`,
          'content-type': 'application/json',
          ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        },
        body: JSON.stringify(body),
      });
    const read = await project.request('viewer', 'GET', path);
    const before = read.headers.get('etag') ?? '';
    expect(before).toMatch(/^"[\w-]{22}"$/);
    const changed = await change(second, before);
    expect(changed.status).toBe(200);
    const after = changed.headers.get('etag') ?? '';
    expect(after).not.toBe(before);
    expect((await project.request('viewer', 'GET', path)).headers.get('etag')).toBe(after);

    const stale = await change(first, before);
    expect([stale.status, ((await stale.json()) as { code: string }).code]).toEqual([
      412,
      'version_conflict',
    ]);
    expect((await project.request('viewer', 'GET', path)).headers.get('etag')).toBe(after);
    expect((await change(first, `"x", ${after}`)).status).toBe(200);
    expect((await change(second, '*')).status).toBe(200);
    expect((await change(first)).status).toBe(200);
  });
});

describe('instants of members', () => {
  it('are ISO 8601 in the list and after a change of role', async () => {
    const made = await user.request('POST', '/v1/projects', { name: 'Ours' });
    const { id } = (await made.json()) as { id: string };
    const other = await signUp(service);
    await user.request('POST', `/v1/projects/${id}/members`, { email: other.email, role: 'viewer' });
    const list = (await (await user.request('GET', `/v1/projects/${id}/members`)).json()) as {
      items: { createdAt: string }[];
    };
    const changed = (await (
      await user.request('PATCH', `/v1/projects/${id}/members/${other.id}`, { role: 'editor' })
    ).json()) as { createdAt: string };
    for (const { createdAt } of [...list.items, changed]) expect(createdAt).toMatch(INSTANT);
  });
});
