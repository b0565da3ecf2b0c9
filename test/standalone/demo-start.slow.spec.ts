import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { signatureOf, stripeEvent, stripeSubscription } from '../support/fakes/fake-stripe.js';
import type { Json } from '../support/people/json.js';
import {
  killPostgres,
  type LoneService,
  Processes,
  startLoneService,
} from '../support/programs/processes.js';
import { runProgram } from '../support/programs/run-ops.js';
import { until } from '../support/until.js';

interface Credentials {
  projectId: string;
  apiKeys: Record<'owner' | 'editor' | 'viewer', string>;
  billingWebhookSecret: string;
}

let folder: string;
let service: LoneService;
let credentials: Credentials;

const start = async (): Promise<void> => {
  service = await startLoneService({ DATA_DIR: folder, EVIDENCE_SEAL_SECONDS: '1' });
  credentials = JSON.parse(readFileSync(join(folder, 'dev-credentials.json'), 'utf8')) as Credentials;
};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'consent-demo-start-'));
  chmodSync(folder, 0o755);
  await start();
});
afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function call(method: string, path: string, body?: unknown): Promise<Json> {
  const response = await fetch(`${service.baseUrl}/v1/projects/${credentials.projectId}${path}`, {
    method,
    headers: { authorization: `Bearer ${credentials.apiKeys.editor}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}

it('starts although PostgreSQL dies after the first requests are served', async () => {
  const processes = new Processes();
  try {
    const dataDir = processes.dataFolder();
    const starting = await processes.startApi({ environment: { DATA_DIR: dataDir } });
    const isServing = (): Promise<boolean> =>
      fetch(`${starting.baseUrl}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until('it serves', isServing);
    await killPostgres(dataDir);
    await starting.ready();
    await until('it is ready again', isServing);
    expect(starting.output()).not.toContain('could not point');
    expect(await starting.stop()).toMatchObject({ code: 0 });
  } finally {
    await processes.close();
  }
});

it('the demo project is put right at each start, whatever was simulated', async () => {
  expect(await call('GET', '/tier')).toMatchObject({ tier: 'business', reason: 'active' });
  await call('POST', '/tier/simulate', { tier: 'lite' });
  expect(await call('GET', '/tier')).toMatchObject({ tier: 'lite' });
  await service.stop();
  await start();
  // A later start does not wait for it.
  await until('the tier is business again', async () => (await call('GET', '/tier'))['tier'] === 'business');
  expect(service.output()).not.toContain('could not point');
  expect(await call('GET', '/tier')).toMatchObject({ reason: 'active' });
  expect(await call('POST', '/forwarding/test')).toMatchObject({ delivered: true, httpStatus: 204 });
});

it('the link that is printed signs in as owner of the demo project, once, and another start prints another', async () => {
  const printed = (): string => /dashboard +(\S+)/.exec(service.output())?.[1] ?? '';
  const follow = (link: string): Promise<Response> => fetch(link, { redirect: 'manual' });
  const link = printed();
  const wrong = await follow(`${service.baseUrl}/demo/sign-in?token=${'a'.repeat(43)}`);
  expect([wrong.status, wrong.headers.get('location'), wrong.headers.getSetCookie()]).toEqual([
    303,
    '/?demoLink=used',
    [],
  ]);
  const first = await follow(link);
  expect([first.status, first.headers.get('location')]).toEqual([303, '/']);
  const cookie = first.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const projects = await fetch(`${service.baseUrl}/v1/projects`, { headers: { cookie } });
  expect(await projects.json()).toMatchObject({ items: [{ id: credentials.projectId, role: 'owner' }] });
  const second = await follow(link);
  expect([second.status, second.headers.getSetCookie()]).toEqual([303, []]);
  await service.stop();
  await start();
  expect(printed()).toMatch(/\/demo\/sign-in\?token=[\w-]{43}$/);
  expect(printed()).not.toBe(link);
  expect((await follow(printed())).headers.getSetCookie()).not.toEqual([]);
});

it('mail goes into files, which the demo shows', async () => {
  const { err } = await runProgram('ops', ['mail', 'test', 'ada@example.com'], {
    NODE_ENV: 'development',
    DATA_DIR: folder,
  });
  expect(err).toBe('');
  const page = await fetch(`${service.baseUrl}/demo/mail`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  expect(await page.text()).toContain('<h2>Test email from Service</h2><p>To ada@example.com');
  const json = await fetch(`${service.baseUrl}/demo/mail`, { headers: { accept: 'application/json' } });
  expect(await json.json()).toMatchObject({ items: [{ to: 'ada@example.com' }] });
});

it.each(['rebind.example', 'localhost.rebind.example:3000'])(
  'mail is not shown to a page of another site, whose name %s leads to this machine',
  async (host) => {
    const { hostname, port } = new URL(service.baseUrl);
    const [response] = (await once(
      request({ hostname, port, path: '/demo/mail', headers: { host } }).end(),
      'response',
    )) as [IncomingMessage];
    const body = (await response.toArray()).join('');
    expect([response.statusCode, JSON.parse(body)]).toEqual([
      403,
      expect.objectContaining({ code: 'host_not_allowed' }),
    ]);
  },
);

it('one command gives the demo a past of two months, once: publications, records, deliveries and visits', async () => {
  const fill = () => runProgram('ops', ['demo', 'records'], { NODE_ENV: 'development', DATA_DIR: folder });
  const { out, err } = await fill();
  expect(err).toBe('');
  const [, records, visits, deliveries] =
    /^Generated (\d+) records and (\d+) page visits for .*, and (\d+) deliveries/.exec(out)?.map(Number) ??
    [];
  expect(records).toBeGreaterThan(600);
  // The log of deliveries keeps 30 days.
  expect(deliveries).toBeGreaterThan(300);
  expect(deliveries).toBeLessThan(Number(records));
  expect((await fill()).err).toContain('already has generated records');

  const { items: published } = (await call('GET', '/publications')) as { items: Json[] };
  const [second, first] = published;
  const { items } = (await call('GET', '/consents?limit=200')) as { items: Json[] };
  expect(items).toHaveLength(200);
  for (const record of items) expect(record).toMatchObject({ additionalFields: { demo: true } });
  expect(new Set(items.map(({ language }) => language))).toEqual(new Set(['en', 'de']));
  expect(new Set(items.map(({ configHash }) => configHash))).toEqual(new Set([second?.configHash]));
  const before = (await call('GET', `/consents?limit=200&to=${String(second?.inForceFrom)}`)) as {
    items: Json[];
  };
  expect(new Set(before.items.map(({ configHash }) => configHash))).toEqual(new Set([first?.configHash]));

  const failed = (await call('GET', '/forwarding/deliveries?status=failed')) as { items: Json[] };
  expect(new Set(failed.items.map(({ category }) => category))).toEqual(new Set(['tls', 'http_4xx']));
  await call('POST', '/tier/simulate', { tier: 'business' });
  const since = `?from=${new Date(Date.now() - 70 * 86_400_000).toISOString().slice(0, 10)}`;
  const counted = await call('GET', `/analytics/consents${since}`);
  expect(counted).toMatchObject({ totals: { records } });
  const named = (list: string, name: string) =>
    (counted[list] as Json[]).map((entry) => entry[name]).toSorted();
  expect(named('byRegion', 'region')).toEqual(['AT', 'CH', 'DE', 'FR', 'GB', 'US']);
  expect(named('byLanguage', 'language')).toEqual(['de', 'en']);
  expect(await call('GET', `/analytics/site${since}`)).toMatchObject({ totals: { visits, chosen: records } });
  // Its domains are set, so that the set-up is complete; the demo's own page is not among them and still allowed.
  expect(await call('GET', '')).toMatchObject({ domains: ['example.com'] });
  expect(await call('GET', '/analytics/consents')).toMatchObject({ otherHostnames: { records: 0 } });
  const choice = { analytics: true, marketing: false, preferences: false, action: 'custom' };
  for (const [path, body] of [
    ['consents', choice],
    ['visits', {}],
  ] as const)
    for (const origin of [service.baseUrl, 'http://localhost:5173', 'https://www.example.com']) {
      const { status } = await fetch(`${service.baseUrl}/v1/projects/${credentials.projectId}/${path}`, {
        method: 'POST',
        headers: { origin, 'content-type': 'text/plain' },
        body: JSON.stringify(body),
      });
      expect([path, origin, status]).toEqual([path, origin, path === 'consents' ? 201 : 204]);
    }
  const oldest = before.items.at(-1)?.['id'];
  await until('the past is sealed', async () => {
    const record = await call('GET', `/consents/${String(oldest)}`);
    return (record['evidence'] as Json)['status'] === 'sealed';
  });
});

it('a signed webhook with a price of the demo changes its tier', async () => {
  const believed = 'webhook payloads are trusted as sent';
  expect(service.output()).not.toContain(believed);
  const subscription = stripeSubscription({
    projectId: credentials.projectId,
    priceId: 'price_demo_business_month',
  });
  const payload = JSON.stringify(stripeEvent('customer.subscription.created', subscription));
  const posted = await fetch(`${service.baseUrl}/v1/webhooks/billing`, {
    method: 'POST',
    headers: { 'stripe-signature': signatureOf(payload, { secret: credentials.billingWebhookSecret }) },
    body: payload,
  });
  expect(posted.status).toBe(200);
  await until('tier business', async () => (await call('GET', '/tier')).tier === 'business');
  await until('the log says how payloads are read', () => service.output().includes(believed));
  expect(readFileSync(join('docs', 'billing.md'), 'utf8')).toContain(
    'The log says so with the\nfirst signed webhook of each process.',
  );
});
