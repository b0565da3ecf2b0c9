import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';

/** The first two delays are 5 to 6 and 10 to 12 seconds. */
const RETRIED_MS = 60_000;

let authority: TestAuthority;
let receiver: Receiver;
let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority, { behaviour: { kind: 'answer', status: 503 } });
  service = await startLoneService({
    FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
  });
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  const created = await context.request.post(`${service.baseUrl}/v1/projects`, {
    data: { name: 'Tea shop' },
  });
  projectId = ((await created.json()) as { id: string }).id;
  await api('POST', '/tier/simulate', { tier: 'pro' });
  await api('PUT', '/forwarding', { enabled: true, endpointUrl: receiver.url, authMode: 'none' });
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await receiver?.close();
  authority?.remove();
});

async function api<T>(method: string, path: string, data?: object): Promise<T> {
  const url = `${service.baseUrl}/v1/projects/${projectId}${path}`;
  const response = await context.request.fetch(url, { method, ...(data && { data }) });
  if (!response.ok()) throw new Error(`${method} ${path} returned ${response.status()}`);
  return (await response.json()) as T;
}

const open = (path: string): Promise<unknown> => page.goto(`${service.baseUrl}/projects/${projectId}${path}`);

describe('automatic retries in the dashboard', () => {
  it('are off until the owner turns them on, for a number of hours', async () => {
    await open('/settings/consent/records-and-archive');
    const retries = page.getByLabel('Retry failed deliveries automatically');
    const hours = page.getByLabel('Retry for up to (hours)');
    await retries.waitFor();
    expect([await retries.isChecked(), await hours.count()]).toEqual([false, 0]);
    await retries.press('Space');
    expect(await hours.inputValue()).toBe('24');
    await hours.fill('6');
    await page.getByRole('button', { name: 'Save changes', exact: true }).first().press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await api('GET', '/forwarding')).toMatchObject({ retryFailures: { enabled: true, hours: 6 } });
    await page.reload();
    expect(await hours.inputValue()).toBe('6');
  });

  it('show the number of the attempt and when the next one is, until the record is delivered', async () => {
    const choice = { analytics: true, marketing: false, preferences: true, action: 'custom' };
    const { id } = await api<{ id: string }>('POST', '/consents', choice);
    await open('/deliveries');
    const rows = page.getByRole('table', { name: 'Delivery attempts' }).locator('tbody tr');
    await rows
      .first()
      .getByText(/^Retrying (now|in \d+ seconds?)\. Server error/)
      .waitFor();
    await page.getByText('1 record failed and will be retried.').waitFor();
    // It waits, so it does not count as undelivered.
    expect(await page.locator('[data-undelivered]').count()).toBe(0);
    await rows.first().getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Consent record' });
    await drawer.getByText(/^Waiting for attempt 2: (now|in \d+ seconds?)$/).waitFor();
    // The second attempt fails too, and the third is announced.
    await drawer.getByText(/^Waiting for attempt 3: /).waitFor({ timeout: RETRIED_MS });
    await drawer.getByText('Attempt 2').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    receiver.behave({ kind: 'answer', status: 204 });
    await drawer.getByText(/returned 204 in \d+ ms\. Attempt 3$/).waitFor({ timeout: RETRIED_MS });
    expect(await drawer.getByText(/^Resent/).count()).toBe(0);
    await page.keyboard.press('Escape');
    await rows
      .first()
      .getByText(/^Attempt 3: /)
      .waitFor();
    expect(await rows.count()).toBe(3);
    expect(await api('GET', `/consents/${id}`)).toMatchObject({
      delivery: { outcome: 'delivered', attempt: 3 },
    });
  });
});
