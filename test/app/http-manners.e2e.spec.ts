import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { UNDER_WAY_PER_CREDENTIAL_MAX } from '../../src/platform/http/requests-under-way.js';
import { CHOICE } from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';
import { becomeMember, BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/people/user.js';

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

describe('the bound on requests under way', () => {
  it('counts by session, whatever else the cookie holds', async () => {
    const person = await signUp(service);
    const hold = new Agent();
    const held = Array.from({ length: UNDER_WAY_PER_CREDENTIAL_MAX }, (_, number) =>
      request(`${service.baseUrl}/v1/projects`, {
        agent: hold,
        method: 'POST',
        headers: {
          cookie: `j=${number}; ${person.cookie}; k=${number}`,
          'content-type': 'application/json',
          'content-length': 10,
          expect: '100-continue',
        },
      }),
    );
    try {
      // The service has each of them, and waits for its body.
      await Promise.all(
        held.map((each) => {
          each.on('error', () => undefined).flushHeaders();
          return once(each, 'continue');
        }),
      );
      const me = (cookie: string): Promise<Response> => send('GET', '/v1/me', { headers: { cookie } });
      const refused = await me(`${person.cookie}; j=another`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await refused.json()).toMatchObject({ code: 'too_many_requests' });
      const get = (headers: Record<string, string>): Promise<Response> =>
        send('GET', '/v1/auth/get-session', { headers });
      const both = await get({ cookie: person.cookie, authorization: 'Bearer another' });
      expect(both.status).toBe(429);
      expect((await me(user.cookie)).status).toBe(200);
    } finally {
      for (const each of held) each.destroy();
      hold.destroy();
    }
    await until(
      'the session has room again',
      async () => (await person.request('GET', '/v1/me')).status === 200,
    );
  });
});

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
    ['PUT', '/v1/projects/x/consents/export', 'GET, HEAD'],
    ['DELETE', '/v1/projects/x/consents/export', 'GET, HEAD'],
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
    expect(await (await user.request('GET', key.headers.get('location') ?? '')).json()).toMatchObject({
      id: keyId,
      name: 'k',
      revokedAt: null,
    });

    for (const path of ['members', 'invitations']) {
      const invited = await user.request('POST', `/v1/projects/${id}/${path}`, {
        email: `${path}@example.com`,
        role: 'viewer',
      });
      const invitation = (await invited.json()) as { id: string };
      const location = `/v1/projects/${id}/invitations/${invitation.id}`;
      expect([invited.status, invited.headers.get('location')]).toEqual([201, location]);
      expect(await (await user.request('GET', location)).json()).toEqual(invitation);
    }

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

describe('If-None-Match', () => {
  it.each(['', '/configuration', '/configuration/draft', '/forwarding', '/privacy', '/tier', '/consents'])(
    'brings no 304 from GET /v1/projects/:id%s, which is kept by nobody',
    async (path) => {
      const first = await project.request('owner', 'GET', path);
      const headers = { authorization: `Bearer ${project.keys.owner}` };
      for (const tag of ['*', first.headers.get('etag') ?? '"x"']) {
        const again = await send('GET', `/v1/projects/${project.id}${path}`, {
          headers: { ...headers, 'if-none-match': tag },
        });
        expect([tag, again.status]).toEqual([tag, 200]);
      }
    },
  );

  it('and an ETag is there only where a change can be based on it, or a cache may keep the answer', async () => {
    for (const path of ['/tier', '/consents', '/members', '/api-keys'])
      expect((await project.request('owner', 'GET', path)).headers.get('etag')).toBeNull();
    const { headers } = await send('GET', '/v1/pricing');
    const again = await send('GET', '/v1/pricing', {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });
});

describe('a query', () => {
  it.each([
    ['/consents?limit=2.5', 'limit must be a whole number.'],
    ['/consents?limit=x', 'limit must be a whole number.'],
    ['/consents?limit=201', 'limit must be from 1 to 200.'],
    ['/consents?from=1999-01-01T00:00:00Z', 'from must be from 2000-01-01 to 2100-01-01.'],
    ['/consents?from=2150-01-01', 'from must be from 2000-01-01 to 2100-01-01.'],
    ['/consents?from=yesterday', 'from must be an ISO 8601 instant, e.g. 2026-11-20T12:00:00Z.'],
    ['/consents?from=2026-02-30', 'from must be an ISO 8601 instant, e.g. 2026-11-20T12:00:00Z.'],
    ['/tier?hostname=no%20host', 'hostname must be a hostname such as www.example.com.'],
    ['/tier?hostname=https://example.com/', 'hostname must be a hostname such as www.example.com.'],
    ['/tier?hostname=%2E%2E', 'hostname must be a hostname such as www.example.com.'],
    ['/tier?hostname=', 'hostname must be a hostname such as www.example.com.'],
  ])('%s is refused with one true sentence', async (path, message) => {
    const response = await project.request('owner', 'GET', path);
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    expect(errors.map((error) => error.message)).toEqual([message]);
  });

  it.each(['www.example.com', 'EXAMPLE.com:8080', '127.0.0.1', '[::1]:80', 'bücher.example', 'localhost'])(
    'names a host: %s',
    async (hostname) => {
      const path = `/tier?hostname=${encodeURIComponent(hostname)}`;
      expect((await project.request('viewer', 'GET', path)).status).toBe(200);
    },
  );
});

describe('a refusal of a body', () => {
  const signIn = async (body: object): Promise<string> => {
    const response = await send('POST', '/v1/auth/sign-in/email', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(422);
    return response.text();
  };

  it('names at most 100 fields, and is hardly larger than the body', async () => {
    const body = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`k${at}`, 1]));
    const text = await signIn(body);
    expect((JSON.parse(text) as { errors: unknown[] }).errors).toHaveLength(100);
    expect(text.length).toBeLessThan(JSON.stringify(body).length);
    expect((await signIn({ ['n'.repeat(15_000)]: 1 })).length).toBeLessThan(1_000);
  });

  it('is about the address where it is no text that UTF-8 can hold', async () => {
    const text = await signIn({ email: '\ud800', password: 'correct horse battery' });
    expect(JSON.parse(text)).toMatchObject({ errors: [{ field: 'email', code: 'email' }] });
  });
});

describe('If-Match', () => {
  it.each([
    ['PUT', '/forwarding', SETTINGS, { ...SETTINGS, endpointUrl: 'https://receiver.example.com/a' }],
    ['PATCH', '', { name: 'One' }, { name: 'Two' }],
    ['PUT', '/privacy', NAMED, { ...NAMED, visitorReferenceHashed: true }],
    ['PUT', '/scan-schedule', { frequency: 'monthly' }, { frequency: 'weekly' }],
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
    await becomeMember((body) => user.request('POST', `/v1/projects/${id}/members`, body), other, 'viewer');
    const list = (await (await user.request('GET', `/v1/projects/${id}/members`)).json()) as {
      items: { createdAt: string }[];
    };
    const changed = (await (
      await user.request('PATCH', `/v1/projects/${id}/members/${other.id}`, { role: 'editor' })
    ).json()) as { createdAt: string };
    for (const { createdAt } of [...list.items, changed]) expect(createdAt).toMatch(INSTANT);
  });
});
