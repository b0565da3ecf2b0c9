import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { until } from '../support/until.js';

const HTML = '<h1 id="from-receiver">Broken</h1><script>document.title = "taken over"</script>';

let authority: TestAuthority;
let receiver: Receiver;
let service: LoneService;
let browser: Browser;
let owner: BrowserContext;
let viewer: BrowserContext;
let projectId: string;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority, {
    behaviour: { kind: 'answer', status: 422, body: HTML, headers: { 'content-type': 'text/html' } },
  });
  service = await startLoneService({
    FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
  });
  browser = await launchBrowser();
  owner = await signedUp('ada@example.com', 'Ada');
  viewer = await signedUp('bo@example.com', 'Bo');
  const created = await owner.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await created.json()) as { id: string }).id;
  await api('POST', '/tier/simulate', { tier: 'business' });
  await api('PUT', '/forwarding', { enabled: true, endpointUrl: receiver.url, authMode: 'none' });
  await api('POST', '/invitations', { email: 'bo@example.com', role: 'viewer' });
  const own = `${service.baseUrl}/v1/me/invitations`;
  const { items } = (await (await viewer.request.get(own)).json()) as { items: { id: string }[] };
  expect((await viewer.request.post(`${own}/${items[0]?.id}/accept`)).status()).toBe(200);
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

/** Stores a record and waits for its failed attempt. */
async function failedRecord(): Promise<string> {
  const choice = { analytics: true, marketing: false, preferences: true, action: 'custom' };
  const { id } = await api<{ id: string }>('POST', '/consents', choice);
  await until('the attempt failed', async () => {
    const { items } = await api<{ items: unknown[] }>('GET', `/forwarding/deliveries?consentId=${id}`);
    return items.length > 0;
  });
  return id;
}

async function openRecord(of: BrowserContext, id: string): Promise<Page> {
  const page = await of.newPage();
  await page.goto(`${service.baseUrl}/projects/${projectId}/consents?open=${id}`);
  await page.getByRole('dialog', { name: 'Consent record' }).getByText('Rejected (4xx)').first().waitFor();
  return page;
}

describe('response bodies in the dashboard', () => {
  it('are stored once the owner turns it on', async () => {
    const page = await owner.newPage();
    await page.goto(`${service.baseUrl}/projects/${projectId}/settings/consent/records-and-archive`);
    const setting = page.getByLabel('Store response bodies of failed attempts');
    expect(await setting.isChecked()).toBe(false);
    await setting.press('Space');
    await page.getByRole('button', { name: 'Save changes', exact: true }).first().press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await api('GET', '/forwarding')).toMatchObject({ keepResponseBodies: true });
    await page.close();
  });

  it('are shown as text', async () => {
    const page = await openRecord(owner, await failedRecord());
    await page.getByText('Response body', { exact: true }).press('Enter');
    const shown = page.getByRole('region', { name: 'Response body' });
    await shown.waitFor();
    expect(await shown.textContent()).toBe(HTML);
    expect(await page.locator('#from-receiver').count()).toBe(0);
    expect(await page.title()).not.toBe('taken over');
    await page.close();
  });

  it('are not requested for viewers, who learn which role they need', async () => {
    const page = await openRecord(viewer, await failedRecord());
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.getByText('Response body', { exact: true }).press('Enter');
    await page.getByText('Requires the Editor role').first().waitFor();
    expect(await page.getByRole('region', { name: 'Response body' }).count()).toBe(0);
    expect(requests.filter((url) => url.includes('response-body'))).toEqual([]);
    await page.close();
  });
});
