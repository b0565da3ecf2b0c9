import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { faultsInEachAppearance, pageFaults } from '../support/rules/page-faults.js';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  service = await startTestService();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

async function open(path: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== service.baseUrl && protocol !== 'data:' && protocol !== 'blob:')
      problems.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(service.baseUrl + path);
  return { page, problems };
}

it('draws the reference with our fonts, and sends requests to this service only', async () => {
  const { page, problems } = await open('/docs');
  const groups = page.getByRole('complementary');
  await groups.getByText('Consents', { exact: true }).click();
  // The operations of a group are drawn when it is opened.
  await groups.getByText('Erase one consent record').click();
  await page.getByText('/consents/{consentId}').first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'attached' });
  await page.keyboard.type('resend');
  await page.getByRole('option').first().waitFor();
  expect(problems).toEqual([]);
  // A checkbox of the viewer, which says its state another way.
  expect(await pageFaults(page)).toEqual(['aria-required-attr: .appearance-none']);
  await page.close();
});

it.each(['/docs/guides', '/docs/receiver', '/docs/evidence'])('shows %s without faults', async (path) => {
  const { page, problems } = await open(path);
  expect(await faultsInEachAppearance(page)).toEqual([]);
  expect(problems).toEqual([]);
  await page.close();
});
