import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { filedMails, mailFolderOf } from '../../src/mail/infrastructure/mail-files.js';
import { launchBrowser } from '../support/browser.js';
import { type LoneService, startLoneService } from '../support/processes.js';
import { until } from '../support/until.js';

const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUp();
  const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await made.json()) as { id: string }).id;
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function signUp(): Promise<void> {
  const post = (path: string, data: object) =>
    context.request.post(`${service.baseUrl}/v1/auth${path}`, { data });
  await post('/sign-up/email', { email: EMAIL, password: PASSWORD, name: 'Ada' });
  const token = await until('a mail', async () => {
    const mails = await filedMails(mailFolderOf(service.dataDir));
    return /confirm-email\?token=([\w-]+)/.exec(mails.map(({ text }) => text).join('\n'))?.[1];
  });
  expect((await post('/confirm-email', { token, password: PASSWORD })).status()).toBeLessThan(300);
}

describe('the first sight of a page', () => {
  it.each([
    ['', 'Tea shop'],
    ['/consents', 'Consents'],
  ])('asks for all that it needs at once, and for nothing twice: %s', async (path, title) => {
    const requests: Request[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request));
    page.on('console', (message) => complaints.push(message.text()));
    const answer = await page.goto(`${service.baseUrl}/projects/${projectId}${path}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    const html = (await answer?.text()) ?? '';
    const paths = requests.map((request) => new URL(request.url()).pathname);
    const scripts = paths.filter((each) => each.endsWith('.js'));
    // The page named them all; only what opens later (a record's details) may follow.
    const unnamed = scripts.filter((script) => !html.includes(`"${script}"`));
    expect(unnamed.filter((script) => !/consent-details|shared/.test(script))).toEqual([]);
    expect(scripts).toEqual([...new Set(scripts)]);
    expect(paths.filter((each) => each === '/v1/auth/get-session')).toHaveLength(1);
    expect(complaints).toEqual([]);
    page.removeAllListeners();
  });
});

describe('who reads German', () => {
  let german: BrowserContext;
  let seite: Page;

  beforeAll(async () => {
    const storageState = await context.storageState();
    german = await browser.newContext({ locale: 'de-AT', storageState, reducedMotion: 'reduce' });
    seite = await german.newPage();
  });

  afterAll(() => german?.close());

  it('is told in German what is wrong with a field', async () => {
    await seite.goto(`${service.baseUrl}/new-project`);
    await seite.getByLabel('Name').fill('x'.repeat(200));
    await seite.keyboard.press('Enter');
    await seite.getByText('1 bis 120 Zeichen, ohne Steuerzeichen.').waitFor();
    await seite.getByLabel('Name').fill('Teeladen');
    await seite.getByRole('textbox', { name: 'Domains' }).fill('www.example.com\nhttps://shop');
    await seite.locator('button[type=submit]').click();
    await seite.getByText(/^https:\/\/shop: Geben Sie einen Host wie www\.example\.com an/).waitFor();
    await seite.goto(`${service.baseUrl}/account`);
    const password = seite.locator('form').filter({ has: seite.locator('input[autocomplete=new-password]') });
    await password.locator('input').first().fill('wrong');
    await password.locator('input').last().fill('another password');
    await password.locator('button[type=submit]').click();
    await seite.getByText('E-Mail oder Passwort ist falsch.').waitFor();
  });

  it('is told so of the endpoint, too', async () => {
    await german.request.post(`${service.baseUrl}/v1/projects/${projectId}/tier/simulate`, {
      data: { tier: 'pro' },
    });
    await seite.goto(`${service.baseUrl}/projects/${projectId}/settings/consent/records-and-archive`);
    await seite.getByLabel('URL des Endpunkts').fill('http://consents.example.com');
    await seite.getByRole('button', { name: 'Speichern' }).click();
    await seite.getByText('Die URL des Endpunkts muss mit https:// beginnen.').waitFor();
  });

  it('is told why the endpoint cannot be reached', async () => {
    await seite.getByLabel('URL des Endpunkts').fill('https://consents.example.com');
    await seite.getByRole('radio', { name: 'Keine Anmeldung' }).check();
    await seite.getByRole('button', { name: 'Speichern' }).click();
    await seite.getByRole('button', { name: 'Prüfen' }).click();
    await seite.getByText(/^(Hostname nicht gefunden|Keine Verbindung|Zu langsam)\.$/).waitFor();
  });
});

describe('what the API says of a field', () => {
  it('has a code and its bounds beside the sentence', async () => {
    const answer = await context.request.post(`${service.baseUrl}/v1/auth/change-password`, {
      data: { currentPassword: PASSWORD, newPassword: 'short' },
    });
    expect(await answer.json()).toMatchObject({
      code: 'validation_failed',
      errors: [
        {
          field: 'newPassword',
          message: 'newPassword must be longer than or equal to 8 characters.',
          code: 'length',
          min: 8,
          max: 128,
        },
      ],
    });
  });
});
