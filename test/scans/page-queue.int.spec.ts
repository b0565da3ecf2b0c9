import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PageQueue } from '../../src/scans/application/page-queue.js';
import { SiteRules } from '../../src/scans/application/site-rules.js';
import { SCAN_LEASE_MS } from '../../src/scans/domain/scanner-times.js';
import { addPages, type ClaimedScan, claimScan } from '../../src/scans/infrastructure/frontier.rows.js';
import { GuardedProxy } from '../../src/scans/infrastructure/guarded-proxy.js';
import { SiteReader } from '../../src/scans/infrastructure/site-file.js';
import { parseExceptions } from '../../src/shared/address-policy.js';
import { newId } from '../../src/shared/ids.js';
import { NameResolver } from '../../src/shared/name-resolver.js';
import type { Json } from '../support/json.js';
import { createTestProject, type TestProject } from '../support/project.js';
import { reportTestScanner } from '../support/scanner.js';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
let project: TestProject;
let proxy: GuardedProxy;
let port: number;

beforeAll(async () => {
  service = await startTestService();
  await reportTestScanner(service);
  proxy = new GuardedProxy({
    resolver: new NameResolver({ timeoutMs: 100, servers: ['127.0.0.1:9'] }),
    exceptions: parseExceptions([]),
    excludedHosts: [],
    connectTimeoutMs: 100,
    pageBytesMax: 1_000,
  });
  port = await proxy.listen();
});
afterAll(async () => {
  await proxy.close();
  await service.close();
});

beforeEach(async () => {
  await service.database.query(
    "update scan set status = 'canceled', leased_until = null where ended_at is null",
    [],
  );
  await service.database.query('delete from custom_domain', []);
  project = await createTestProject(service, { domains: ['example.com'] });
  await simulate('pro');
});

const em = () => service.database.orm.em.fork();

async function simulate(tier: string): Promise<void> {
  const response = await project.request('owner', 'POST', '/tier/simulate', { tier });
  expect(response.status).toBe(200);
}

async function requestScan(): Promise<string> {
  const response = await project.request('editor', 'POST', '/scans', {});
  expect(response.status).toBe(201);
  return String(((await response.json()) as Json)['id']);
}

async function pagesMaxOf(id: string): Promise<unknown> {
  const response = await project.request('editor', 'GET', `/scans/${id}`);
  return ((await response.json()) as Json)['pagesMax'];
}

async function claim(): Promise<ClaimedScan> {
  const claimed = await claimScan(em(), {
    ...{ claimId: newId(), leaseMs: SCAN_LEASE_MS, browser: 'Chromium 1.0', region: null },
  });
  if (!claimed) throw new Error('There is no scan to claim.');
  return claimed;
}

interface Frontier {
  pages: number;
  /** The first ones, on all of which the loader was found or missing. */
  visited: number;
  host?: string;
  loaderFound?: boolean;
}

async function queueOf(
  scan: ClaimedScan,
  { pages, visited, host = 'example.com', loaderFound = true }: Frontier,
): Promise<PageQueue> {
  const urls = Array.from({ length: pages }, (_, number) => `https://${host}/page/${number}`);
  await addPages(
    em(),
    scan,
    urls.map((url) => ({ url, depth: 0 })),
  );
  await service.database.query(
    `update scan_page set status = 'visited', loader_found = $3, visited_at = now() where scan_id = $1 and number <= $2`,
    [scan.id, visited, loaderFound],
  );
  const scope = {
    domains: scan.domains,
    allowedTargets: new Set<string>(),
    excludedHosts: [],
    production: true,
  };
  const reader = new SiteReader(proxy, { port, userAgent: 'Service-Scanner/1.0' });
  const rules = new SiteRules({
    reader,
    scope,
    agent: 'Service-Scanner',
    signal: new AbortController().signal,
  });
  return new PageQueue(em(), scan, { rules, scope, hostScansPerDay: 50 });
}

describe('a change of tier', () => {
  it('limits a scan that was requested before a downgrade by the tier at its claim', async () => {
    const id = await requestScan();
    expect(await pagesMaxOf(id)).toBe(100);
    await simulate('lite');
    expect(await pagesMaxOf(id)).toBe(30);
    const scan = await claim();
    expect(scan.id).toBe(id);
    const queue = await queueOf(scan, { pages: 40, visited: 30 });
    expect(await queue.next()).toEqual({ kind: 'none', unvisited: 'page_limit' });
  });

  it('limits a running scan by the tier of the moment', async () => {
    await requestScan();
    const queue = await queueOf(await claim(), { pages: 40, visited: 35 });
    expect(await queue.next()).toMatchObject({ kind: 'page' });
    await simulate('lite');
    expect(await queue.next()).toEqual({ kind: 'none', unvisited: 'page_limit' });
    await simulate('pro');
    expect(await queue.next()).toMatchObject({ kind: 'page' });
  });

  it('does not change what ended scans say', async () => {
    const id = await requestScan();
    await project.request('editor', 'POST', `/scans/${id}/cancel`);
    await simulate('lite');
    expect(await pagesMaxOf(id)).toBe(100);
  });
});

describe('an active custom domain', () => {
  const HOST = 'consent.example.com';
  const addDomain = (state: string, goodHoursAgo: number): Promise<unknown> =>
    service.database.query(
      `insert into custom_domain (id, project_id, hostname, token, state, state_since, created_at, next_check_at, good_at)
       values ($1, $2, $3, '', $4, now(), now(), now(), now() - $5 * interval '1 hour')`,
      [newId(), project.id, HOST, state, goodHoursAgo],
    );
  /** Whether another page of the host is visited after the first one of the day, which has no loader. */
  const visitsMore = async (host: string): Promise<unknown> => {
    const urls = [`https://${host}/`];
    expect((await project.request('editor', 'POST', '/scans', { urls })).status).toBe(201);
    const queue = await queueOf(await claim(), { pages: 2, visited: 1, host, loaderFound: false });
    return (await queue.next()).kind;
  };

  it('verifies its host', async () => {
    await addDomain('active', 1);
    expect(await visitsMore(HOST)).toBe('page');
  });

  it('verifies no other host', async () => {
    await addDomain('active', 1);
    expect(await visitsMore('example.com')).toBe('again');
  });

  it.each([
    ['verified', 1],
    ['failing', 1],
    ['active', 25],
  ])('does not verify it as %s with a good check %d hours ago', async (state, hours) => {
    await addDomain(state, hours);
    expect(await visitsMore(HOST)).toBe('again');
  });

  it('lets its robots.txt be ignored', async () => {
    const request = { urls: [`https://${HOST}/`], ignoreRobots: true };
    expect((await project.request('editor', 'POST', '/scans', request)).status).toBe(422);
    await addDomain('active', 1);
    expect((await project.request('editor', 'POST', '/scans', request)).status).toBe(201);
  });
});
