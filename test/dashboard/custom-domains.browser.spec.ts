import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { documentedLine } from '../support/programs/edge.js';
import { type DnsRecord, type DnsServer, startDnsServer } from '../support/fakes/dns-server.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { RawClient } from '../support/fakes/raw-request.js';
import { until } from '../support/until.js';

const TARGET = 'edge.service.test';
const HOST = 'consent.teashop.example';
const SCREENSHOTS = process.env['DOMAIN_SCREENSHOTS'];

const records: Record<string, DnsRecord | null> = {};
let dns: DnsServer;
let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let id: string;
let section: Locator;
let card: Locator;

beforeAll(async () => {
  dns = await startDnsServer(records);
  service = await startLoneService({
    CUSTOM_DOMAIN_TARGET: TARGET,
    CUSTOM_DOMAIN_RESOLVERS: dns.address,
  });
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  const created = await context.request.post(`${service.baseUrl}/v1/projects`, {
    data: { name: 'Tea shop', domains: ['www.teashop.example'] },
  });
  ({ id } = (await created.json()) as { id: string });
  page = await context.newPage();
  await page.goto(`${service.baseUrl}/projects/${id}/install`);
  section = page.getByRole('region', { name: 'Custom domains' });
  card = section.getByRole('article', { name: HOST });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await dns?.close();
});

/** No faults at the widths of a phone and a desk, in both color schemes. */
async function expectNoFaults(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [375, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await pageFaults(page)).toEqual([]);
      if (SCREENSHOTS !== undefined)
        await section.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`) });
    }
}

const checkNow = (): Promise<void> => card.getByRole('button', { name: 'Check now' }).click();

describe('custom domains', () => {
  it('are refused with a reason beside the field', async () => {
    await section.getByText('No custom domains yet.').waitFor();
    await section.getByRole('button', { name: 'Add domain' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Hostname').fill('consent.elsewhere.example');
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await dialog.getByText('Enter a host below one of the project’s domains').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await dialog.getByLabel('Hostname').fill(HOST);
    await dialog.getByRole('button', { name: 'Add domain' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('show the record to create, and what is wrong with it', async () => {
    await card.getByText('Waiting for the DNS record').waitFor();
    expect(await card.getByLabel('CNAME Name').textContent()).toBe(HOST);
    const value = await card.getByLabel('CNAME Value').textContent();
    expect(value).toMatch(/^[0-9a-f]{32}\.edge\.service\.test$/);
    expect(await card.getByLabel('TXT Name').textContent()).toBe(`_service-challenge.${HOST}`);
    expect(value).toContain(await card.getByLabel('TXT Value').textContent());
    await checkNow();
    await card.getByText('We found no record.').waitFor();
    records[HOST] = { alias: 'cdn.elsewhere.example' };
    await checkNow();
    await card.getByText('The host points to cdn.elsewhere.example.').waitFor();
    await expectNoFaults('pending');
  });

  it('are verified, and name the CAA records that keep a certificate away', async () => {
    records[HOST] = { alias: String(await card.getByLabel('CNAME Value').textContent()) };
    records['teashop.example'] = { issuers: ['pki.goog'] };
    await checkNow();
    await card.getByText('Verified, no request yet').waitFor();
    await card
      .getByText('CAA records allow only pki.goog. Add a CAA record that allows letsencrypt.org')
      .waitFor();
    await expectNoFaults('caa');
    records['teashop.example'] = { issuers: ['letsencrypt.org'] };
    await checkNow();
    await card.getByText('CAA records allow letsencrypt.org.').waitFor();
    await card.getByText('The certificate is requested with the first visit.').waitFor();
  });

  it('become active with the first visit, and show their script tag', async () => {
    const client = new RawClient(service.baseUrl, { connectionsMax: 1, timeoutMs: 5_000 });
    await until('the host is served', async () => {
      const path = `/cdn/${id}/loader.js`;
      return (await client.send({ method: 'GET', path, headers: { host: HOST } })).status === 200;
    });
    client.close();
    await card.getByText('Active', { exact: true }).waitFor();
    await card.getByText('Certificate in use. Last request').waitFor();
    expect(await card.getByLabel(`Script tag for ${HOST}`).textContent()).toBe(
      documentedLine({ hostname: HOST, fallback: service.baseUrl, projectId: id }),
    );
    await expectNoFaults('active');
  });

  it('say what happens when the record is gone', async () => {
    records[HOST] = [];
    await checkNow();
    await card.getByText('No longer verified').waitFor();
    await card.getByText('Suspended if not fixed by').waitFor();
    await expectNoFaults('failing');
  });

  it('are explained in German', async () => {
    const german = await context.newPage();
    await german.addInitScript(() => localStorage.setItem('language', 'de'));
    await german.goto(`${service.baseUrl}/projects/${id}/install`);
    await german.getByText('Nicht mehr bestätigt').waitFor();
    await german.close();
  });

  it('can be removed', async () => {
    await card.getByRole('button', { name: 'Remove domain' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Change the script tag of your pages first').waitFor();
    await dialog.getByRole('button', { name: 'Remove domain' }).click();
    await section.getByText('No custom domains yet.').waitFor();
  });
});
