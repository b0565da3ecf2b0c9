import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { visitorKeyHash } from '../../src/modules/consent/domain/visitor-reference.js';
import { uuidTimeMs } from '../../src/platform/identity/ids.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const LIMIT = 3;
const PROXY_LIMIT = 5;
const NETWORK_LIMIT = 6;
const VISITOR_LIMIT = 4;
const CHOICE = { analytics: true, marketing: false, preferences: false, action: 'custom' };
const VISITOR = '198.51.100.7';

let service: TestService;
let project: TestProject;
let secret: string;

beforeAll(async () => {
  service = await startTestService({
    INGEST_RATE_PER_MINUTE: String(LIMIT),
    INGEST_NETWORK_RATE_PER_MINUTE: String(NETWORK_LIMIT),
    VISITOR_RATE_PER_MINUTE: String(VISITOR_LIMIT),
    INGEST_PROXY_RATE_PER_MINUTE: String(PROXY_LIMIT),
    TRUSTED_PROXIES: '127.0.0.1',
    COUNTRY_HEADER: 'cf-ipcountry',
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  project = await createTestProject(service, { domains: ['www.shop.example'] });
  secret = String((await createSecret())['secret']);
});

async function createSecret(body?: object): Promise<Json> {
  const response = await project.request('editor', 'POST', '/first-party/proxy/secret', body);
  expect(response.status).toBe(201);
  return (await response.json()) as Json;
}

const at = (path: string): string => `${service.baseUrl}/first-party/${project.id}${path}`;

/** As the customer's proxy at 203.0.113.1 sends it, behind the operator's own. */
function send(
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: object } = {},
): Promise<Response> {
  return fetch(at(path), {
    method,
    headers: { 'x-forwarded-for': `${VISITOR}, 203.0.113.1`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}
const proven = (headers: object = {}): object => ({ 'x-service-proxy-secret': secret, ...headers });
const choose = (headers: object = {}): Promise<Response> =>
  send(`/v1/projects/${project.id}/consents`, {
    method: 'POST',
    headers: { origin: 'https://www.shop.example', ...headers },
    body: CHOICE,
  });
const proxy = async (): Promise<Json> =>
  (await (await project.request('viewer', 'GET', '/first-party/proxy')).json()) as Json;
const statuses = async (requests: Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(requests)).map(({ status }) => status).toSorted();
const configuration = async (headers: object = {}): Promise<{ body: Json; headers: Headers }> => {
  const response = await send(`/cdn/${project.id}/config.json`, { headers });
  expect(response.status).toBe(200);
  return { body: (await response.json()) as Json, headers: response.headers };
};

describe('addresses', () => {
  it('are relative to the loader, with and without a secret', async () => {
    for (const headers of [proven(), {}]) {
      const { body } = await configuration(headers);
      const base = `https://www.shop.example/consent/cdn/${project.id}/loader.js`;
      expect(new URL(String(body['consentUrl']), base).href).toBe(
        `https://www.shop.example/consent/v1/projects/${project.id}/consents`,
      );
    }
  });

  it('have the prefix of a proven proxy in Location', async () => {
    const response = await choose(proven({ 'x-forwarded-prefix': '/consent' }));
    const { id } = (await response.json()) as { id: string };
    expect(response.headers.get('location')).toBe(`/consent/v1/projects/${project.id}/consents/${id}`);
    const unproven = await choose({ 'x-forwarded-prefix': '/consent' });
    expect(unproven.headers.get('location')).toMatch(/^\/v1\//);
  });

  it('of the service itself stay as they were', async () => {
    const response = await fetch(`${service.baseUrl}/cdn/${project.id}/config.json`);
    expect(((await response.json()) as Json)['consentUrl']).toBe(`/v1/projects/${project.id}/consents`);
  });
});

describe('the visitor’s country', () => {
  it('comes from a proven proxy alone', async () => {
    const named = { 'x-service-visitor-country': 'US', 'x-service-visitor-subdivision': 'CA' };
    expect((await configuration(proven(named))).body).toMatchObject({ region: 'US-CA', isEu: false });
    expect((await configuration(named)).body).toMatchObject({ region: 'XX', isEu: true });
  });

  it('is never that of the proxy', async () => {
    const edge = { 'cf-ipcountry': 'US' };
    expect((await configuration(edge)).body).toMatchObject({ region: 'XX', isEu: true });
    expect((await configuration(proven(edge))).body).toMatchObject({ region: 'XX', isEu: true });
  });

  it('is not kept by shared caches', async () => {
    const { headers } = await configuration(proven({ 'x-service-visitor-country': 'DE' }));
    expect(headers.get('cache-control')).toMatch(/^private,/);
  });
});

describe('the limit', () => {
  it('counts the visitor that a proven proxy names', async () => {
    const from = (address: string): Promise<Response> =>
      choose(proven({ 'x-service-visitor-address': address }));
    const one = Array.from({ length: LIMIT + 1 }, () => from('192.0.2.1'));
    expect(await statuses(one)).toEqual([...Array<number>(LIMIT).fill(201), 429]);
    expect((await from('192.0.2.2')).status).toBe(201);
  });

  it('counts an address that a proven proxy names for its project alone', async () => {
    const address = '192.0.2.55';
    const named = proven({ 'x-service-visitor-address': address });
    const post = (url: string, headers: object, body: object): Promise<Response> =>
      fetch(url, { method: 'POST', headers: { ...headers }, body: JSON.stringify(body) });
    const wrong = { projectId: project.id, visitorKey: 'a'.repeat(76) };
    const visitors = Array.from({ length: VISITOR_LIMIT + 1 }, () =>
      send('/v1/visitor/records', { method: 'POST', headers: named, body: wrong }),
    );
    expect((await statuses(visitors)).filter((status) => status === 429)).toHaveLength(1);
    const own = { 'x-forwarded-for': address };
    expect((await post(`${service.baseUrl}/v1/visitor/records`, own, wrong)).status).not.toBe(429);
    // Neither does it count for the limit of a network over all projects.
    const others = await Promise.all(Array.from({ length: NETWORK_LIMIT }, () => createTestProject(service)));
    for (const { id, request } of others) {
      const created = (await (await request('editor', 'POST', '/first-party/proxy/secret')).json()) as Json;
      const headers = {
        'x-service-proxy-secret': String(created['secret']),
        'x-service-visitor-address': address,
      };
      const url = `${service.baseUrl}/first-party/${id}/v1/projects/${id}/consents`;
      expect((await post(url, headers, CHOICE)).status).toBe(201);
    }
    const direct = await post(`${service.baseUrl}/v1/projects/${project.id}/consents`, own, CHOICE);
    expect(direct.status).toBe(201);
  });

  it('counts the address behind a proven proxy where it names none', async () => {
    const all = Array.from({ length: LIMIT + 1 }, () => choose(proven()));
    expect(await statuses(all)).toEqual([...Array<number>(LIMIT).fill(201), 429]);
    expect((await choose(proven({ 'x-forwarded-for': '192.0.2.9, 203.0.113.1' }))).status).toBe(201);
  });

  it('counts an unproven proxy as a whole, whatever addresses it names', async () => {
    const all = Array.from({ length: PROXY_LIMIT + 1 }, (_, n) =>
      choose({ 'x-service-visitor-address': `192.0.2.${n}`, 'x-forwarded-for': `192.0.2.${n}` }),
    );
    expect(await statuses(all)).toEqual([...Array<number>(PROXY_LIMIT).fill(201), 429]);
    // The proven one has its own.
    expect((await choose(proven())).status).toBe(201);
  });
});

describe('the secret', () => {
  it('stays valid for the time of a rotation, and is stored as a hash', async () => {
    const rotated = await createSecret({ formerValidHours: 1 });
    expect(rotated['secret']).not.toBe(secret);
    expect(Date.parse(String(rotated['formerValidUntil'])) - Date.now()).toBeGreaterThan(3_500_000);
    const named = { 'x-service-visitor-country': 'US' };
    expect((await configuration(proven(named))).body).toMatchObject({ region: 'US' });
    const rows = await service.database.query('select * from first_party_proxy where project_id = $1', [
      project.id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('ends at once with an overlap of 0 hours, with forgetting, and with removal', async () => {
    for (const end of [
      () => createSecret({ formerValidHours: 0 }),
      async () => {
        await createSecret();
        await project.request('editor', 'DELETE', '/first-party/proxy/secret/former');
      },
      () => project.request('editor', 'DELETE', '/first-party/proxy/secret'),
    ]) {
      project = await createTestProject(service);
      secret = String((await createSecret())['secret']);
      await end();
      const { body } = await configuration(proven({ 'x-service-visitor-country': 'US' }));
      expect(body['region']).toBe('XX');
    }
    expect(await proxy()).toMatchObject({ secretCreatedAt: null, formerValidUntil: null });
    // A new secret has no former one.
    expect((await createSecret())['formerValidUntil']).toBeNull();
  });

  it('ends in its project alone, and once', async () => {
    await createSecret();
    const other = project;
    project = await createTestProject(service);
    await createSecret();
    await createSecret();
    for (const path of ['/secret/former', '/secret', '/secret/former', '/secret'])
      expect((await project.request('editor', 'DELETE', `/first-party/proxy${path}`)).status).toBe(204);
    const audited = await service.database.query<{ action: string }>(
      'select action from audit_event where project_id = $1 order by id',
      [project.id],
    );
    const actions = ['create', 'create', 'forget_former', 'remove'];
    expect(audited).toEqual(actions.map((verb) => ({ action: `proxy_secret.${verb}` })));
    project = other;
    expect(await proxy()).toMatchObject({
      secretCreatedAt: expect.any(String),
      formerValidUntil: expect.any(String),
    });
    await service.database.query(
      `update first_party_proxy set former_valid_until = now() - interval '1 second' where project_id = $1`,
      [project.id],
    );
    expect((await proxy())['formerValidUntil']).toBeNull();
  });

  it('proves nothing for another project', async () => {
    const other = await createTestProject(service);
    const response = await fetch(`${service.baseUrl}/first-party/${other.id}/cdn/${other.id}/config.json`, {
      headers: { ...proven({ 'x-service-visitor-country': 'US' }) },
    });
    expect(((await response.json()) as Json)['region']).toBe('XX');
  });
});

describe('the state', () => {
  it('names proven and unproven requests', async () => {
    expect(await proxy()).toMatchObject({ state: 'not_seen', provenAt: null, unprovenAt: null });
    await configuration(proven({ 'x-forwarded-host': 'www.shop.example:443', 'x-forwarded-prefix': '/c' }));
    await until('proven', async () => (await proxy())['state'] === 'proven');
    expect(await proxy()).toMatchObject({ host: 'www.shop.example', prefix: '/c' });
    await configuration({ 'x-forwarded-host': 'evil.example' });
    await until('unproven', async () => (await proxy())['state'] === 'unproven');
    expect(await proxy()).toMatchObject({ host: 'www.shop.example' });
  });

  it('stores nothing for a project that does not exist', async () => {
    const id = '0192f0c4-0000-7000-8000-00000000dead';
    await fetch(`${service.baseUrl}/first-party/${id}/cdn/${id}/config.json`);
    const rows = await service.database.query('select from first_party_proxy where project_id = $1', [id]);
    expect(rows).toEqual([]);
  });
});

describe('what passes', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/metrics'],
    ['GET', '/health/ready'],
    ['POST', '/v1/auth/sign-in/email'],
    ['GET', '/v1/projects'],
    ['GET', '/v1/pricing'],
  ])('%s %s does not', async (method, path) => {
    const response = await send(path, { method, headers: proven() });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });

  it('another project’s routes do not', async () => {
    const other = await createTestProject(service);
    const response = await send(`/cdn/${other.id}/config.json`, { headers: proven() });
    expect(response.status).toBe(404);
  });

  it('loader, blocker, declaration, preflights and visitors’ requests do', async () => {
    for (const file of ['loader.js', 'blocker.js', 'declaration.js', 'declaration.html'])
      expect((await send(`/cdn/${project.id}/${file}`)).status).toBe(200);
    const consents = `/v1/projects/${project.id}/consents`;
    expect((await send(consents, { method: 'OPTIONS' })).status).toBe(204);
    const visitor = await send('/v1/visitor/records', { method: 'POST', body: {} });
    expect(visitor.status).toBe(422);
  });

  it('a session of the service does not count through a proxy', async () => {
    // Credentials are dropped ahead of everything, so even a route that passes never sees them.
    const response = await send(`/v1/projects/${project.id}/consents`, {
      headers: { authorization: `Bearer ${project.keys.owner}` },
    });
    expect(response.status).toBe(404);
  });

  it('a request in absolute form does', async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const status = await new Promise((resolve, reject) => {
      const path = `http://consent.example.com/first-party/${project.id}/cdn/${project.id}/config.json`;
      httpRequest({ hostname, port, path }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
  });
});

describe('the choice cookie', () => {
  const VISITOR_KEY = `${Date.now().toString(16).padStart(12, '0')}${'ab'.repeat(32)}`;
  const store = async (headers: object = {}): Promise<{ id: string; cookies: string[] }> => {
    const response = await send(`/v1/projects/${project.id}/consents`, {
      method: 'POST',
      headers: { origin: 'https://www.shop.example', ...headers },
      body: {
        analytics: true,
        marketing: false,
        preferences: true,
        action: 'custom',
        policyVersion: '2026-01',
        visitorKeyHash: visitorKeyHash(VISITOR_KEY).toString('hex'),
      },
    });
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as { id: string };
    return { id, cookies: response.headers.getSetCookie() };
  };
  const visitor = async (name: string): Promise<string[]> => {
    const response = await send(`/v1/visitor/${name}`, {
      method: 'POST',
      headers: proven({ 'x-forwarded-host': 'www.shop.example' }),
      body: { projectId: project.id, visitorKey: VISITOR_KEY },
    });
    expect(response.ok).toBe(true);
    return response.headers.getSetCookie();
  };

  it('is the host’s own, for as long as the choice counts', async () => {
    const { id, cookies } = await store();
    const seconds = Math.floor(uuidTimeMs(id) / 1000);
    expect(cookies).toEqual([
      `__Host-service-consent=v1.101.${seconds}.2026-01; Path=/; Secure; SameSite=Lax; Max-Age=31536000`,
    ]);
  });

  it('is for all subdomains where the project shares choices, and the host is proven', async () => {
    const saved = await project.request('editor', 'PUT', '/configuration', {
      banner: { enabled: true, shareSubdomains: true },
    });
    expect(saved.status).toBe(200);
    expect((await store({ 'x-forwarded-host': 'www.shop.example' })).cookies[0]).toMatch(/^__Host-/);
    const { cookies } = await store(proven({ 'x-forwarded-host': 'www.shop.example' }));
    expect(cookies[0]).toMatch(/^service-consent=v1\.101\..*; Domain=shop\.example$/);
  });

  it('holds the refusal after a withdrawal, and is deleted with the records', async () => {
    await store();
    expect((await visitor('withdrawals'))[0]).toMatch(/^__Host-service-consent=v1\.000\./);
    expect(await visitor('records')).toEqual([]);
    const erased = await visitor('erasures');
    expect(erased).toHaveLength(2);
    for (const cookie of erased) expect(cookie).toMatch(/^(__Host-)?service-consent=; .*Max-Age=0/);
  });

  it('is not set where a record was refused, nor on the service’s own host', async () => {
    const refused = await send(`/v1/projects/${project.id}/consents`, { method: 'POST', body: {} });
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([422, []]);
    const own = await fetch(`${service.baseUrl}/v1/projects/${project.id}/consents`, {
      method: 'POST',
      headers: { 'x-forwarded-for': '192.0.2.77', 'x-service-proxy-secret': secret },
      body: JSON.stringify({ analytics: true, marketing: false, preferences: false, action: 'custom' }),
    });
    expect([own.status, own.headers.getSetCookie()]).toEqual([201, []]);
  });

  it('is named in the configuration of a proxied site alone', async () => {
    expect((await configuration()).body).toMatchObject({ choiceCookie: 'host' });
    const own = await fetch(`${service.baseUrl}/cdn/${project.id}/config.json`);
    expect(await own.json()).not.toHaveProperty('choiceCookie');
  });
});
