import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import type { Json } from '../support/people/json.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

/** Other websites, as far as the browser can tell. */
const HOSTS = 'MAP *.example.com 127.0.0.1, MAP *.example.net 127.0.0.1';
/** Far below the 15 s that the receiver hangs, far above what a click takes on a loaded machine. */
const FAST_MS = 5_000;

// What runs inside a page knows these; the DOM's own types would be there for the whole program.
declare const document: {
  getElementById(id: string): { dataset: Record<string, string | undefined> } | null;
  querySelector(selector: string): {
    shadowRoot: { querySelector(selector: string): { click(): void } | null };
  } | null;
};
declare const location: { href: string; hostname: string };
declare const window: { fetch: typeof fetch };
declare const navigator: { sendBeacon(url: string, body: string): boolean };

interface Credentials {
  projectId: string;
  apiKeys: Record<'owner' | 'editor' | 'viewer', string>;
  receiverUrl: string;
  receiverLog: string;
}

interface Received {
  path: string;
  status: number;
  headers: Record<string, string>;
  body: Json;
}

let service: LoneService;
let credentials: Credentials;
let browser: Browser;
const clickTimes: string[] = [];

beforeAll(async () => {
  service = await startLoneService();
  credentials = JSON.parse(
    readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8'),
  ) as Credentials;
  // Playwright gives it an empty user data folder.
  browser = await launchBrowser({ hosts: HOSTS });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  process.stdout.write(`${clickTimes.join('\n')}\n`);
});

async function call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${service.baseUrl}/v1/projects/${credentials.projectId}${path}`, {
    method,
    headers: { authorization: `Bearer ${credentials.apiKeys.owner}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Everything that the HTTPS receiver has written down, as it came. */
function receivedAll(): Received[] {
  if (!existsSync(credentials.receiverLog)) return [];
  // The last line may be half-written.
  const lines = readFileSync(credentials.receiverLog, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Received);
}

const arrived = (id: string): Promise<Received> =>
  until(`arrival of ${id}`, () => receivedAll().find(({ body }) => body['id'] === id));

const storedIds = async (): Promise<unknown[]> =>
  (await call<{ items: Json[] }>('GET', '/consents?limit=200')).items.map((item) => item['id']);

/** A visitor who has never been here, on the demo page. */
async function visit(prepare?: (context: BrowserContext) => Promise<unknown>): Promise<Page> {
  const context = await browser.newContext();
  await prepare?.(context);
  const page = await context.newPage();
  await page.goto(`${service.baseUrl}/demo`);
  return page;
}

const leave = (page: Page): Promise<void> => page.context().close();

/**
 * Clicks, and waits for the page's confirmation; returns the record's id and the time from click to
 * response.
 */
async function click(
  page: Page,
  button: string,
  state = 'stored',
): Promise<{ id: string; tookMs: number; fetchMs: number }> {
  const wanted = page.getByRole('button', { name: button, exact: true }).locator('visible=true');
  await wanted.waitFor();
  const before = await page.locator('#status').getAttribute('data-consent-id');
  const startedMs = performance.now();
  await wanted.click();
  await page.waitForFunction(
    ([wantedState, former]) => {
      const data = document.getElementById('status')?.dataset;
      return data?.['state'] === wantedState && data?.['consentId'] !== former;
    },
    [state, before],
    { polling: 5 },
  );
  const tookMs = Math.round(performance.now() - startedMs);
  const data = await page.locator('#status').evaluate((element) => ({ ...element.dataset }));
  return { id: data['consentId'] ?? '', tookMs, fetchMs: Number(data['tookMs']) };
}

const toggle = (page: Page, category: string): Promise<void> =>
  page.locator(`#consent-banner input[value="${category}"]`).evaluate((box) => box.click());

