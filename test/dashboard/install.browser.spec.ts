import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';

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
      const guides = page.getByRole('region', { name: 'Installation guides' });
      await guides.getByRole('tab', { name: title, exact: true }).click();
      const panel = guides.getByRole('tabpanel', { name: title });
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

describe('the site’s own host', () => {
  it('has a secret that the guides contain once, and that can be rotated and removed', async () => {
    const ownHost = page.getByRole('region', { name: 'Your own host' });
    await page.getByText('No requests through your host yet.').waitFor();
    await page.getByRole('button', { name: 'Create proxy secret' }).click();
    const secret = await page.getByLabel('Proxy secret', { exact: true }).textContent();
    expect(secret).toMatch(/^fps_[\w-]{43}$/);
    for (const server of ['nginx', 'Caddy', 'Apache', 'HAProxy', 'Express', 'Netlify', 'WordPress']) {
      await ownHost.getByRole('tab', { name: server, exact: true }).click();
      const guide = await page.getByLabel(`Guide for ${server}`).textContent();
      expect(guide).toContain(secret);
      expect(guide).not.toMatch(/<projectId>|<secret>|consent\.example\.com/);
    }
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await pageFaults(page)).toEqual([]);
    }

    await page.getByRole('button', { name: 'Rotate proxy secret' }).click();
    await page.getByText('The old secret also works until').waitFor();
    await page.getByRole('button', { name: 'Retire the old secret' }).click();
    await page.getByText('The old secret also works until').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove proxy secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove proxy secret' }).click();
    await page.getByRole('button', { name: 'Create proxy secret' }).waitFor();
  });

  it('says what is wrong where requests arrive without the secret', async () => {
    const { origin, pathname } = new URL(address);
    const [, , id] = pathname.split('/');
    await fetch(`${origin}/first-party/${id}/cdn/${id}/config.json`);
    await page.getByText('Requests arrive without a valid secret').waitFor();
    expect(await pageFaults(page)).toEqual([]);
  });
});
