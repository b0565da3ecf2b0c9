import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { filedMails, mailFolderOf } from '../../src/mail/infrastructure/mail-files.js';
import { launchBrowser, startSite, type TestServer } from '../support/browser.js';
import { pageFaults } from '../support/page-faults.js';
import { type LoneService, startLoneService } from '../support/processes.js';
import { until } from '../support/until.js';

// What runs inside a page knows these; the DOM's own types would be there for the whole program.
declare const window: {
  serviceConsent: { submit(choice: unknown): Promise<{ id: string; stored: boolean }> };
};

const PASSWORD = 'correct horse battery';
/** A record shows within this of its 201, where nothing else keeps the machine busy (docs: 2 s); twice that here. */
const SHOWN_MS = 4_000;
/** A receiver counts as away after five seconds at the least; the machine may be busy. */
const HELD_DEADLINE_MS = 60_000;

let service: LoneService;
let site: TestServer;
let browser: Browser;
/** Kept for the whole file: one person at her browser. */
let context: BrowserContext;
let page: Page;
let projectId: string;
const errors: string[] = [];

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  context.on('weberror', (error) => errors.push(String(error.error())));
  context.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await service?.stop();
});

const heading = (name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const open = (path: string): Promise<unknown> => page.goto(`${service.baseUrl}/projects/${projectId}${path}`);
/** The act that a new project needs before it may forward; a billing provider's checkout in production. */
const field = (label: string) => page.getByRole('textbox', { name: label });

/** The link to a page in the newest mail to an address that has one; mails wait in files here. */
function linkMailedTo(to: string, path = '/confirm-email'): Promise<string> {
  return until(`a mail to ${to}`, async () => {
    const mails = await filedMails(mailFolderOf(service.dataDir));
    const newest = mails.find((mail) => mail.to === to && mail.text.includes(`${path}?token=`));
    return newest && /https?:\/\/\S+\?token=[\w-]+/.exec(newest.text)?.[0];
  });
}

const faults = (): Promise<string[]> => pageFaults(page);

describe('the one path, from an empty database', () => {
  it('leads from / to signing up, and by keyboard alone to a project', async () => {
    await page.goto(service.baseUrl);
    await heading('Sign in');
    await page.getByRole('link', { name: 'Sign up' }).click();
    await heading('Sign up');
    // The name has the focus.
    await page.keyboard.type('Ada Example');
    await page.keyboard.press('Tab');
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('short');
    await page.keyboard.press('Enter');
    expect(await page.locator('input[name=password]').evaluate((input) => input.matches(':invalid'))).toBe(
      true,
    );
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Look into your mail').waitFor();
    await page.goto(await linkMailedTo('ada@example.com'));
    await heading('Confirm your e-mail');
    // The password has the focus.
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('New project');
    await page.keyboard.type('My shop');
    await page.keyboard.press('Tab');
    await page.keyboard.type('shop.example.com localhost');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading('My shop');
    projectId = new URL(page.url()).pathname.split('/')[2] ?? '';
  });

  it('says beside the field what is wrong with it', async () => {
    await open('/settings/project');
    await field('Domains').fill('shop.example.com\nhttp://no host');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^http:\/\/no: /).waitFor();
    await page.reload();
    expect(await field('Domains').inputValue()).toBe('shop.example.com\nlocalhost');
  });

  it('gives the line, and says that it is there once somebody has chosen on the site', async () => {
    await open('/install');
    await heading('Install');
    await page.getByText('Nothing has arrived yet.').waitFor();
    await page.getByRole('button', { name: 'Copy' }).click();
    const line = await page.evaluate('navigator.clipboard.readText()');
    expect(line).toBe(`<script src="${service.baseUrl}/cdn/${projectId}/loader.js"></script>`);
    site = await startSite({
      '/': { html: `<!doctype html><html lang="en"><head>${String(line)}</head></html>` },
    });
    const visitor = await browser.newPage();
    await visitor.goto(`http://shop.example.com:${site.port}/`);
    const receipt = await visitor.evaluate(() =>
      window.serviceConsent.submit({ analytics: true, marketing: false, preferences: true }),
    );
    expect(receipt.stored).toBe(true);
    // Visits are written every 5 s.
    await page.getByText(/^Installed\. Seen .* on shop\.example\.com\.$/).waitFor({ timeout: 10_000 });
    await page.getByText(/^Installed: a record came from shop\.example\.com/).waitFor({ timeout: SHOWN_MS });
    await visitor.close();
  });

  it('shows forwarding disabled on a plan that does not bring it, with the way to get it', async () => {
    await open('/settings/consent/records-and-archive');
    await heading('Records and archive');
    expect(await page.getByRole('switch', { name: 'Consent forwarding enabled' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'See the plans' }).first().click();
    await heading('Plan and billing');
    await page.getByLabel('Tier').selectOption('business');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('heading', { name: 'Your plan: Business' }).waitFor();
  });

  it('sets an endpoint with a generated token, and tests it', async () => {
    const { receiverUrl } = JSON.parse(
      readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8'),
    ) as { receiverUrl: string };
    await open('/settings/consent/records-and-archive');
    await page.getByRole('switch', { name: 'Consent forwarding enabled' }).click();
    await field('Endpoint URL').fill(receiverUrl.replace('https:', 'http:'));
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('Copy the token into your receiver now').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The endpoint URL must begin with https://.').waitFor();
    await field('Endpoint URL').fill(receiverUrl);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/A token is configured since/).waitFor();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(/The endpoint answered 20\d after/).waitFor();
    await page.reload();
    expect(await page.getByRole('switch', { name: 'Consent forwarding enabled' }).isChecked()).toBe(true);
    expect(await page.locator('input[type=password]').inputValue()).toBe('');
  });

  it('shows a record within seconds, and its delivery on the same page', async () => {
    await open('/consents');
    await heading('Consents');
    await page.getByText('That is the only one.').waitFor();
    const visitor = await browser.newPage();
    await visitor.goto(`http://shop.example.com:${site.port}/`);
    const { id } = await visitor.evaluate(() =>
      window.serviceConsent.submit({ analytics: true, marketing: true, preferences: true }),
    );
    await visitor.close();
    await page.locator('tbody tr').nth(1).waitFor({ timeout: SHOWN_MS });
    await page.locator('tbody tr').first().getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Consent record' });
    await drawer.getByText(id).waitFor();
    await drawer.getByText(/answered 20\d after \d+ ms/).waitFor();
    // The address holds what is open.
    await page.reload();
    await drawer.getByText(/answered 20\d after \d+ ms/).waitFor();
    await drawer.getByRole('button', { name: 'Send again' }).click();
    await until('both attempts are shown', async () => (await drawer.getByRole('listitem').count()) === 2);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });
});

