import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PageQueue } from '../../src/scanner/run/page-queue.js';
import { SiteRules } from '../../src/scanner/run/site-rules.js';
import { SCAN_LEASE_MS } from '../../src/modules/scans/domain/scanner.js';
import {
  addPages,
  beginVisit,
  type ClaimedScan,
  claimScan,
  setAsideScans,
  storeWork,
} from '../../src/modules/scans/infrastructure/frontier.rows.js';
import { GuardedProxy, REQUEST_LIMIT } from '../../src/scanner/browser/guarded-proxy.js';
import { SiteFileReader } from '../../src/scanner/site/site-file.js';
import { parseExceptions } from '../../src/platform/network/address-policy.js';
import { newId } from '../../src/platform/identity/ids.js';
import { NameResolver } from '../../src/platform/network/name-resolver.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { reportTestScanner } from '../support/programs/scanner.js';
import { startTestService, type TestService } from '../support/programs/service.js';

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
    requestLimit: REQUEST_LIMIT,
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
    claimId: newId(),
    leaseMs: SCAN_LEASE_MS,
    browser: 'Chromium 1.0',
    region: null,
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
  const reader = new SiteFileReader(proxy, { port, userAgent: 'Service-Scanner/1.0' });
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

describe('a host that redirects', () => {
  /** Whether more pages of a host are visited after one that ended on the loader's page of another host. */
  const visitsMore = async (host: string): Promise<unknown> => {
    await requestScan();
    const scan = await claim();
    await queueOf(scan, { pages: 1, visited: 1, host: 'redirecting.example.com' });
    await service.database.query(
      "update scan_page set final_url = 'https://own.example.com/' where scan_id = $1",
      [scan.id],
    );
    await addPages(em(), scan, [{ url: `https://${host}/more`, depth: 0 }]);
    const queue = await queueOf(scan, { pages: 0, visited: 0 });
    return (await queue.next()).kind;
  };

  it('is not verified by the loader of the host that it leads to', async () => {
    expect(await visitsMore('redirecting.example.com')).toBe('again');
  });

  it('verifies the host that it leads to', async () => {
    expect(await visitsMore('own.example.com')).toBe('page');
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

describe('a scan during which scanners stop', () => {
  /** The scanner's process ends, and its lease with it. */
  const abandon = (scan: ClaimedScan): Promise<unknown> =>
    service.database.query("update scan set leased_until = now() - interval '1 second' where id = $1", [
      scan.id,
    ]);

  it('is claimed again twice, then set aside with the page that was open', async () => {
    const id = await requestScan();
    for (let round = 0; round < 3; round += 1) {
      expect(await setAsideScans(em())).toEqual([]);
      const scan = await claim();
      if (round === 2) {
        await addPages(em(), scan, [{ url: 'https://example.com/', depth: 0 }]);
        await beginVisit(em(), scan, 1);
      }
      await abandon(scan);
    }
    expect(await setAsideScans(em())).toEqual([{ projectId: project.id, id }]);
    const read = (await (await project.request('editor', 'GET', `/scans/${id}`)).json()) as Json;
    expect(read).toMatchObject({ status: 'failed', reason: { code: 'scanner_stopped' } });
    expect(read['pageList']).toMatchObject([{ status: 'failed', reason: { code: 'scanner_stopped' } }]);
    await expect(claim()).rejects.toThrow('no scan to claim');
  });

  it('is not set aside by scanners that return it', async () => {
    await requestScan();
    const work = { workedMs: 0, receivedBytes: 0, leaseMs: null };
    for (let round = 0; round < 5; round += 1) await storeWork(em(), await claim(), work);
    expect(await setAsideScans(em())).toEqual([]);
    expect((await claim()).projectId).toBe(project.id);
  });
});
