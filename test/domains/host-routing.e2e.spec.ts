import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { visitorKeyHash } from '../../src/modules/consent/domain/visitor-reference.js';
import type { Json } from '../support/people/json.js';
import { TARGET } from '../support/people/custom-domain.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { type RawAnswer, RawClient, type RawRequest } from '../support/fakes/raw-request.js';
import { tablesWith } from '../support/database/tables-with.js';
import { until } from '../support/until.js';

/** Represents a session cookie of a customer's shop, or a password for it. */
const CANARY = `canary-${randomBytes(16).toString('hex')}`;
const HOST = 'consent.shop.example';
const OWN = 'consent.service.test';
const projectId = newId();
const otherId = newId();
const CHOICE = { analytics: true, marketing: false, preferences: false, action: 'custom' };
const VISITOR_KEY = `${Date.now().toString(16).padStart(12, '0')}${'ab'.repeat(32)}`;

let database: TestDatabase;
let service: LoneService;
let client: RawClient;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query(
    `insert into project (id, name, domains) values ($1, 'A shop', '{shop.example}'), ($2, 'Another', '{shop.example}')`,
    [projectId, otherId],
  );
  for (const [hostname, state] of [
    [HOST, 'verified'],
    ['failing.shop.example', 'failing'],
    ['suspended.shop.example', 'suspended'],
    ['pending.shop.example', 'pending'],
  ])
    await database.query(
      `insert into custom_domain (id, project_id, hostname, token, state, state_since, created_at, next_check_at, good_at)
       values (gen_random_uuid(), $1, $2, '', $3, now(), now(), now() + interval '1 day', now())`,
      [projectId, hostname, state],
    );
  service = await startLoneService({
    NODE_ENV: 'production',
    LOG_LEVEL: 'trace',
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    PUBLIC_BASE_URL: `https://${OWN}`,
    CUSTOM_DOMAIN_TARGET: TARGET,
    CUSTOM_DOMAIN_OWN_HOSTS: 'api,192.0.2.7,[2001:db8::7]',
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
  });
  client = new RawClient(service.baseUrl, { connectionsMax: 4, timeoutMs: 10_000 });
});
afterAll(async () => {
  client?.close();
  await service?.stop();
  await database.close();
});

/** As the edge sends it, with all that the customer's other pages store in the browser. */
const send = (host: string, path: string, given: Partial<RawRequest> = {}): Promise<RawAnswer> =>
  client.send({
    method: 'GET',
    path,
    ...given,
    headers: {
      host,
      'x-forwarded-proto': 'https',
      cookie: `shop_session=${CANARY}; other=${CANARY}`,
      authorization: `Basic ${CANARY}`,
      'proxy-authorization': `Basic ${CANARY}`,
      ...(given.body !== undefined && { 'content-type': 'application/json' }),
      ...given.headers,
    },
  });
const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  send(HOST, path, { method: 'POST', body: JSON.stringify(body), headers });
const consents = (id = projectId): string => `/v1/projects/${id}/consents`;