describe('a receiver that is away', () => {
  it('counts what would be sent again, and sends it on a second click', async () => {
    await open('/deliveries');
    await page.getByRole('button', { name: 'Send several again' }).click();
    const box = page.getByRole('dialog');
    await box.getByRole('button', { name: 'Count them' }).click();
    await box.getByText('No record matches.').waitFor();
    // The record that came before there was an endpoint. Another choice is counted anew.
    await box.getByLabel('Records that').selectOption('unsent');
    await box.getByRole('button', { name: 'Count them' }).click();
    await box.getByText('One record is sent again.').waitFor();
    await box.getByRole('button', { name: 'Send 1 again' }).click();
    await page.getByText('Queued 1 records.').waitFor();
  });

  it('is told with since when, how much waits and when the next try is, and tried on a click', async () => {
    await open('/settings/consent/records-and-archive');
    const answered = await field('Endpoint URL').inputValue();
    const save = async (endpointUrl: string): Promise<void> => {
      const response = await page.request.put(`${service.baseUrl}/v1/projects/${projectId}/forwarding`, {
        data: { enabled: true, endpointUrl, authMode: 'bearer' },
      });
      expect(response.status()).toBe(200);
    };
    await save(new URL('/status/503', answered).href);
    await open('/deliveries');
    const tryNow = page.getByRole('button', { name: 'Try now' });
    // Five failures in a row, over five seconds.
    await until(
      'the project is held',
      async () => {
        await page.request.post(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
          data: {
            analytics: true,
            marketing: true,
            preferences: true,
            action: 'custom',
            hostname: 'localhost',
          },
        });
        return tryNow.waitFor({ timeout: 700 }).then(
          () => true,
          () => false,
        );
      },
      HELD_DEADLINE_MS,
    );
    await page.getByText('On hold since').waitFor();
    await tryNow.click();
    await page.getByText('The oldest waiting record is being sent.').waitFor();
    await save(answered);
  });
});

