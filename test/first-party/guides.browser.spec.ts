import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, type SitePage, startSite, type TestServer } from '../support/programs/browser.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { type Guide, publishService, type PublicService, SiteProxy } from '../support/fakes/site-proxy.js';
import { until } from '../support/until.js';

/** A name that browsers trust without HTTPS. */
const HOST = 'www.shop.localhost';
const GUIDES: Guide[] = ['nginx', 'caddy', 'haproxy', 'apache', 'express'];

let service: TestService;
let published: PublicService;
let browser: Browser;
let pages: TestServer;
let folder: string;
let project: TestProject;
let secret: string;
let proxy: SiteProxy;
const site: Record<string, SitePage> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'first-party-'));
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1', RUN_WORKER: 'true' });
  published = await publishService(service.baseUrl, folder);
  [browser, pages] = await Promise.all([launchBrowser(), startSite(site)]);
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await published?.close();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  project = await createTestProject(service, { tier: 'business', domains: [HOST] });
  published.seen.length = 0;
  const created = await project.request('editor', 'POST', '/first-party/proxy/secret');
  secret = String(((await created.json()) as Json)['secret']);
  const saved = await project.request('editor', 'PUT', '/configuration', {
    banner: { enabled: true },
    siteAnalytics: true,
  });
  expect(saved.status).toBe(200);
  site['/'] = {
    html: `<!doctype html><html lang="en"><head><title>A shop</title>
      <script src="/consent/cdn/${project.id}/loader.js"></script></head><body><h1>A shop</h1></body></html>`,
  };
});
afterEach(() => proxy?.stop());

/** A page of the site, with the addresses of all requests. */
async function open(): Promise<{ page: Page; requests: string[]; close: () => Promise<void> }> {
  const context = await browser.newContext();
  await context.addCookies([{ name: 'shop_session', value: 'of-the-shop', domain: HOST, path: '/' }]);
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`http://${HOST}:${proxy.port}/`);
  return { page, requests, close: () => context.close() };
}

async function choiceCookie(page: Page): Promise<string | null> {
  const cookies = await page.context().cookies();
  const found = cookies.find(({ name }) => name === '__Host-service-consent');
  if (found) expect(found).toMatchObject({ domain: HOST, path: '/', secure: true, sameSite: 'Lax' });
  return found?.value ?? null;
}

async function records(count: number): Promise<Record<string, unknown>[]> {
  return until('recorded', async () => {
    const rows = await service.database.query('select * from consent_record where project_id = $1', [
      project.id,
    ]);
    return rows.length === count ? rows : null;
  });
}

describe.each(GUIDES)('the guide for %s', (guide) => {
  it('serves loader, banner, configuration, records and visitors’ requests from the site’s own host', async () => {
    proxy = await SiteProxy.start(guide, {
      folder,
      host: HOST,
      service: published,
      projectId: project.id,
      secret,
      pagesPort: pages.port,
    });
    const { page, requests, close } = await open();
    await page.getByRole('button', { name: 'Accept all' }).click();
    expect(await records(1)).toMatchObject([{ hostname: HOST, action: 'accept_all' }]);

    const cookie = (): Promise<string> => until('the cookie is set', () => choiceCookie(page));
    expect(await cookie()).toMatch(/^v1\.111\.\d{10}\./);
    // As browsers do with storage that scripts have written: the visitor is not asked again.
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.evaluate('serviceConsent.ready');
    expect(await page.evaluate('serviceConsent.choice')).toMatchObject({ analytics: true, marketing: true });
    expect(await page.getByRole('button', { name: 'Accept all' }).count()).toBe(0);

    await page.evaluate('serviceConsent.submit({ action: "withdraw" })');
    await records(2);
    await until('the cookie refuses', async () => (await choiceCookie(page))?.startsWith('v1.000.') ?? false);
    await close();

    const own = `http://${HOST}:${proxy.port}/`;
    expect(requests.filter((url) => !url.startsWith(own) && !url.startsWith('data:'))).toEqual([]);
    expect(requests.some((url) => url.includes('/banner-'))).toBe(true);

    const through = published.seen.filter(({ url }) => url.startsWith(`/first-party/${project.id}/`));
    expect(through.length).toBeGreaterThanOrEqual(4);
    for (const { headers } of through) {
      expect(headers).toMatchObject({
        'x-service-proxy-secret': secret,
        'x-service-visitor-address': expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/),
        'x-forwarded-prefix': '/consent',
      });
      expect(headers.cookie ?? '').toBe('');
    }
    const state = await until('seen', async () => {
      const read = (await (await project.request('viewer', 'GET', '/first-party/proxy')).json()) as Json;
      return read['state'] === 'proven' ? read : null;
    });
    expect(state).toMatchObject({ host: HOST, prefix: '/consent', unprovenAt: null });
  });
});
