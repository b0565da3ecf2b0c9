import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { until } from '../support/until.js';

const SERVICES = [
  { name: 'Matomo', provider: 'InnoCraft Ltd', category: 'analytics' },
  { name: 'Google Analytics', provider: 'Google Ireland Limited', category: 'analytics' },
  { name: 'Video', provider: 'Example Ltd', category: 'marketing' },
].map((service) => ({ ...service, policyUrl: null, cookies: [] }));
const FOLDER = process.env['SERVICE_CHOICE_PICTURES'];
const ALL = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    ['en', 'de'].map((language) => ({ width, colorScheme, language })),
  ),
);
/** All of them only for pictures, because each takes seconds. */
const APPEARANCES = FOLDER
  ? ALL
  : ALL.filter(({ width, colorScheme, language }) =>
      width === 390
        ? colorScheme === 'dark' && language === 'de'
        : colorScheme === 'light' && language === 'en',
    );

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await made.json()) as { id: string }).id;
  page = await context.newPage();
  await api('PUT', '/configuration', { banner: { enabled: true }, services: SERVICES, serviceChoice: true });
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function api<T>(method: string, path: string, data?: object): Promise<T> {
  const url = `${service.baseUrl}/v1/projects/${projectId}${path}`;
  const response = await context.request.fetch(url, { method, ...(data && { data }) });
  expect(response.ok()).toBe(true);
  return (await response.json()) as T;
}

/** Shows a page in each appearance, and expects no fault of it. */
async function lookAt(name: string, path: string, ready: (shown: Page) => Promise<unknown>): Promise<void> {
  for (const { width, colorScheme, language } of APPEARANCES) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(`localStorage.setItem('language', '${language}')`);
    await page.goto(`${service.baseUrl}/projects/${projectId}${path}`);
    await ready(page);
    expect([name, width, colorScheme, language, await pageFaults(page)]).toEqual([
      name,
      width,
      colorScheme,
      language,
      [],
    ]);
    if (!FOLDER) continue;
    mkdirSync(FOLDER, { recursive: true });
    await page.screenshot({
      path: `${FOLDER}/${name}-${width}-${colorScheme}-${language}.png`,
      fullPage: true,
    });
  }
  await page.evaluate(`localStorage.removeItem('language')`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}

it('turns the choice by service on and off, and shows the id of each service', async () => {
  await page.goto(`${service.baseUrl}/projects/${projectId}/banner?part=offer`);
  const choice = page.getByRole('switch', { name: 'Choice per service' });
  const matomo = page.getByRole('region', { name: 'Matomo' });
  await matomo.getByRole('button', { name: /^matomo/ }).waitFor();
  await choice.click({ force: true });
  await matomo.getByRole('button', { name: /^matomo/ }).waitFor({ state: 'detached' });
  await choice.click({ force: true });
  const shown = page.frameLocator('iframe[title="Banner preview"]');
  await page.getByRole('combobox', { name: 'Layer' }).selectOption('second');
  await shown.getByRole('switch', { name: 'Matomo', exact: true }).waitFor();
  await lookAt('offer', '/banner?part=offer', (opened) =>
    opened.getByRole('button', { name: /^google-analytics/ }).waitFor(),
  );
});

it('lets a blocking rule wait for one service of its category', async () => {
  await page.goto(`${service.baseUrl}/projects/${projectId}/banner?part=blocking`);
  await page.getByRole('switch', { name: 'Block requests until consent' }).click({ force: true });
  await page.getByRole('button', { name: 'Add blocking rule' }).click();
  await page.getByRole('textbox', { name: 'Host', exact: true }).fill('tracker.test');
  const rule = page.getByRole('combobox', { name: 'Service', exact: true });
  expect(await rule.locator('option').allTextContents()).toEqual(['All of the category', 'Video']);
  await page.getByRole('combobox', { name: 'Category', exact: true }).selectOption('analytics');
  await rule.selectOption({ label: 'Google Analytics' });
  await page.getByRole('button', { name: 'Save draft' }).click();
  const draft = await until('saved', async () => {
    const { configuration } = await api<{ configuration: { blocking: object } | null }>(
      'GET',
      '/configuration/draft',
    );
    return configuration;
  });
  expect(draft.blocking).toEqual({
    enabled: true,
    rules: [{ host: 'tracker.test', path: null, category: 'analytics', service: 'google-analytics' }],
  });
  await lookAt('blocking', '/banner?part=blocking', (opened) =>
    opened.locator('.banner-form select').nth(1).waitFor(),
  );
});

it('names the services of a record, in the list and beside it', async () => {
  const configHash = await until('published', async () => {
    const { items } = await api<{ items: { configHash: string; configurationVersion: number }[] }>(
      'GET',
      '/publications',
    );
    return items.find(({ configurationVersion }) => configurationVersion === 1)?.configHash;
  });
  const { id } = await api<{ id: string }>('POST', '/consents', {
    analytics: false,
    marketing: true,
    preferences: false,
    action: 'custom',
    surface: 'preferences',
    language: 'en',
    configHash,
    services: { matomo: true, 'google-analytics': false, video: true, former: false },
  });
  await page.goto(`${service.baseUrl}/projects/${projectId}/consents`);
  await page.getByText('Marketing, 2 of 4 services', { exact: true }).waitFor();
  await lookAt('record', `/consents?open=${id}`, (opened) => opened.getByText('Matomo, Video').waitFor());
  await page.goto(`${service.baseUrl}/projects/${projectId}/consents?open=${id}`);
  const services = page.getByRole('region', { name: 'Services', exact: true });
  await services.getByText('Matomo, Video', { exact: true }).waitFor();
  // The publication does not have the last one.
  await services.getByText('former, Google Analytics', { exact: true }).waitFor();
  const picture = page.locator('iframe').contentFrame();
  expect(await picture.getByRole('switch', { name: 'Matomo', exact: true }).isChecked()).toBe(true);
  expect(await picture.getByRole('switch', { name: 'Google Analytics', exact: true }).isChecked()).toBe(
    false,
  );
});