describe('a custom domain', () => {
  it('serves loader, configuration, declaration and records of its project', async () => {
    for (const file of ['loader.js', 'blocker.js', 'config.json', 'declaration.js', 'declaration.html'])
      expect([file, (await send(HOST, `/cdn/${projectId}/${file}`)).status]).toEqual([file, 200]);
    expect((await send(HOST, `/cdn/${projectId}/loader.js`, { method: 'HEAD' })).status).toBe(200);
    expect((await post(consents(), CHOICE)).status).toBe(201);
    expect((await send(`${HOST.toUpperCase()}:443`, `/cdn/${projectId}/config.json`)).status).toBe(200);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/sign-in'],
    ['GET', '/docs'],
    ['GET', '/docs-json'],
    ['GET', '/metrics'],
    ['GET', '/health/ready'],
    ['GET', '/pricing'],
    ['GET', '/v1/pricing'],
    ['GET', '/v1/me'],
    ['POST', '/v1/auth/sign-in/email'],
    ['GET', '/v1/auth/get-session'],
    ['GET', `/v1/projects/${projectId}`],
    ['GET', consents()],
    ['DELETE', consents()],
    ['GET', `/first-party/${projectId}/cdn/${projectId}/config.json`],
    ['GET', '/api/internal/custom-domains/allowed?domain=consent.shop.example'],
    ['GET', '/robots.txt'],
    ['GET', '/assets/index.js'],
    ['GET', `/cdn/${projectId}/../../sign-in`],
    ['GET', `/cdn/${projectId}/%2e%2e/%2e%2e/sign-in`],
    ['GET', `http://${OWN}/sign-in`],
  ])('serves no %s %s', async (method, path) => {
    const { status, headers, text } = await send(HOST, path, { method });
    expect([status, JSON.parse(text)]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('serves no other project, by address or by body', async () => {
    expect((await send(HOST, `/cdn/${otherId}/config.json`)).status).toBe(404);
    expect((await post(consents(otherId), CHOICE)).status).toBe(404);
    const key = `${Date.now().toString(16).padStart(12, '0')}${'cd'.repeat(32)}`;
    for (const id of [projectId, otherId]) {
      const body = JSON.stringify({ ...CHOICE, visitorKeyHash: visitorKeyHash(key).toString('hex') });
      expect((await send(OWN, consents(id), { method: 'POST', body })).status).toBe(201);
    }
    const read = (id: string) => post('/v1/visitor/records', { projectId: id, visitorKey: key });
    expect((await read(otherId)).status).toBe(404);
    expect((await read(projectId)).status).toBe(200);
  });

  it('is served while it fails, and not while it is suspended, pending or unknown', async () => {
    const statuses = await Promise.all(
      ['failing.shop.example', 'suspended.shop.example', 'pending.shop.example', 'unknown.shop.example'].map(
        async (host) => (await send(host, `/cdn/${projectId}/config.json`)).status,
      ),
    );
    expect(statuses).toEqual([200, 404, 404, 404]);
    expect((await send('unknown.shop.example', '/sign-in')).status).toBe(404);
  });

  it('becomes active with its first request', async () => {
    await send(HOST, `/cdn/${projectId}/loader.js`);
    await until('it is active', async () => {
      const [row] = await database.query<{ state: string }>(
        'select state from custom_domain where hostname = $1 and seen_at is not null',
        [HOST],
      );
      return row?.state === 'active' ? true : null;
    });
    const told = await database.query<{ host: string }>(
      `select d.hostname as host from event e join custom_domain d on d.id = (e.data ->> 'id')::uuid
       where e.project_id = $1 and e.type = 'custom_domain.active'`,
      [projectId],
    );
    expect(told).toEqual([{ host: HOST }]);
  });

  it('keeps failing, and its seven days, while it serves requests', async () => {
    const host = 'failing.shop.example';
    await send(host, `/cdn/${projectId}/loader.js`);
    const row = await until('the request is stored', async () => {
      const [found] = await database.query<{ state: string; is_same: boolean }>(
        `select state, state_since = created_at as is_same from custom_domain
         where hostname = $1 and seen_at is not null`,
        [host],
      );
      return found ?? null;
    });
    expect(row).toEqual({ state: 'failing', is_same: true });
  });

  it('sets no cookie, whatever the visitor does', async () => {
    const stored = await post(consents(), {
      ...CHOICE,
      visitorKeyHash: visitorKeyHash(VISITOR_KEY).toString('hex'),
    });
    expect([stored.status, stored.headers['set-cookie']]).toEqual([201, undefined]);
    for (const name of ['withdrawals', 'erasures']) {
      const done = await post(`/v1/visitor/${name}`, { projectId, visitorKey: VISITOR_KEY });
      expect([name, done.status < 300, done.headers['set-cookie']]).toEqual([name, true, undefined]);
    }
    const configuration = await send(HOST, `/cdn/${projectId}/config.json`);
    expect(JSON.parse(configuration.text)).not.toHaveProperty('choiceCookie');
  });

  it('names itself for records, and the service’s own host names its own', async () => {
    const address = async (host: string): Promise<string> => {
      const { consentUrl } = JSON.parse((await send(host, `/cdn/${projectId}/config.json`)).text) as Json;
      return new URL(String(consentUrl), `https://${host}/cdn/${projectId}/loader.js`).href;
    };
    for (const host of [HOST, OWN]) expect(await address(host)).toBe(`https://${host}${consents()}`);
  });

  it('says nothing about the customer’s other hosts', async () => {
    for (const [path, status] of [
      [`/cdn/${projectId}/loader.js`, 200],
      ['/sign-in', 404],
    ] as const) {
      const { headers, ...answer } = await send(HOST, path);
      expect(answer.status).toBe(status);
      expect(headers['strict-transport-security'] ?? '').not.toMatch(/includeSubDomains|preload/i);
    }
    const own = await send(OWN, '/sign-in');
    expect(own.headers['strict-transport-security']).toMatch(/includeSubDomains/);
    expect((await send(HOST, `/cdn/${projectId}/loader.js`)).headers['strict-transport-security']).toMatch(
      /^max-age=\d+$/,
    );
  });
});

describe('other origins', () => {
  const cors = async (host: string, origin: string | null, method = 'GET'): Promise<unknown[]> => {
    const path = method === 'GET' ? `/cdn/${projectId}/config.json` : consents();
    const { status, headers } = await send(host, path, {
      method,
      headers: origin === null ? {} : { origin },
    });
    return [
      status,
      headers['access-control-allow-origin'],
      headers['access-control-allow-credentials'],
      /\bOrigin\b/.test(headers['vary'] ?? ''),
    ];
  };

  it('read responses of a custom domain where they are the project’s, with credentials', async () => {
    for (const origin of ['https://shop.example', 'https://www.shop.example']) {
      expect(await cors(HOST, origin)).toEqual([200, origin, 'true', true]);
      expect(await cors(HOST, origin, 'OPTIONS')).toEqual([204, origin, 'true', true]);
    }
    for (const origin of ['https://evil.example', 'https://evilshop.example', 'null', null])
      expect(await cors(HOST, origin)).toEqual([200, undefined, undefined, true]);
  });

  it('follow the domains of the project within seconds, both ways', async () => {
    for (const [domains, answer] of [
      [['other.example'], undefined],
      [['shop.example'], 'https://shop.example'],
    ] as const) {
      await database.query('update project set domains = $2 where id = $1', [projectId, domains]);
      await until(`${domains.join()}: ${answer}`, async () => {
        const [status, allowed] = await cors(HOST, 'https://shop.example');
        return status === 200 && allowed === answer;
      });
    }
  });

  it('read those of the service’s own host as before', async () => {
    expect(await cors(OWN, 'https://evil.example')).toEqual([200, '*', undefined, false]);
    expect(await cors('127.0.0.1', 'https://shop.example')).toEqual([200, '*', undefined, false]);
  });
});

describe('the service’s own names', () => {
  it.each([
    OWN,
    `${OWN}:8443`,
    '127.0.0.1',
    '[::1]:3000',
    'localhost',
    'api',
    '192.0.2.7:3000',
    '[2001:db8::7]',
  ])('%s serves everything', async (host) => {
    expect((await send(host, '/sign-in')).status).toBe(200);
  });
});

describe('names without a dot and addresses that are not listed', () => {
  it.each([
    'evilhost',
    '2130706433',
    '0x7f000001',
    '192.0.2.8',
    '[2001:db8::8]',
    '[::ffff:127.0.0.1]',
    '127.1',
  ])('%s gets no page and no API', async (host) => {
    for (const path of ['/', '/sign-in', '/v1/pricing', '/docs', '/metricsx', '/health']) {
      const { status, headers } = await send(host, path);
      expect([path, status, headers['x-content-type-options']]).toEqual([path, 404, 'nosniff']);
      expect(headers['content-security-policy']).toContain("default-src 'self'");
    }
  });

  it.each(['evilhost', '2130706433', '192.0.2.8:3000', '[2001:db8::8]'])('%s gets probes', async (host) => {
    for (const path of ['/health/live', '/health/ready', '/metrics?a=b'])
      expect([path, (await send(host, path)).status]).toEqual([path, 200]);
  });
});

it('keeps no cookie or credential of the customer’s site in a row, a log line or a response', async () => {
  const answers = await Promise.all([
    send(HOST, `/cdn/${projectId}/banner-0123456789abcdef.js`),
    send(HOST, '/v1/me'),
    send('unknown.shop.example', '/'),
    post(consents(), { ...CHOICE, analytics: 'yes' }),
    post(`/v1/projects/${projectId}/visits`, { region: 'DE' }),
    post('/v1/visitor/records', { projectId, consentId: newId(), visitorKey: 'a'.repeat(76) }),
  ]);
  for (const { headers, text } of answers) expect(JSON.stringify(headers) + text).not.toContain(CANARY);
  expect(await tablesWith(database, CANARY)).toEqual([]);
  expect(service.output()).toContain(`/cdn/${projectId}/banner-0123456789abcdef.js`);
  expect(service.output()).not.toContain(CANARY);
});
