import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import type { Json } from '../support/people/json.js';
import { announceTestScan, insertTestScan } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { BEHIND_LOOPBACK_PROXY, signUp } from '../support/people/user.js';

/** Would be shown as "Shop of piz.exe"; a cookie's name can hold the same characters. */
const PROJECT = 'Shop of \u202Eexe.zip';
const COOKIE = 'sid\u202Eda_\u200Bag_';
const HIDDEN = /[\p{Cc}\p{Cf}]/u;

let service: TestService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;
let scanId: string;

const go = (path: string): Promise<unknown> => page.goto(`${service.baseUrl}/projects/${projectId}${path}`);

beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', OUTBOX_POLL_MS: '50', ...BEHIND_LOOPBACK_PROXY });
  const ada = await signUp(service);
  const project = (await (await ada.request('POST', '/v1/projects', { name: PROJECT })).json()) as Json;
  projectId = String(project['id']);
  const { database } = service;
  scanId = await insertTestScan((sql, params) => database.query(sql, params), projectId, {
    items: [{ name: COOKIE, states: ['before', 'reject'], details: { setBy: 'script' } }],
  });
  await announceTestScan(database.orm.em, projectId, scanId);
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  const pairs = ada.cookie.split('; ').map((pair) => pair.split(/=(.*)/s));
  await context.addCookies(pairs.map(([name = '', value = '']) => ({ name, value, url: service.baseUrl })));
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** The visible text of the page, and its text for screen readers. */
async function expectNothingHidden(): Promise<void> {
  const labels = page.locator('[title], [aria-label], [placeholder]');
  const named = await labels.evaluateAll((all) =>
    all.map((each) =>
      ['title', 'aria-label', 'placeholder'].map((name) => each.getAttribute(name) ?? '').join(' '),
    ),
  );
  const shown = [await page.locator('body').innerText(), await page.title(), ...named];
  // Line feeds and tabs are innerText's own.
  expect(shown.filter((text) => HIDDEN.test(text.replace(/[\n\t]/g, '')))).toEqual([]);
}

describe('names that others chose', () => {
  it('show their hidden characters, isolated, in findings and lists of a scan', async () => {
    await go(`/scans/${scanId}`);
    await page.locator('button bdi', { hasText: 'sid[U+202E]da_[U+200B]ag_' }).waitFor();
    await page.getByText('“sid[U+202E]da_[U+200B]ag_” was set on / by an unknown script').first().waitFor();
    await expectNothingHidden();
    await page.getByRole('tab', { name: 'Cookies' }).click();
    await page.locator('td bdi', { hasText: 'sid[U+202E]da_[U+200B]ag_' }).first().waitFor();
    await expectNothingHidden();
  });

  it('show them in decisions about cookies', async () => {
    await go('/cookies');
    await page.getByRole('combobox', { name: 'Category of sid[U+202E]da_[U+200B]ag_' }).waitFor();
    await expectNothingHidden();
  });

  it('show them in the project switcher, its menu and the list of projects', async () => {
    await page.locator('.switcher bdi', { hasText: 'Shop of [U+202E]exe.zip' }).click();
    await page.locator('[role=option] bdi', { hasText: 'Shop of [U+202E]exe.zip' }).waitFor();
    await expectNothingHidden();
    await page.goto(`${service.baseUrl}/projects`);
    await page.locator('td bdi', { hasText: 'Shop of [U+202E]exe.zip' }).waitFor();
    await expectNothingHidden();
  });

  it('can be typed as they are shown, to delete the project', async () => {
    await go('/settings/project');
    await page.getByRole('button', { name: 'Delete project' }).click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Delete project' });
    const typed = dialog.getByRole('textbox');
    await typed.fill('Shop of exe.zip');
    expect(await confirm.isDisabled()).toBe(true);
    await typed.fill('Shop of [U+202E]exe.zip');
    await confirm.click();
    await page.getByText('Shop of [U+202E]exe.zip').first().waitFor();
    await expectNothingHidden();
  });
});
