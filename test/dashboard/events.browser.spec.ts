import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { accepts, arrived } from '../support/people/event-endpoint.js';
import { signUpIn } from '../support/people/person.js';
import { launchBrowser } from '../support/programs/browser.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { faultsInEachAppearance } from '../support/rules/page-faults.js';
import { until } from '../support/until.js';

const SCREENSHOTS = process.env['EVENTS_SCREENSHOTS'];
const HTML = '<h1 id="from-receiver">Broken</h1>';

let authority: TestAuthority;
let receiver: Receiver;
let service: LoneService;
let browser: Browser;
let owner: BrowserContext;
let viewer: BrowserContext;
let page: Page;
let projectId: string;
let secret: string;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority);
  service = await startLoneService({
    FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
  });
  browser = await launchBrowser();
  owner = await signedUp('ada@example.com', 'Ada');
  viewer = await signedUp('bo@example.com', 'Bo');
  const created = await owner.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await created.json()) as { id: string }).id;
  await api('POST', '/invitations', { email: 'bo@example.com', role: 'viewer' });
  const own = `${service.baseUrl}/v1/me/invitations`;
  const { items } = (await (await viewer.request.get(own)).json()) as { items: { id: string }[] };
  expect((await viewer.request.post(`${own}/${items[0]?.id}/accept`)).status()).toBe(200);
  page = await owner.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await receiver?.close();
  authority?.remove();
});

async function signedUp(email: string, name: string): Promise<BrowserContext> {
  const own = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(own, service, { email, name });
  return own;
}

async function api<T>(method: string, path: string, data?: object): Promise<T> {
  const url = `${service.baseUrl}/v1/projects/${projectId}${path}`;
  const response = await owner.request.fetch(url, { method, ...(data && { data }) });
  const text = await response.text();
  if (!response.ok()) throw new Error(`${method} ${path} returned ${response.status()}: ${text}`);
  return (text === '' ? null : JSON.parse(text)) as T;
}

const events = (of: Page, search = '') =>
  of.goto(`${service.baseUrl}/projects/${projectId}/settings/events${search}`);
const dialog = (name: string, of = page) => of.getByRole('dialog', { name, exact: true });
const rows = (of = page) => of.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
const act = async (name: string): Promise<void> => {
  await page.getByRole('button', { name: /^Actions for / }).press('Enter');
  await page.getByRole('menuitem', { name, exact: true }).click();
};
const makeKey = async (): Promise<string> =>
  (await api<{ id: string }>('POST', '/api-keys', { name: 'Event', role: 'viewer' })).id;

