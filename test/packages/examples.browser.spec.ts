import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { readChoice } from '../../packages/consent-client/src/choice-cookie.js';
import { launchBrowser } from '../support/programs/browser.js';
import { buildExample, buildPackages, importRender, serveExample } from '../support/programs/packages.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

type Example = Awaited<ReturnType<typeof serveExample>>;

let service: TestService;
let browser: Browser;
let project: TestProject;
let folder: string;
let client: Example;
let react: Example;
let context: BrowserContext;
/** Errors of the pages: a hydration mismatch is one. */
let errors: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'consent-examples-'));
  service = await startTestService({ RUN_WORKER: 'true' });
  project = await createTestProject(service);
  await publish('opt_in');
  buildPackages();
  const loaderUrl = `${service.baseUrl}/cdn/${project.id}/loader.js`;
  const [clientOut, reactOut] = [join(folder, 'client'), join(folder, 'react')];
  buildExample('consent-client', { loaderUrl, out: clientOut });
  buildExample('consent-react', { loaderUrl, out: reactOut, server: 'server.tsx' });
  client = await serveExample(clientOut);
  react = await serveExample(reactOut, await importRender(reactOut));
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await client?.close();
  await react?.close();
  await service?.close();
  rmSync(folder, { recursive: true });
});

beforeEach(async () => {
  context = await browser.newContext();
  errors = [];
});
afterEach(() => context.close());

/** Publishes our own banner with a mode. It writes the cookie that servers read. */
async function publish(defaultMode: string): Promise<void> {
  const configuration = { defaultMode, banner: { enabled: true, shareSubdomains: true } };
  expect((await project.request('editor', 'PUT', '/configuration', configuration)).status).toBe(200);
  await until('the configuration is published', async () => {
    const response = await fetch(`${service.baseUrl}/cdn/${project.id}/config.json`);
    const document = (await response.json()) as { banner?: { enabled: boolean }; defaultMode: string };
    return document.banner?.enabled === true && document.defaultMode === defaultMode;
  });
}

async function open(port: number): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`http://www.example.com:${port}/`);
  return page;
}

/** Whether the frame, or its placeholder, is shown. */
const frame = (page: Page) => page.locator('iframe[title="Product video"]');
const placeholder = (page: Page) => page.getByRole('group', { name: 'Product video' });

describe('the example of @service/consent-client', () => {
  const grants = (page: Page) =>
    page.getByRole('list', { name: 'Grants' }).getByRole('listitem').allTextContents();
  const shows = (page: Page, what: string) =>
    until(
      `${what} is shown`,
      async () => (await grants(page)).filter((grant) => grant.endsWith(what)).length === 3,
    );

  it('follows the banner, its own buttons and other tabs', async () => {
    const page = await open(client.port);
    await page.getByRole('button', { name: 'Accept all' }).waitFor();
    expect(await grants(page)).toEqual(['analytics: denied', 'marketing: denied', 'preferences: denied']);
    await page.getByRole('button', { name: 'Accept all' }).click();
    await shows(page, 'granted');
    const other = await open(client.port);
    await shows(other, 'granted');
    await page.getByRole('button', { name: 'Reject everything' }).click();
    await shows(page, 'denied');
    await shows(other, 'denied');
    expect(errors).toEqual([]);
  });

  it('grants everything where visitors opt out, but not against a signal of the browser', async () => {
    await publish('opt_out');
    await shows(await open(client.port), 'granted');
    const signaling = await browser.newContext();
    await signaling.addInitScript(
      'Object.defineProperty(navigator, "globalPrivacyControl", { value: true })',
    );
    // All grants of the page over time, not only the final ones.
    await signaling.addInitScript(
      'addEventListener("DOMContentLoaded", () => new MutationObserver(() => { window.granted ||= document.body.innerText.includes("granted"); }).observe(document, { childList: true, subtree: true }))',
    );
    const page = await signaling.newPage();
    await page.goto(`http://www.example.com:${client.port}/`);
    await page.evaluate('serviceConsent.ready');
    await shows(page, 'denied');
    await until('the signal is recorded', () => page.evaluate('serviceConsent.choice !== null'));
    expect(await page.evaluate('window.granted === true')).toBe(false);
    await signaling.close();
    await publish('opt_in');
  });

  it('takes no element of a page for the loader', async () => {
    const page = await context.newPage();
    await page.route('**/loader.js', (route) => route.abort());
    await page.goto(`http://www.example.com:${client.port}/`);
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<form id="serviceConsent"></form><form id="serviceMeta"></form>');
       document.dispatchEvent(new CustomEvent('serviceConsent:choice'))`,
    );
    expect(await grants(page)).toEqual([]);
  });
});

describe('the example of @service/consent-react', () => {
  const html = async (cookie?: string): Promise<string> => {
    const headers = cookie === undefined ? {} : { cookie };
    return (await fetch(`http://127.0.0.1:${react.port}/`, { headers })).text();
  };
  const now = Math.floor(Date.now() / 1000);

  it('renders a placeholder on the server, and with a choice the frame', async () => {
    expect(await html()).toContain('Allow marketing and play');
    expect(await html()).not.toContain('<iframe');
    expect(await html(`service-consent=v1.010.${now}.1`)).toContain('<iframe');
    expect(await html(`service-consent=v1.010.${now}.1`)).toContain('Analytics not allowed');
    expect(await html(`service-consent=v1.100.${now}.1`)).toContain('Analytics allowed');
    expect(await html('service-consent=v1.111.x.</script>')).not.toContain('<iframe');
  });

  it('allows one category from the placeholder, and removes the frame on withdrawal', async () => {
    const page = await open(react.port);
    await page.getByRole('button', { name: 'Accept all' }).waitFor();
    expect(await frame(page).count()).toBe(0);
    await placeholder(page).getByRole('button', { name: 'Allow marketing and play' }).click();
    await frame(page).waitFor();
    expect(await page.getByText('Analytics not allowed').count()).toBe(1);
    const stored = await until('the record is stored', async () => {
      const [row] = await service.database.query(
        'select analytics, marketing, preferences, action, language, surface from consent_record where project_id = $1 and marketing and not analytics',
        [project.id],
      );
      return row;
    });
    expect(stored).toEqual({
      analytics: false,
      marketing: true,
      preferences: false,
      action: 'custom',
      language: 'en',
      surface: 'placeholder',
    });
    await page.evaluate('serviceConsent.open()');
    await page.getByRole('button', { name: 'Reject all' }).last().click();
    await placeholder(page).waitFor();
    expect(await frame(page).count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('hydrates what the server rendered from the cookie without a mismatch', async () => {
    const page = await open(react.port);
    await page.getByRole('button', { name: 'Accept all' }).click();
    await frame(page).waitFor();
    const cookies = async () => (await context.cookies()).map(({ name, value }) => `${name}=${value}`);
    await until('the cookie is written', async () => (await cookies()).length > 0);
    expect(readChoice((await cookies()).join('; '))).toMatchObject({ analytics: true, policyVersion: '1' });
    expect(await (await page.reload())?.text()).toContain('<iframe');
    await page.getByText('Analytics allowed').waitFor();
    await page.evaluate('serviceConsent.ready');
    expect(await frame(page).count()).toBe(1);
    expect(errors).toEqual([]);
  });
});
