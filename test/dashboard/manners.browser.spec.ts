import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { launchBrowser } from '../support/browser.js';
import { signUpIn } from '../support/person.js';
import { type LoneService, startLoneService } from '../support/processes.js';
import { PASSWORD } from '../support/user.js';

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await made.json()) as { id: string }).id;
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

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
    await password.locator('input[autocomplete=current-password]').fill('wrong');
    await password.locator('input[autocomplete=new-password]').fill('another password');
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

describe('the address of a page', () => {
  it.each([
    [
      '/consents?from=2026-11-01&to=2026-11-20&action=custom&hostname=www.example.com&analytics=true&delivery=failed',
      { From: '2026-11-01', To: '2026-11-20', Action: 'custom', Host: 'www.example.com', Delivery: 'failed' },
    ],
    [
      '/deliveries?status=failed&category=dns&from=2026-11-01',
      { Outcome: 'failed', 'Why it failed': 'dns', From: '2026-11-01' },
    ],
    ['/settings/audit?action=member.add&actorKind=user', { What: 'member.add', Who: 'kind:user' }],
    ['/analytics?days=7', { '7 days': '7' }],
  ] as [string, Record<string, string>][])(
    'holds what is chosen, over a reload too: %s',
    async (path, chosen) => {
      await page.goto(`${service.baseUrl}/projects/${projectId}${path}`);
      for (const reloaded of [false, true]) {
        if (reloaded) await page.reload();
        for (const [label, value] of Object.entries(chosen)) {
          const control = page.getByLabel(label, { exact: true });
          await control.waitFor({ state: 'attached' });
          expect([label, await control.inputValue()]).toEqual([label, value]);
        }
        expect(page.url()).toBe(`${service.baseUrl}/projects/${projectId}${path}`);
      }
      const days = page.getByRole('radio', { name: '7 days' });
      if (path.startsWith('/analytics')) expect(await days.isChecked()).toBe(true);
    },
  );
});

describe('an address that is mistyped', () => {
  it('says so in the person’s words, and leads on', async () => {
    await page.goto(`${service.baseUrl}/projects/${projectId}/nowhere`);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await page.getByRole('link', { name: 'To the start' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Tea shop' }).waitFor();
    for (const path of ['accept-invitation?token=x', 'accept-invitation']) {
      await page.goto(`${service.baseUrl}/${path}`);
      await page.getByText('This link was used already, or has ended.').waitFor();
    }
  });
});

describe('a session that ends in one tab', () => {
  it('ends in the other too, which comes back to where it was', async () => {
    const path = `/projects/${projectId}/consents?action=custom`;
    await page.goto(`${service.baseUrl}${path}`);
    await page.getByText('No record matches these filters.').waitFor();
    const other = await context.newPage();
    await other.goto(`${service.baseUrl}/account`);
    await other.getByRole('button', { name: /account and appearance/ }).press('Enter');
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The list asks once a second, and is told so.
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.locator('input[name=email]').fill('ada@example.com');
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Consents' }).waitFor();
    expect(page.url()).toBe(`${service.baseUrl}${path}`);
    await other.close();
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
