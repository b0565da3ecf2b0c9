import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { faultsInEachAppearance, pageFaults } from '../support/rules/page-faults.js';
import { linkMailedTo, signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { formerTotpCode, totpCode } from '../support/people/totp.js';
import { PASSWORD } from '../support/people/user.js';

let service: LoneService;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const section = (name: string) => page.getByRole('region', { name, exact: true });
const passwordIn = (within: Pick<Page, 'locator'> = page) => within.locator('input[name=password]');
const openAccount = async (): Promise<void> => {
  await page.goto(`${service.baseUrl}/account`);
  await section('Sessions').getByText('Current session').waitFor();
};

describe('a person in her account', () => {
  it('finds it without fault, wide and narrow, light and dark', async () => {
    await openAccount();
    expect(await faultsInEachAppearance(page)).toEqual([]);
  });

  it('is told by her password manager whose password each form asks for', async () => {
    const advice: string[] = [];
    page.on('console', (message) => advice.push(message.text()));
    await openAccount();
    const names = await page
      .locator('form:has(input[type=password])')
      .evaluateAll((forms) =>
        forms.map((form) => form.querySelector('input[autocomplete=username]')?.getAttribute('value')),
      );
    expect(names).toEqual(Array(4).fill('ada@example.com'));
    expect(advice).toEqual([]);
    page.removeAllListeners('console');
  });

  it('changes her name', async () => {
    await section('Profile').getByLabel('Name').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
  });

  it('signs another device out', async () => {
    const other = await browser.newContext({
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    });
    const data = { email: 'ada@example.com', password: PASSWORD };
    await other.request.post(`${service.baseUrl}/v1/auth/sign-in/email`, {
      data,
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
    });
    expect((await other.request.get(`${service.baseUrl}/v1/me`)).status()).toBe(200);
    await openAccount();
    await section('Sessions').getByRole('button', { name: 'Sign out of Firefox on Linux' }).click();
    await page.getByText('Session signed out.').waitFor();
    expect((await other.request.get(`${service.baseUrl}/v1/me`)).status()).toBe(401);
    await other.close();
  });

  it('sets a second factor up and signs in with it, by keyboard', async () => {
    await openAccount();
    const factor = section('Two-factor authentication (2FA)');
    await passwordIn(factor).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await factor.getByRole('img', { name: 'QR code with the secret' }).waitFor();
    const secret = (await factor.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    const uri = `otpauth://totp/x?secret=${secret}`;
    expect(await pageFaults(page)).toEqual([]);
    await factor.getByRole('textbox', { name: 'Code' }).fill(await formerTotpCode(uri));
    await page.keyboard.press('Enter');
    await factor.getByText('2FA is on.').waitFor();
    await factor.getByLabel('Recovery codes').first().waitFor();
    await page.request.post(`${service.baseUrl}/v1/auth/sign-out`);
    await page.goto(`${service.baseUrl}/sign-in?to=%2Faccount`);
    await page.locator('input[name=email]').fill('ada@example.com');
    await passwordIn().fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('input[name=code]').fill('no code');
    await page.keyboard.press('Enter');
    await page.getByText('Enter six digits, or a recovery code').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await page.locator('input[name=code]').fill(totpCode(uri));
    await page.keyboard.press('Enter');
    await section('Two-factor authentication (2FA)').getByText('2FA is on.').waitFor();
  });

  it('changes her address by the link in the new mailbox', async () => {
    const email = section('Email');
    await email.getByLabel('New email').fill('ada@example.net');
    await passwordIn(email).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await email.getByText('Check the inbox of the new address.').waitFor();
    await page.goto(await linkMailedTo(service, 'ada@example.net', '/confirm-new-email'));
    await passwordIn().fill(PASSWORD);
    expect(await pageFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Email changed.').waitFor();
    await openAccount();
    await page.getByText('Your email is ada@example.net.').waitFor();
  });

  it('deletes it once she owns no project alone', async () => {
    const made = await page.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Bakery' } });
    const { id } = (await made.json()) as { id: string };
    const gone = section('Delete account');
    await gone.getByLabel('Type “ada@example.net”').fill('ada@example.net');
    await passwordIn(gone).fill(PASSWORD);
    await gone.getByRole('button').last().click();
    await gone.getByText('You are the only owner of Bakery.').waitFor();
    await page.request.delete(`${service.baseUrl}/v1/projects/${id}`);
    await gone.getByRole('button').last().click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await page.request.get(`${service.baseUrl}/v1/me`)).status()).toBe(401);
  });
});