/** No faults in any appearance, and a picture of each where the environment names a folder for them. */
async function expectNoFaults(name: string): Promise<void> {
  let shot = 0;
  const picture = async (width: number): Promise<string[]> => {
    const scheme = shot++ % 2 === 0 ? 'light' : 'dark';
    if (SCREENSHOTS !== undefined)
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${scheme}.png`) });
    return [];
  };
  expect(await faultsInEachAppearance(page, picture)).toEqual([]);
}

describe('event endpoints in the dashboard', () => {
  it('are introduced on an empty page, which the search finds', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}`);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search everything' });
    await palette.locator('input:focus').waitFor();
    await page.keyboard.type('events');
    await palette.getByRole('option', { name: 'Events' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/settings\/events$/);
    await page.getByText('No endpoints yet').waitFor();
    await expectNoFaults('empty');
  });

  it('are added, and show their secret once', async () => {
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    const box = dialog('Add endpoint');
    await box.getByLabel('Endpoint URL').fill('http://hooks.shop.example/');
    await box.getByRole('button', { name: 'Add endpoint' }).click();
    await box.getByText('Select at least one event type.').waitFor();
    await box.getByRole('checkbox', { name: 'Members and keys' }).check();
    await box.getByRole('checkbox', { name: 'member.left' }).uncheck();
    await box.getByRole('button', { name: 'Add endpoint' }).click();
    await box.getByText('The endpoint URL must start with https://.').waitFor();
    await box.getByLabel('Endpoint URL').fill(receiver.url);
    await box.getByLabel('Description').fill('Tickets for our developers');
    await expectNoFaults('create');
    await box.getByRole('button', { name: 'Add endpoint' }).click();
    const added = dialog('Endpoint added');
    secret = (await added.getByLabel('Signing secret', { exact: true }).textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await expectNoFaults('secret');
    await added.getByRole('link', { name: 'Open endpoint' }).click();
    await page.getByText('No deliveries yet').waitFor();
    expect(await page.content()).not.toContain(secret);
    const { items } = await api<{ items: { eventTypes: string[] }[] }>('GET', '/event-endpoints');
    expect(items[0]?.eventTypes.toSorted()).toEqual(['api_key.created', 'api_key.revoked', 'member.joined']);
  });

  it('are tested, and say how it went', async () => {
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText(/^The test was delivered: 204 in [\d,]+ ms\.$/).waitFor();
    expect(await rows().first().textContent()).toContain('test.ping');
    expect(receiver.requests.filter((request) => accepts(secret, request))).toHaveLength(1);
  });

  it('list a delivery with its request', async () => {
    const key = await makeKey();
    await arrived(receiver, key);
    await rows().filter({ hasText: 'api_key.created' }).first().click();
    const drawer = page.getByRole('dialog', { name: /^Delivery/ });
    await drawer.getByText('Delivered', { exact: true }).first().waitFor();
    const request = await drawer.getByRole('region', { name: 'Request', exact: true }).textContent();
    expect(request).toContain(`POST ${receiver.url}`);
    expect(request).toContain('webhook-signature: v1,••••••••');
    expect(request).toContain(key);
    await expectNoFaults('delivery');
    await drawer.getByRole('button', { name: 'Resend' }).click();
    await arrived(receiver, key, 2);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });

  it('get a new secret, beside which the old one signs', async () => {
    await act('Rotate secret');
    await dialog('Rotate secret').getByRole('button', { name: 'Rotate secret' }).click();
    const shown = dialog('Rotate secret').getByLabel('Signing secret', { exact: true });
    const next = (await shown.textContent()) ?? '';
    expect(next).not.toBe(secret);
    await dialog('Rotate secret').getByRole('button', { name: 'Close' }).last().click();
    const [request] = await arrived(receiver, await makeKey());
    expect(request && [accepts(secret, request), accepts(next, request)]).toEqual([true, true]);
    await page.getByRole('button', { name: 'Retire old secret' }).click();
    await page.getByText('Old secret retired.').waitFor();
    const [last] = await arrived(receiver, await makeKey());
    expect(last && [accepts(secret, last), accepts(next, last)]).toEqual([false, true]);
  });

  it('refuse a change that was made over another one', async () => {
    await act('Edit');
    const { items } = await api<{ items: { id: string }[] }>('GET', '/event-endpoints');
    await api('PATCH', `/event-endpoints/${items[0]?.id}`, { description: 'By someone else' });
    await dialog('Edit endpoint').getByLabel('Description').fill('Mine');
    await dialog('Edit endpoint').getByRole('button', { name: 'Save changes' }).click();
    await dialog('Edit endpoint').getByText('Someone else changed this. Reload the page.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('By someone else').first().waitFor();
    await act('Edit');
    await dialog('Edit endpoint').getByLabel('Store response bodies of failed attempts').check();
    await dialog('Edit endpoint').getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  it('send what they missed while they were disabled', async () => {
    await act('Disable');
    await dialog('Disable endpoint').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('This endpoint is disabled.').waitFor();
    const missed = await makeKey();
    await expectNoFaults('disabled');
    await page.getByRole('note').getByRole('button', { name: 'Enable' }).click();
    await expectNoFaults('enable');
    await dialog('Enable endpoint').getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Endpoint enabled. 1 missed event queued.').waitFor();
    await arrived(receiver, missed);
  });

  it('show why they are held, and the response of a failed attempt as text', async () => {
    receiver.behave({ kind: 'answer', status: 503, body: HTML });
    for (let made = 0; made < 6; made += 1) await makeKey();
    await page.getByText('Held since').first().waitFor({ timeout: 30_000 });
    await page.getByText('The endpoint returned 503.').first().waitFor();
    await rows().filter({ hasText: 'Failed' }).first().click();
    const drawer = page.getByRole('dialog', { name: /^Delivery/ });
    await drawer.getByText('Response body').first().press('Enter');
    expect(await drawer.getByRole('region', { name: 'Response body' }).first().textContent()).toBe(HTML);
    expect(await page.locator('#from-receiver').count()).toBe(0);
    await expectNoFaults('failed');
    await drawer.getByRole('button', { name: 'Skip' }).click();
    await page.getByText('Event skipped.').waitFor();
    await page.keyboard.press('Escape');
    await expectNoFaults('held');
    await events(page);
    await page.getByText(/ is held\.$/).waitFor();
    await expectNoFaults('list');
    await page.getByRole('link', { name: 'Open', exact: true }).click();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('Sending the oldest waiting event.').waitFor();
    receiver.behave({ kind: 'answer', status: 204 });
    await page.getByText('Held since').first().waitFor({ state: 'detached', timeout: 30_000 });
    await until('nothing waits', async () => {
      const { items } = await api<{ items: { waiting: number }[] }>('GET', '/event-endpoints');
      return items[0]?.waiting === 0;
    });
  });

  it('stand beside the log of events, whose filters are in the address', async () => {
    await events(page, '?type=member.joined');
    const log = page.getByRole('table', { name: 'Events of this project' }).locator('tbody tr');
    await log.first().waitFor();
    expect(await log.allTextContents()).toEqual([expect.stringContaining('member.joined')]);
    await log.first().click();
    const drawer = page.getByRole('dialog', { name: /^Event/ });
    const body = await drawer.getByRole('region', { name: 'Request body' }).textContent();
    expect(JSON.parse(body ?? '')).toMatchObject({ type: 'member.joined', data: { role: 'viewer' } });
    await drawer.getByText('No endpoint listed this type').waitFor();
    await expectNoFaults('event');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter: Type: member.joined' }).click();
    await page.waitForURL(/\/settings\/events$/);
    await log.filter({ hasText: 'api_key.created' }).first().waitFor();
  });

  it('are read by viewers, who learn which role they need', async () => {
    const seen = await viewer.newPage();
    await events(seen);
    await seen.getByText('Requires the Editor role').waitFor();
    expect(await seen.getByRole('button', { name: 'Add endpoint' }).isDisabled()).toBe(true);
    await seen.getByRole('list', { name: 'Endpoints' }).getByRole('link').click();
    await rows(seen).first().waitFor();
    for (const name of ['Send test', 'Edit', 'Rotate secret', 'Recover…'])
      expect([name, await seen.getByRole('button', { name, exact: true }).isDisabled()]).toEqual([
        name,
        true,
      ]);
    await seen.close();
  });

  it('are described in German', async () => {
    const german = await owner.newPage();
    await german.addInitScript(() => localStorage.setItem('language', 'de'));
    await events(german);
    await german.getByRole('heading', { name: 'Ereignisse', exact: true }).waitFor();
    await german.getByText('Aktiv', { exact: true }).waitFor();
    const english = page;
    page = german;
    await german.getByRole('button', { name: 'Endpunkt hinzufügen' }).click();
    await german.getByRole('checkbox', { name: 'Mitglieder und Schlüssel' }).waitFor();
    await expectNoFaults('create-de');
    await german.keyboard.press('Escape');
    await expectNoFaults('list-de');
    await german.getByRole('list', { name: 'Endpunkte' }).getByRole('link').click();
    await german.getByRole('table', { name: 'Zustellungen' }).locator('tbody tr').first().waitFor();
    await expectNoFaults('endpoint-de');
    page = english;
    await german.evaluate(() => localStorage.removeItem('language'));
    await german.close();
  });

  it('are deleted after a question', async () => {
    await events(page);
    await page.getByRole('list', { name: 'Endpoints' }).getByRole('link').click();
    await act('Delete');
    await dialog('Delete endpoint').getByText('its delivery log is deleted').waitFor();
    await dialog('Delete endpoint').getByRole('button', { name: 'Delete endpoint' }).click();
    await page.getByText('No endpoints yet').waitFor();
  });
});
