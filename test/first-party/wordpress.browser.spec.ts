import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type Front, launchBrowser, startFront } from '../support/programs/browser.js';
import { freePort } from '../support/programs/free-port.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** A name that browsers trust without HTTPS. */
const HOST = 'www.blog.localhost';
const PLUGIN = join('integrations', 'wordpress', 'consent-service.php');

let service: TestService;
let front: Front;
let browser: Browser;
let project: TestProject;
let secret: string;
let php: ChildProcess | undefined;
let port: number;

beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1', RUN_WORKER: 'true' });
  [browser, front] = await Promise.all([launchBrowser(), startFront(service.baseUrl)]);
});
afterAll(async () => {
  await browser?.close();
  await front?.close();
  await service?.close();
});
beforeEach(async () => {
  project = await createTestProject(service, { tier: 'business', domains: [HOST] });
  front.requests.length = 0;
  const created = await project.request('editor', 'POST', '/first-party/proxy/secret');
  secret = String(((await created.json()) as Json)['secret']);
  const saved = await project.request('editor', 'PUT', '/configuration', {
    banner: { enabled: true },
    signals: { wpConsentApi: true },
  });
  expect(saved.status).toBe(200);
});
afterEach(async () => {
  if (!php || php.exitCode !== null) return;
  const ended = once(php, 'exit');
  php.kill();
  await ended;
});

/** WordPress with the plugin; `lines` are those in wp-config.php. */
async function startSite(lines: Record<string, string>): Promise<void> {
  port = await freePort();
  php = spawn(
    'php',
    ['-S', `127.0.0.1:${port}`, join('test', 'support', 'programs', 'wordpress', 'index.php')],
    {
      env: { ...process.env, PLUGIN, ...lines },
      stdio: 'ignore',
    },
  );
  await until('PHP answers', () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

async function open(): Promise<{ page: Page; requests: string[] }> {
  const context = await browser.newContext();
  await context.addCookies([{ name: 'shop_session', value: 'of-the-shop', domain: HOST, path: '/' }]);
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`http://${HOST}:${port}/`);
  return { page, requests };
}

/** `fetch` would shorten the path. */
async function rawAnswer(path: string): Promise<string> {
  const [response] = (await once(get({ host: '127.0.0.1', port, path }), 'response')) as [IncomingMessage];
  return text(response);
}

const recorded = (count: number): Promise<Record<string, unknown>[]> =>
  until('recorded', async () => {
    const rows = await service.database.query('select * from consent_record where project_id = $1', [
      project.id,
    ]);
    return rows.length === count ? rows : null;
  });

it('is valid PHP', () => {
  expect(execFileSync('php', ['-l', PLUGIN], { encoding: 'utf8' })).toContain('No syntax errors');
});

it('serves everything from the site’s host, without its cookies, and hands choices to the WP Consent API', async () => {
  await startSite({
    CONSENT_SERVICE_URL: front.url,
    CONSENT_SERVICE_PROJECT: project.id,
    CONSENT_SERVICE_SECRET: secret,
  });
  const { page, requests } = await open();
  expect(JSON.parse(await page.locator('output').innerText())).toEqual({
    registered: true,
    type: 'optin',
    waits: true,
  });
  const consents = (): Promise<unknown> => page.evaluate('Object.fromEntries(window.consents ?? [])');
  await page.getByRole('button', { name: 'Accept all' }).waitFor();
  await until('denied', async () => JSON.stringify(await consents()).includes('"marketing":"deny"'));
  expect(await page.evaluate('wp_consent_type')).toBe('optin');
  await page.getByRole('button', { name: 'Accept all' }).click();
  expect(await recorded(1)).toMatchObject([{ hostname: HOST, action: 'accept_all' }]);
  expect(await consents()).toEqual({
    functional: 'allow',
    preferences: 'allow',
    statistics: 'allow',
    marketing: 'allow',
    'statistics-anonymous': 'allow',
  });
  const cookie = await until('the cookie is set', async () =>
    (await page.context().cookies()).find(({ name }) => name === '__Host-service-consent'),
  );
  expect(cookie).toMatchObject({ domain: HOST, value: expect.stringMatching(/^v1\.111\./) });

  const own = `http://${HOST}:${port}/`;
  expect(requests.filter((url) => !url.startsWith(own) && !url.startsWith('data:'))).toEqual([]);
  const paths = front.requests.map((line) => line.split(' ')[1] ?? '');
  expect(paths.every((path) => path.startsWith(`/first-party/${project.id}/`))).toBe(true);
  expect(paths.length).toBeGreaterThanOrEqual(4);
  expect(front.cookies).toEqual([]);
  // The secret was believed.
  await until('proven', async () => {
    const read = (await (await project.request('viewer', 'GET', '/first-party/proxy')).json()) as Json;
    return read['state'] === 'proven' && read['host'] === HOST;
  });
});

it('answers 502 where the service is away, and is no proxy for other paths', async () => {
  await startSite({
    CONSENT_SERVICE_URL: `http://127.0.0.1:${await freePort()}`,
    CONSENT_SERVICE_PROJECT: project.id,
    CONSENT_SERVICE_SECRET: secret,
  });
  const of = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  expect((await of(`/consent/cdn/${project.id}/loader.js`)).status).toBe(502);
  expect(await (await of('/consents')).text()).toContain('A blog');
  for (const path of ['/consent/../metrics', '/consent/%2e%2E/metrics'])
    expect(await rawAnswer(path)).toContain('A blog');
});

it('loads the script from the service’s own host where there is no secret', async () => {
  await startSite({ CONSENT_SERVICE_URL: front.url, CONSENT_SERVICE_PROJECT: project.id });
  const html = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(html).toContain(`<script src="${front.url}/cdn/${project.id}/loader.js"></script>`);
  expect(await (await fetch(`http://127.0.0.1:${port}/consent/x`)).text()).toContain('A blog');
});
