import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { pageFaults } from '../support/page-faults.js';
import { signUpIn } from '../support/person.js';
import { type LoneService, startLoneService } from '../support/processes.js';

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let address: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  const created = await context.request.post(`${service.baseUrl}/v1/projects`, {
    data: { name: 'Tea shop' },
  });
  const { id } = (await created.json()) as { id: string };
  address = `${service.baseUrl}/cdn/${id}/loader.js`;
  page = await context.newPage();
  await page.goto(`${service.baseUrl}/projects/${id}/install`);
  await page.getByRole('tab', { name: 'HTML' }).waitFor();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe('the guides of the page Install', () => {
  it.each(['HTML', 'Tag Manager', 'WordPress', 'Shopify', 'Wix', 'Next.js'])(
    'have three steps and the ready line for %s',
    async (title) => {
      await page.getByRole('tab', { name: title, exact: true }).click();
      const panel = page.getByRole('tabpanel', { name: title });
      expect(await panel.getByRole('listitem').count()).toBe(3);
      expect(await panel.getByLabel('Code sample').textContent()).toContain(`<script src="${address}"`);
      for (const width of [375, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await pageFaults(page)).toEqual([]);
      }
    },
  );

  it('say which tags run before the script that Tag Manager loads', async () => {
    await page.getByRole('tab', { name: 'Tag Manager' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Tag Manager' });
    await panel.getByText('Consent Initialization – All Pages').waitFor();
    await panel.getByText('Google’s tags treat consent as granted').waitFor();
  });
});
