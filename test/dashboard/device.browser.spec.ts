import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { signUpIn } from '../support/people/person.js';
import { launchBrowser } from '../support/programs/browser.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { faultsInEachAppearance } from '../support/rules/page-faults.js';
import { PASSWORD } from '../support/people/user.js';

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function codes(name: string): Promise<{ device: string; user: string }> {
  const response = await fetch(`${service.baseUrl}/v1/auth/device/code`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'consent-cli', device_name: name }),
  });
  const { device_code: device = '', user_code: user = '' } = (await response.json()) as Record<
    string,
    string
  >;
  return { device, user };
}

const poll = async (device: string): Promise<Record<string, unknown>> => {
  const response = await fetch(`${service.baseUrl}/v1/auth/device/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: device,
      client_id: 'consent-cli',
    }),
  });
  return (await response.json()) as Record<string, unknown>;
};

const heading = (name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const button = (name: string) => page.getByRole('button', { name, exact: true });

describe('the page of consent login', () => {
  it('shows the code and the machine, and approves it', async () => {
    const { device, user } = await codes('build-7.example');
    await page.goto(`${service.baseUrl}/device?code=${user}`);
    await heading('Sign in a machine');
    await page.getByText('build-7.example').waitFor();
    expect(await page.locator('.device-code').textContent()).toBe(user);
    expect(await faultsInEachAppearance(page)).toEqual([]);
    await button('Approve').click();
    await heading('Machine signed in');
    expect(await poll(device)).toMatchObject({ access_token: expect.stringMatching(/^cp_/) });
  });

  it('takes a typed code, says that one is wrong, and denies', async () => {
    const { device, user } = await codes('laptop');
    await page.goto(`${service.baseUrl}/device`);
    await page.getByLabel('Code').fill('BBBB-BBBB');
    await button('Continue').click();
    await page.getByText('This code is unknown').waitFor();
    await page.getByLabel('Code').fill(user.toLowerCase());
    await button('Continue').click();
    await button('Deny').click();
    await heading('Request denied');
    expect(await poll(device)).toMatchObject({ error: 'access_denied' });
  });

  it('asks for the password after an hour', async () => {
    const { device, user } = await codes('laptop');
    await page.route('**/v1/auth/device/read', async (route) => {
      const response = await route.fetch();
      const shown = (await response.json()) as object;
      await route.fulfill({ response, json: { ...shown, signedInRecently: false } });
    });
    await page.goto(`${service.baseUrl}/device?code=${user}`);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await button('Approve').click();
    await heading('Machine signed in');
    expect(await poll(device)).toMatchObject({ token_type: 'Bearer' });
  });

  it('comes back after signing in', async () => {
    const own = await browser.newContext();
    const stranger = await own.newPage();
    await stranger.goto(`${service.baseUrl}/device?code=BCDF-GHJK`);
    await stranger.waitForURL(/\/sign-in\?to=.*device.*BCDF-GHJK/);
    await own.close();
  });

  it('lists the machines in the account, and revokes one', async () => {
    await page.goto(`${service.baseUrl}/account`);
    const section = page.getByRole('table', { name: 'Command line' });
    await section.getByText('build-7.example').waitFor();
    expect(await faultsInEachAppearance(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke the token of build-7.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
    await section.getByText('build-7.example').waitFor({ state: 'detached' });
    await section.getByText('laptop').waitFor();
  });
});