const PAGES: [path: string, title: string][] = [
  ['', 'My shop'],
  ['/consents?action=accept_all&analytics=true', 'Consents'],
  ['/deliveries?status=delivered', 'Deliveries'],
  ['/analytics?days=7', 'Analytics'],
  ['/install', 'Install'],
  ['/settings/consent/records-and-archive', 'Records and archive'],
  ['/settings/project', 'Project'],
  ['/settings/plan', 'Plan and billing'],
  ['/settings/members', 'Members'],
  ['/settings/api-keys', 'API keys'],
];

describe('each page', () => {
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 375],
    ['dark', 375],
  ] as const)('has nothing that axe finds, %s at %d px, after a reload', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const found: Record<string, string[]> = {};
    const others = [
      ['account', 'Account'],
      ['new-project', 'New project'],
      ['sign-in', 'Sign in'],
      ['sign-up', 'Sign up'],
      ['forgotten-password', 'Forgotten password'],
      ['confirm-email?token=x', 'Confirm your e-mail'],
      ['new-password?token=x', 'New password'],
      ['accept-invitation?token=x', 'Invitation'],
    ] as const;
    for (const [path, title] of [...PAGES, ...others]) {
      await (path === '' || path.startsWith('/') ? open(path) : page.goto(`${service.baseUrl}/${path}`));
      await heading(title);
      await until(
        'nothing loads any more',
        async () => (await page.locator('[aria-busy=true]').count()) === 0,
      );
      const here = await faults();
      if (here.length > 0) found[title] = here;
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    expect(found).toEqual({});
  });

  it('is German where the person has chosen it or her browser asks for it, and fits a phone with it', async () => {
    await open('');
    await heading('My shop');
    await page.getByRole('button', { name: /account and appearance/ }).click();
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await page.getByRole('link', { name: 'Übersicht' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.setViewportSize({ width: 375, height: 800 });
    const found: Record<string, string[]> = {};
    for (const [path, title] of PAGES) {
      await open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await until(
        'nothing loads any more',
        async () => (await page.locator('[aria-busy=true]').count()) === 0,
      );
      const here = await faults();
      if (here.length > 0) found[title] = here;
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: /Konto und Darstellung/ }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    expect(found).toEqual({});

    const german = await browser.newContext({ locale: 'de-AT' });
    const visitor = await german.newPage();
    await visitor.goto(`${service.baseUrl}/sign-in`);
    await visitor.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await visitor.getByRole('button', { name: 'English' }).click();
    await visitor.getByRole('heading', { name: 'Sign in' }).waitFor();
    await german.close();
  });

  it('is reached by its keys', async () => {
    await open('');
    await heading('My shop');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await heading('Consents');
    await page.keyboard.press('/');
    expect(
      await page.getByPlaceholder('Paste a consent id').evaluate((input) => input.matches(':focus')),
    ).toBe(true);
    // A key that is typed is no command.
    await page.keyboard.type('gd');
    await page.keyboard.press('Escape');
    await heading('Consents');
  });

  it('says what the API refuses, and goes on when the service is back', async () => {
    await page.goto(`${service.baseUrl}/projects/00000000-0000-7000-8000-000000000000`);
    await page.getByText('There is no such project among yours.').waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'To the start' }).click();
    await page.getByText('The service does not answer.').waitFor({ timeout: 20_000 });
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('My shop');
  });
});