describe('the demo page in a browser', () => {
  it('shows the banner, an empty table and no error', async () => {
    const errors: string[] = [];
    const page = await visit((context) => {
      context.on('weberror', (error) => errors.push(String(error.error())));
      context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      return Promise.resolve();
    });
    await page.getByRole('button', { name: 'Accept all' }).waitFor();
    expect(await page.locator('#status').textContent()).toContain('No choice yet');
    expect(await page.locator('#nothing').isVisible()).toBe(true);
    expect(errors).toEqual([]);
    await leave(page);
  });

  it('accept all, reject all and custom arrive at the receiver; then it hangs, and a click is as fast', async () => {
    const visits = [
      {
        choice: 'accept all',
        button: 'Accept all',
        action: 'accept_all',
        accepted: ['analytics', 'marketing', 'preferences'],
      },
      { choice: 'reject all', button: 'Reject all', action: 'reject_all', accepted: [] },
      { choice: 'custom', button: 'Save settings', action: 'custom', accepted: ['marketing'] },
    ];
    const times: number[] = [];
    for (const { choice, button, action, accepted } of visits) {
      const page = await visit();
      if (action === 'custom') {
        await page.getByRole('button', { name: 'Customize' }).click();
        for (const category of accepted) await toggle(page, category);
      }
      const { id, tookMs, fetchMs } = await click(page, button);
      times.push(tookMs);
      clickTimes.push(`${choice}: click to answer ${tookMs} ms, of it fetch ${fetchMs} ms`);
      const { status, headers, body } = await arrived(id);
      expect(status).toBe(204);
      expect(headers).toMatchObject({
        'x-service-project-id': credentials.projectId,
        'x-service-consent-id': id,
        'user-agent': 'Service-Consent-Forwarder/1.0',
        'content-type': 'application/json',
        authorization: expect.stringMatching(/^Bearer \S{43,}$/),
      });
      expect(body).toMatchObject({
        id,
        projectId: credentials.projectId,
        analytics: accepted.includes('analytics'),
        marketing: accepted.includes('marketing'),
        preferences: accepted.includes('preferences'),
        action,
        hostname: '127.0.0.1',
        language: 'en',
      });
      await page.locator('#received').getByText(id).waitFor();
      await leave(page);
    }

    const { receiverUrl } = credentials;
    const forwarding = { enabled: true, authMode: 'bearer' };
    await call('PUT', '/forwarding', {
      ...forwarding,
      endpointUrl: receiverUrl.replace('/consents', '/hang'),
    });
    try {
      const page = await visit();
      const { id, tookMs, fetchMs } = await click(page, 'Accept all');
      clickTimes.push(`receiver hangs: click to answer ${tookMs} ms, of it fetch ${fetchMs} ms`);
      const attempt = await arrived(id);
      expect(attempt).toMatchObject({ path: '/hang', status: 0 });
      expect(await call('GET', `/consents/${id}`)).toMatchObject({ id, delivery: { outcome: 'pending' } });
      expect(tookMs).toBeLessThan(Math.max(FAST_MS, 3 * Math.max(...times)));
      await leave(page);
    } finally {
      await call('PUT', '/forwarding', { ...forwarding, endpointUrl: receiverUrl });
    }
  });

  it('a changed choice is a new record with an id of its own; a reload is none', async () => {
    const page = await visit();
    const first = await click(page, 'Reject all');
    await page.reload();
    await page.getByRole('button', { name: 'Change my choice' }).click();
    await toggle(page, 'analytics');
    const second = await click(page, 'Save settings');
    expect(second.id).not.toBe(first.id);
    expect((await arrived(first.id)).body).toMatchObject({ action: 'reject_all', analytics: false });
    expect((await arrived(second.id)).body).toMatchObject({ action: 'custom', analytics: true });
    const ids = await storedIds();
    expect(ids.slice(0, 2)).toEqual([second.id, first.id]);
    await leave(page);
  });

  it('a click on "Change my choice" ahead of the configuration opens the second layer once that is there', async () => {
    const page = await visit();
    await click(page, 'Reject all');
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.context().route('**/config.json', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Change my choice' }).click();
    release();
    await page.locator('.second').waitFor();
    await leave(page);
  });

  it('a choice outlives the page it was made on (keepalive)', async () => {
    const page = await visit();
    const before = (await storedIds()).length;
    await page.getByRole('button', { name: 'Accept all' }).waitFor();
    // In one step of the page: no response can arrive in between. The page may close before it can report that the
    // step is done; then no report ever arrives.
    void page
      .evaluate(() => {
        document.querySelector('#consent-banner')?.shadowRoot.querySelector('.answer')?.click();
        location.href = 'about:blank';
      })
      .catch(() => {});
    // The record may exist before the page has closed; closing the context before that hangs.
    await page.waitForURL('about:blank', { waitUntil: 'commit' });
    await until('the record', async () => (await storedIds()).length === before + 1);
    await leave(page);
  });

  it('where fetch is blocked, the choice is kept, and a beacon takes it when the visitor leaves', async () => {
    const page = await visit((context) =>
      context.addInitScript(() => {
        const real = window.fetch;
        window.fetch = (input, init) =>
          init?.method === 'POST' ? Promise.reject(new TypeError('blocked')) : real(input, init);
      }),
    );
    const { id } = await click(page, 'Accept all', 'kept');
    expect((await storedIds()).includes(id)).toBe(false);
    await page.goto('about:blank');
    expect((await arrived(id)).body).toMatchObject({ id, action: 'accept_all', marketing: true });
    expect(await call('GET', `/consents/${id}`)).toMatchObject({ id, action: 'accept_all' });
    await leave(page);
  });

  it('shows what a refusal says', async () => {
    const page = await visit((context) =>
      context.route('**/consents', (route) =>
        route.fulfill({ status: 429, json: { detail: 'Too many consents from one address.' } }),
      ),
    );
    await page.getByRole('button', { name: 'Accept all' }).click();
    await page.locator('#status[data-state="refused"]').waitFor();
    expect(await page.locator('#status').textContent()).toBe('Rejected: Too many consents from one address.');
    await leave(page);
  });

  it('hands no page the token', async () => {
    const { headers } = receivedAll()[0] as Received;
    const token = headers['authorization']?.split(' ')[1] ?? '';
    expect(token.length).toBeGreaterThan(42);
    const texts = await Promise.all(
      ['', '/demo.js', '/received'].map(async (path) =>
        (await fetch(`${service.baseUrl}/demo${path}`)).text(),
      ),
    );
    expect(texts[2]).toContain('accept_all');
    expect(texts.join()).not.toContain(token);
  });
});

describe('a page of another origin (design §6.1)', () => {
  let site: Server;
  let port = 0;

  beforeAll(async () => {
    site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A site</title>');
    });
    port = await new Promise<number>((resolve) => {
      site.listen(0, '127.0.0.1', () => resolve((site.address() as AddressInfo).port));
    });
    await call('PATCH', '', { domains: ['example.com'] });
  });

  afterAll(async () => {
    await call('PATCH', '', { domains: [] });
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  });

  interface Outcome {
    status: number;
    body: Json;
  }

  /** Posts a choice from a page of that host, as its banner would; null where the browser lets nothing be read. */
  async function postFrom(host: string, contentType: string): Promise<Outcome | null> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://${host}:${port}/`);
    const url = `${service.baseUrl}/v1/projects/${credentials.projectId}/consents`;
    const outcome = await page.evaluate(
      async ([ingest, type]) => {
        const choice = { analytics: false, marketing: false, preferences: true, action: 'custom' };
        try {
          const response = await fetch(ingest as string, {
            method: 'POST',
            keepalive: true,
            headers: { 'content-type': type as string },
            body: JSON.stringify({ ...choice, hostname: location.hostname }),
          });
          return { status: response.status, body: (await response.json()) as Record<string, unknown> };
        } catch {
          return null;
        }
      },
      [url, contentType],
    );
    await leave(page);
    return outcome;
  }

  it.each(['application/json', 'text/plain'])('of the project may post, as %s', async (contentType) => {
    for (const host of ['shop.example.com', 'a.b.example.com']) {
      const outcome = await postFrom(host, contentType);
      expect(outcome).toMatchObject({ status: 201, body: { duplicate: false } });
      expect((await arrived(String(outcome?.body['id']))).body).toMatchObject({ hostname: host });
    }
  });

  it('of somebody else may not, and can read why', async () => {
    const before = await storedIds();
    expect(await postFrom('shop.example.net', 'application/json')).toMatchObject({
      status: 403,
      body: { code: 'origin_not_allowed' },
    });
    expect(await storedIds()).toEqual(before);
  });

  it('cannot read the dashboard API', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://shop.example.com:${port}/`);
    const read = await page.evaluate(
      (url) =>
        fetch(url).then(
          () => 'read',
          () => 'refused',
        ),
      `${service.baseUrl}/v1/projects`,
    );
    expect(read).toBe('refused');
    await leave(page);
  });

  it('of the project may send a beacon', async () => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://shop.example.com:${port}/`);
    const before = (await storedIds()).length;
    const sent = await page.evaluate((url) => {
      const choice = { analytics: true, marketing: false, preferences: false, action: 'custom' };
      return navigator.sendBeacon(url, JSON.stringify(choice));
    }, `${service.baseUrl}/v1/projects/${credentials.projectId}/consents`);
    expect(sent).toBe(true);
    await until('the record', async () => (await storedIds()).length === before + 1);
    await leave(page);
  });
});
