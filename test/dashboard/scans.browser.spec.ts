import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { requireExtra } from '../support/extras.js';
import { type LoneService, startLoneService } from '../support/processes.js';

const AXE = readFileSync(requireExtra.resolve('axe-core/axe.min.js'), 'utf8');
/** A scan of the demo shop takes about 20 s on a machine that has nothing else to do. */
const SCAN_TIMEOUT_MS = 100_000;

// What runs inside a page knows these; the DOM's own types would be there for the whole program.
declare const axe: { run(): Promise<{ violations: { id: string }[] }> };
declare const document: { documentElement: { scrollWidth: number; clientWidth: number } };

let service: LoneService;
let browser: Browser;
let owner: BrowserContext;
let page: Page;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  owner = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  page = await owner.newPage();
  // The link signs the demo project's owner in, and leads to the project.
  await page.goto(/dashboard +(\S+)/.exec(service.output())?.[1] ?? '');
  await page.getByRole('link', { name: 'Scans', exact: true }).click();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function expectNoFindings(): Promise<void> {
  // The dashboard's policy allows no script of the page's address; the protocol is not bound by it.
  await page.evaluate(AXE);
  expect((await page.evaluate(() => axe.run())).violations.map(({ id }) => id)).toEqual([]);
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth: whole, clientWidth: shown } = document.documentElement;
    return { scrollWidth: whole, clientWidth: shown };
  });
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
}

describe('the Scans page', () => {
  it('explains what a scan is where there is none', async () => {
    await page.getByText('No scans yet').waitFor();
    await page.getByText('20 scans of 20 left in 24 hours, up to 350 pages each.').waitFor();
    await expectNoFindings();
  });

  it('shows beside the address why it is refused', async () => {
    await page.getByRole('button', { name: 'Scan now' }).click();
    const addresses = page.getByRole('textbox', { name: 'Addresses' });
    expect(await addresses.inputValue()).toBe(`${service.baseUrl}/demo/shop`);
    await addresses.fill('https://other.example/');
    await page.getByRole('button', { name: 'Start scan' }).click();
    await page.getByText('https://other.example/: The host must be one of the project’s domains').waitFor();
    await addresses.fill(`${service.baseUrl}/demo/shop`);
    await expectNoFindings();
  });

  it('scans the demo shop, and lists what it does before a choice', async () => {
    await page.getByRole('button', { name: 'Start scan' }).click();
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: SCAN_TIMEOUT_MS });
    const row = (...texts: string[]) =>
      texts.reduce((rows, text) => rows.filter({ hasText: text }), page.getByRole('row')).first();
    await row('_ads_id', 'First party', 'Script', '/demo/shop').waitFor();
    await row('shop_session', 'Response', 'Session').waitFor();
    await expectNoFindings();
    await page.getByText('Requests', { exact: true }).click();
    await row('localhost:', '/demo/shop/pixel.gif?page', 'Third party', 'image').waitFor();
    await page.getByText('Storage', { exact: true }).click();
    await row('shop_last_seen', 'localStorage').waitFor();
    await page.getByText('Pages', { exact: true }).click();
    await row('/demo/shop/product/', 'Skipped', 'Other pages with the same template were visited.').waitFor();
  });

  it('opens the same view after a reload, and lists the scan', async () => {
    await page.reload();
    await page.getByRole('table', { name: 'Pages' }).waitFor();
    await page.getByRole('link', { name: 'All scans' }).click();
    await page.getByRole('row').filter({ hasText: 'Completed' }).filter({ hasText: '/demo/shop' }).waitFor();
  });
});