describe('somebody with a lower role', () => {
  it('gets in by mail, and sees the same pages, with what is not hers disabled', async () => {
    await page.request.post(`${service.baseUrl}/v1/auth/sign-up/email`, {
      data: { email: 'viewer@example.com', password: 'another password' },
    });
    const visitor = await browser.newPage();
    await visitor.goto(await linkMailedTo('viewer@example.com'));
    await visitor.locator('input[name=password]').fill(PASSWORD);
    await visitor.keyboard.press('Enter');
    await visitor.getByText('E-mail or password is wrong.').waitFor();
    await visitor.locator('input[name=password]').fill('another password');
    await visitor.keyboard.press('Enter');
    await visitor.getByRole('heading', { name: 'New project' }).waitFor();
    // A password that is forgotten is set anew, once.
    await visitor.goto(`${service.baseUrl}/forgotten-password`);
    await visitor.locator('input[name=email]').fill('viewer@example.com');
    await visitor.keyboard.press('Enter');
    await visitor.getByText('Look into your mail').waitFor();
    const link = await linkMailedTo('viewer@example.com', '/new-password');
    for (const outcome of ['The new password is set', 'This link was used already']) {
      await visitor.goto(link);
      await visitor.locator('input[name=password]').fill(PASSWORD);
      await visitor.keyboard.press('Enter');
      await visitor.getByText(outcome).waitFor();
    }
    await visitor.close();
    await page.request.post(`${service.baseUrl}/v1/auth/sign-out`);
    // The page finds out that its session has ended, and comes back to where it was.
    await open('/settings/consent/records-and-archive');
    await heading('Sign in');
    await field('E-mail').fill('ada@example.com');
    await page.locator('input[name=password]').fill('not this one');
    await page.keyboard.press('Enter');
    await page.getByText('E-mail or password is wrong.').waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('Records and archive');
    await open('/settings/members');
    await field('E-mail').fill('viewer@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('cell', { name: 'viewer@example.com', exact: true }).waitFor();
    const invitation = await linkMailedTo('viewer@example.com', '/accept-invitation');
    await page.getByRole('button', { name: /account and appearance/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in');
    await page.goto(invitation);
    await page.getByText('viewer@example.com is invited to My shop, as Viewer.').waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('My shop');
    await open('/settings/consent/records-and-archive');
    await page.getByText('This needs the role Editor.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Test', exact: true }).isDisabled()).toBe(true);
    for (const [path, title] of PAGES) {
      await open(path);
      await heading(title);
      expect([title, await faults()]).toEqual([title, []]);
    }
  });

  it('deletes a project as its owner, after typing its name', async () => {
    await page.request.post(`${service.baseUrl}/v1/auth/sign-in/email`, {
      data: { email: 'ada@example.com', password: PASSWORD },
    });
    await open('/settings/project');
    await page.getByRole('button', { name: 'Delete the project' }).click();
    const act = page.getByRole('button', { name: 'Delete everything' });
    await field('Type “My shop” to go on').fill('My sho');
    expect(await act.isDisabled()).toBe(true);
    await field('Type “My shop” to go on').fill('My shop');
    await act.click();
    await heading('New project');
  });
});

it('ran without an error in the console but for what was refused on purpose', () => {
  expect(errors.filter((text) => !/status of 4\d\d|ERR_INTERNET_DISCONNECTED|ApiProblem/.test(text))).toEqual(
    [],
  );
});
