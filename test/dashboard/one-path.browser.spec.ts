import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchBrowser, startSite, type TestServer } from '../support/programs/browser.js';
import { faultsInEachAppearance, pageFaults, WIDTHS } from '../support/rules/page-faults.js';
import { linkMailedTo } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';
import { PASSWORD } from '../support/people/user.js';

/** A record shows within this of its 201, where nothing else keeps the machine busy (docs: 2 s); twice that here. */
const SHOWN_MS = 4_000;
/** A receiver counts as away after five seconds at the least; the machine may be busy. */
const HELD_DEADLINE_MS = 300_000;
/** More than any page has to go through. */
const TABS_MAX = 120;

let service: LoneService;
let site: TestServer;
let browser: Browser;
/** Kept for the whole file: one person at their browser. */
let context: BrowserContext;
let page: Page;
let projectId: string;
const errors: string[] = [];

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  context.on('weberror', (error) => errors.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.baseUrl });
  page = await context.newPage();
});

afterEach(() => context?.setOffline(false));
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

/** Presses Tab until an element has the focus, as a person without a mouse does. */
async function tabTo(wanted: Locator, key = 'Tab'): Promise<void> {
  await wanted.waitFor();
  for (let pressed = 0; pressed < TABS_MAX; pressed += 1) {
    if (await wanted.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${String(wanted)} is not reached with ${key}.`);
}

/** A visitor of the site who was never there before. */
async function visit(path: string): Promise<Page> {
  const visitor = await browser.newPage();
  await visitor.goto(`http://shop.example.com:${site.port}${path}`);
  return visitor;
}

/** Which steps of the set-up list are done, in order; empty without the list. */
const stepsDone = (): Promise<(string | null)[]> =>
  page.locator('.set-up li').evaluateAll((steps) => steps.map((step) => step.getAttribute('data-done')));
/** Tables that have to be scrolled sideways. */
const wideTables = (): Promise<string[]> =>
  page
    .locator('.rows')
    .evaluateAll((tables) =>
      tables
        .filter((table) => table.scrollWidth > table.clientWidth)
        .map((table) => `wide: ${table.getAttribute('aria-label')}`),
    );
const faults = (): Promise<string[]> => pageFaults(page);
const loaded = () =>
  until('nothing loads any more', async () => (await page.locator('[aria-busy=true]').count()) === 0);

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
    // The demo shows the mails.
    await page.getByText('Check your inbox').waitFor();
    expect(await page.getByRole('link', { name: 'Open the inbox' }).getAttribute('href')).toBe('/demo/mail');
    await page.goto(await linkMailedTo(service, 'ada@example.com'));
    await heading('Confirm your email');
    // The password has the focus.
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('New project');
    await page.keyboard.type('My shop');
    await page.keyboard.press('Tab');
    await page.keyboard.type('shop.example.com localhost');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading('Overview');
    projectId = new URL(page.url()).pathname.split('/')[2] ?? '';
    await page.getByRole('link', { name: /^Forward records Pro/ }).waitFor();
    expect(await stepsDone()).toEqual(['true', 'false', 'false', 'false']);
    // One thing to do, and no figures that are zero.
    await page
      .getByRole('region', { name: 'Publish your banner' })
      .getByRole('link', { name: 'Check and publish' })
      .waitFor();
    await page.getByText('1 of 4 done').waitFor();
    expect(await page.getByRole('region', { name: 'Key figures' }).count()).toBe(0);
  });

  it.each([
    ['/consents', 'Export CSV and PDF: Available on the Pro plan. Compare plans', 'Export'],
    ['/deliveries', 'Your plan doesn’t include forwarding. Compare plans', 'Resend in bulk…'],
    ['/analytics', 'Available on the Business plan. Compare plans', '30 days'],
  ])('says on a plan without it what %s lacks, and leads to the plans', async (path, sentence, act) => {
    await open(path);
    await page.getByText(sentence).waitFor();
    const disabled = page.getByRole('button', { name: act }).or(page.getByRole('radio', { name: act }));
    expect(await disabled.isDisabled()).toBe(true);
    expect(await faults()).toEqual([]);
    await tabTo(page.getByRole('link', { name: 'Compare plans' }));
    await page.keyboard.press('Enter');
    await heading('Plan and billing');
  });

  it('says beside the field what is wrong with it', async () => {
    await open('/settings/project');
    await field('Domains').fill('shop.example.com\nno..host');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^no\.\.host: /).waitFor();
    await page.reload();
    expect(await field('Domains').inputValue()).toBe('shop.example.com\nlocalhost');
  });

  it('writes the banner in two languages, by keyboard, while the real banner changes beside it', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await heading('Banner');
    const banner = page.frameLocator('iframe[title="Banner preview"]');
    await banner.getByRole('heading', { name: 'We value your privacy' }).waitFor();
    await page.getByText('Nothing is allowed until the visitor opts in.').waitFor();
    await tabTo(field('Title').first());
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Tea and cookies');
    await banner.getByRole('heading', { name: 'Tea and cookies' }).waitFor();
    // The banner has not taken the focus from the field that is being typed in.
    await page.keyboard.type('?');
    await banner.getByRole('heading', { name: 'Tea and cookies?' }).waitFor();
    expect(await field('Title').first().inputValue()).toBe('Tea and cookies?');
    // An invalid value shows an error beside its field, and the last valid preview stays.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.getByText(/^1 to \d+ characters, without control characters/).waitFor();
    await banner.getByRole('heading', { name: 'Tea and cookies?' }).waitFor();
    await page.keyboard.type('Tea and cookies?');
    await page.getByText(/^1 to \d+ characters, without control characters/).waitFor({ state: 'detached' });

    await tabTo(page.getByRole('button', { name: 'Add language' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    // The field has the focus.
    await page.keyboard.type('German');
    await page.keyboard.press('Enter');
    await banner.getByRole('button', { name: 'Alle akzeptieren' }).waitFor();
    await tabTo(field('Title').first());
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Tee und Kekse?');
    await banner.getByRole('heading', { name: 'Tee und Kekse?' }).waitFor();
    expect(await banner.locator('#consent-banner .frame').getAttribute('lang')).toBe('de');
  });

  it('keeps a draft, asks before it is lost, and publishes it with a comment', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Install', exact: true }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Save draft and leave' }).click();
    await heading('Install');
    await page.goBack();
    await heading('Banner');
    await page.getByText('Draft · 3 changes').waitFor();
    await page.reload();
    await page.getByText('Draft · 3 changes').waitFor();
    await page.getByText(/^Saved (now|\d+ seconds? ago)$/).waitFor();
    await tabTo(page.getByRole('button', { name: 'Review and publish' }));
    await page.keyboard.press('Enter');
    const box = page.getByRole('dialog', { name: 'Review and publish' });
    // The comment has the focus; the list says what visitors are going to see.
    await box.getByText('Texts ▸ German (de)').waitFor();
    await box.getByText('There is no link to your privacy policy.').waitFor();
    await page.keyboard.type('First words, in two languages');
    await tabTo(box.getByRole('button', { name: 'Publish', exact: true }));
    await page.keyboard.press('Enter');
    await box.waitFor({ state: 'detached' });
    // The first publication leads to the next step.
    await heading('Install');
    await open('/banner');
    await page.getByText('Live since').waitFor();
  });

  it('gives the line, and says that it is there once somebody has chosen on the site', async () => {
    await open('/install');
    await heading('Install');
    await page.getByText('Not detected yet.').waitFor();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    const line = await until('it is copied', () => page.evaluate('navigator.clipboard.readText()'));
    expect(line).toBe(`<script src="${service.baseUrl}/cdn/${projectId}/loader.js"></script>`);
    // The pages of docs/banners, with this line in them.
    await page.getByRole('tab', { name: 'Your own banner' }).click();
    for (const [title, file] of [
      ['klaro', 'klaro.html'],
      ['Osano cookieconsent', 'cookieconsent.html'],
      ['tarteaucitron', 'tarteaucitron.html'],
    ] as const) {
      await page.getByRole('tab', { name: title }).click();
      const whole = readFileSync(join('docs', 'banners', file), 'utf8');
      expect(await page.getByLabel(title, { exact: true }).locator('visible=true').last().textContent()).toBe(
        whole.replace(/<script src="https:[^<]*<projectId>[^<]*<\/script>/, String(line)),
      );
    }
    // The policy that the page shows: the visitor's page below uses it.
    await page.getByRole('tab', { name: 'Content Security Policy' }).click();
    const policy = await page.getByLabel('Code sample').textContent();
    const [name = '', value = ''] = policy?.split(': ') ?? [];
    const html = (lang: string): string =>
      `<!doctype html><html lang="${lang}"><head>${String(line)}<title>A shop</title></head><body><h1>A shop</h1></body></html>`;
    const headers = { [name]: value };
    site = await startSite({ '/': { html: html('en'), headers }, '/de': { html: html('de'), headers } });
    const visitor = await visit('/de');
    await visitor.getByRole('heading', { name: 'Tee und Kekse?' }).waitFor();
    await visitor.getByRole('button', { name: 'Alle akzeptieren' }).click();
    // Visits are written every 5 s, and asked for every 2 s.
    await page.getByText(/^Installed\. Last seen .* on shop\.example\.com\.$/).waitFor();
    await page.getByText(/^Installed\. Latest record from shop\.example\.com/).waitFor({ timeout: SHOWN_MS });
    await visitor.close();
  });

  it('shows forwarding disabled on a plan that does not bring it, with the way to get it', async () => {
    // All is set up that this plan brings.
    await open('');
    await page.getByRole('region', { name: 'Latest consents' }).getByText('shop.example.com').waitFor();
    expect(await stepsDone()).toEqual([]);
    await open('/settings/consent/records-and-archive');
    await heading('Records and archive');
    expect(await page.getByRole('switch', { name: 'Consent forwarding enabled' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Compare plans' }).first().click();
    await heading('Plan and billing');
    await page.getByRole('combobox', { name: 'Plan', exact: true }).selectOption('business');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('region', { name: 'Your plan: Business' }).waitFor();
  });

  it('sets an endpoint with a generated token, and tests it, by keyboard', async () => {
    const { receiverUrl } = JSON.parse(
      readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8'),
    ) as { receiverUrl: string };
    await open('/settings/consent/records-and-archive');
    await tabTo(page.getByRole('switch', { name: 'Consent forwarding enabled' }));
    await page.keyboard.press('Space');
    await tabTo(field('Endpoint URL'));
    await page.keyboard.type(receiverUrl.replace('https:', 'http:'));
    await tabTo(page.getByRole('button', { name: 'Generate' }));
    await page.keyboard.press('Enter');
    await page.getByText('Copy the token to your receiver now').waitFor();
    const token = await page.locator('form input[type=password]').inputValue();
    expect(token).toMatch(/^[\w-]{43}$/);
    // Typed or generated text can also be revealed without a mouse.
    await tabTo(page.getByRole('button', { name: 'Show password' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    expect(await field('Bearer token').inputValue()).toBe(token);
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    await page.getByText('The endpoint URL must start with https://.').waitFor();
    await tabTo(field('Endpoint URL'), 'Shift+Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(receiverUrl);
    await page.keyboard.press('Enter');
    await page.getByText(/Token configured since/).waitFor();
    await tabTo(page.getByRole('button', { name: 'Test', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText(/The endpoint returned 20\d in/).waitFor();
    await page.reload();
    expect(await page.getByRole('switch', { name: 'Consent forwarding enabled' }).isChecked()).toBe(true);
    expect(await page.locator('input[type=password]').inputValue()).toBe('');
  });

  it('shows a record within seconds, and its delivery on the same page', async () => {
    await open('/consents');
    await heading('Consents');
    await page.getByText('1 result').waitFor();
    const visitor = await visit('/');
    const stored = visitor.waitForResponse((response) => response.request().method() === 'POST');
    await visitor.getByRole('button', { name: 'Reject all' }).click();
    const { id } = (await (await stored).json()) as { id: string };
    const storedAtMs = Date.now();
    await page.locator('tbody tr').nth(1).waitFor({ timeout: SHOWN_MS });
    process.stdout.write(`a record shows ${Date.now() - storedAtMs} ms after its 201\n`);
    await visitor.close();
    await tabTo(page.locator('tbody tr').first().getByRole('link'));
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Consent record' });
    await drawer
      .getByTitle(new RegExp(`^${id}`))
      .first()
      .waitFor();
    await drawer.getByText(/returned 20\d in \d+ ms/).waitFor();
    // The visitor's texts, and the sent request without its secrets.
    const seen = drawer.getByRole('region', { name: 'What the visitor saw' }).getByRole('listitem');
    const chips = (await seen.allTextContents()).join(', ');
    expect(chips).toMatch(
      /^Banner, first layer, Opt-in, English \(en\), Light, Desktop, Configuration [0-9a-f]{8}…/,
    );
    await tabTo(drawer.getByRole('region', { name: 'Request', exact: true }));
    const request = (await drawer.getByRole('region', { name: 'Request', exact: true }).textContent()) ?? '';
    expect(request).toMatch(/^POST https:.*\nAuthorization: Bearer •+\nX-Service-Project-Id: /);
    expect(request).toContain(`X-Service-Consent-Id: ${id}\n`);
    expect(JSON.parse(request.slice(request.indexOf('\n\n')))).toMatchObject({ id, action: 'reject_all' });
    await drawer.getByText('The path, token, and signature are shown as currently configured').waitFor();
    // The banner that it was chosen on, rendered.
    await drawer.frameLocator('iframe').getByRole('heading', { name: 'Tea and cookies?' }).waitFor();
    // The address contains the open item.
    await page.reload();
    await drawer.getByText(/returned 20\d in \d+ ms/).waitFor();
    // By keyboard, because content that loads beside it may move it away from the pointer.
    await drawer.getByRole('button', { name: 'Resend' }).press('Enter');
    await page.getByText('Record queued.').waitFor();
    // The one before it was automatic.
    await drawer.getByText('Resent by ada@example.com.').waitFor();
    await until(
      'both attempts are shown',
      async () => (await drawer.getByText(/returned 20\d in \d+ ms/).count()) === 2,
    ).catch(async (error: Error) => {
      throw new Error(`${error.message}; there is: ${await drawer.innerText()}`);
    });
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await open('');
    const endpoint = page.getByRole('region', { name: 'Your endpoint' });
    await endpoint.getByText('Healthy').waitFor();
    // Each record once, although one of them was sent twice.
    await endpoint.getByText(/^1 of 1$/).waitFor();
    expect(await stepsDone()).toEqual([]);
  });

  it('finds a record by its id, once, and says what is no id', async () => {
    await open('/consents');
    const shown = await page.locator('tbody tr').first().locator('button.id').getAttribute('title');
    const id = shown?.split(' ')[0] ?? '';
    await tabTo(page.getByLabel('Find by ID'));
    await page.keyboard.type('0123');
    await page.keyboard.press('Enter');
    await page.getByText('That isn’t a complete consent ID. Paste all 36 characters.').waitFor();
    expect(await faults()).toEqual([]);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type(` ${id.toUpperCase()} `);
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Consent record' });
    await drawer
      .getByTitle(new RegExp(`^${id}`))
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    // The field has the focus again; to leave it opens nothing.
    await page.getByRole('button', { name: 'Host' }).click();
    await page.waitForURL(({ search }) => search === '');
    expect(await drawer.count()).toBe(0);
    await open('/consents?open=00000000-0000-7000-8000-000000000000');
    await drawer.getByText('This record doesn’t exist in this project.').waitFor();
    await page.keyboard.press('Escape');
  });
});

describe('the banner’s page', () => {
  const preview = (of: Page = page) => of.frameLocator('iframe[title="Banner preview"]').first();
  const publish = async (of: Page, comment: string): Promise<void> => {
    await of.getByRole('button', { name: 'Review and publish' }).click();
    await of.getByRole('textbox', { name: 'Comment' }).fill(comment);
    await of.getByRole('button', { name: 'Publish', exact: true }).click();
  };

  it('shows what visitors of another region, device or browser see', async () => {
    await open('/banner?part=rules');
    await page.getByRole('button', { name: 'Add presets by law' }).click();
    await page.getByRole('tab', { name: 'Texts' }).click();
    await page.getByLabel('Visitor’s region').selectOption('US-CA');
    await page.getByText('Everything is allowed until the visitor opts out.').waitFor();
    await page.getByLabel('Global Privacy Control (GPC)', { exact: true }).check();
    await page.getByText('The browser sends a Global Privacy Control signal').waitFor();
    await preview()
      .getByText(/Global Privacy Control/)
      .waitFor();
    await page.getByLabel('Global Privacy Control (GPC)', { exact: true }).uncheck();
    // The strictest rule of all states holds where the state is unknown, so a territory without states shows the notice.
    await page.getByLabel('Visitor’s region').selectOption('AS');
    await page
      .getByRole('status')
      .getByText('Everything is allowed, and the banner informs the visitor.')
      .waitFor();
    await page.getByLabel('Visitor’s region').selectOption('DE');
    await page.getByText('Nothing is allowed until the visitor opts in.').last().waitFor();
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
    await preview().locator('#consent-banner .dark').waitFor({ state: 'attached' });
    await page.getByRole('radio', { name: 'Phone' }).check({ force: true });
    expect(await page.locator('.banner-stage iframe').getAttribute('width')).toBe('375');
    // As for a new visitor: only necessary cookies are on, and there is no consent yet.
    await page.getByLabel('Layer').selectOption('Details');
    await preview().locator('.second').waitFor();
    const switches = preview().getByRole('switch');
    expect(await switches.evaluateAll((boxes) => boxes.map((box) => box.matches(':checked')))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(await preview().locator('.consent').count()).toBe(0);
    await page.getByLabel('Layer').selectOption('After a choice');
    await preview().locator('.consent').waitFor();
    await page.getByLabel('Layer').selectOption('First layer');
    await preview().locator('.first').waitFor();
    // By keyboard: the driver's mouse misses in a frame that is scaled.
    await preview().getByRole('button', { name: 'Accept all' }).press('Enter');
    await page.getByText('The preview doesn’t send it.').waitFor();
    await page.getByRole('button', { name: 'Show again' }).click();
    await preview().getByRole('button', { name: 'Accept all' }).waitFor();
    // An unreadable contrast is refused beside its field.
    await page.getByRole('tab', { name: 'Appearance' }).click();
    await field('Button color (light)').fill('#7fa8dd');
    await page.getByText(/with a contrast of at least 4\.5 to the banner’s background/).waitFor();
    expect(await page.getByRole('button', { name: 'Review and publish' }).isDisabled()).toBe(true);
    await field('Button color (light)').fill('#205020');
    await page.getByRole('tab', { name: 'Categories' }).click();
    await page.getByRole('button', { name: 'Add service' }).click();
    await field('Service').fill('Counter');
    await page.getByRole('textbox', { name: 'Provider', exact: true }).fill('Example Ltd');
    await publish(page, 'Rules for the United States');
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  });

  it('shows the banner where it can touch neither the session nor the dashboard', async () => {
    const frame = page.frames().find((each) => each.url().endsWith('/preview-frame'));
    const reached = await frame?.evaluate(`[
      () => document.cookie, () => localStorage.length, () => parent.document.title, () => top.location.href,
    ].map((reach) => { try { return String(reach()); } catch (error) { return error.name; } })`);
    expect(reached).toEqual(Array(4).fill('SecurityError'));
    expect(await frame?.evaluate('self.origin')).toBe('null');
    // Also where it is opened directly.
    const { headers } = await fetch(`${service.baseUrl}/preview-frame`);
    expect(headers.get('content-security-policy')).toMatch(/sandbox allow-scripts$/);
    // An opaque origin cannot be keyed: browsers would warn of it in the dashboard's console.
    expect(headers.get('origin-agent-cluster')).toBeNull();
  });

  it('tells somebody in a second tab that another has published, and keeps what she chooses', async () => {
    await open('/banner');
    const other = await context.newPage();
    await other.goto(page.url());
    for (const each of [page, other]) await each.getByRole('textbox', { name: 'Title' }).first().waitFor();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('May we, please?');
    await other.getByRole('textbox', { name: 'Title' }).first().fill('Tea?');
    await other.getByRole('button', { name: 'Save draft' }).click();
    await other.getByText('Draft saved.').waitFor();
    await publish(page, 'From the first tab');
    // The draft has another author now.
    await page.getByText('Someone else has saved or published in the meantime.').waitFor();
    await page.getByRole('button', { name: 'Overwrite theirs' }).click();
    await publish(page, 'From the first tab');
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    await other.getByRole('textbox', { name: 'Title' }).first().fill('Tea or coffee?');
    // Refused, unless the page has looked again in the meantime and says it before.
    await Promise.race([
      other.getByText('Someone else has saved or published in the meantime.').waitFor(),
      other.getByRole('button', { name: 'Save draft' }).click(),
    ]);
    await other.getByText('Someone else has saved or published in the meantime.').waitFor();
    await other.getByRole('button', { name: 'Discard mine' }).click();
    await preview(other).getByText('May we, please?').waitFor();
    expect(await other.getByRole('textbox', { name: 'Title' }).first().inputValue()).toBe('Tea and cookies?');
    await other.close();
  });

  it('tells who changed what, what was shown at an instant, and goes back', async () => {
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByText('Rules for the United States').waitFor();
    await page.getByRole('cell', { name: 'ada@example.com' }).first().waitFor();
    await page.getByText('First words, in two languages').click();
    const drawer = page.getByRole('dialog', { name: 'Published version' });
    await drawer.getByText('Texts ▸ German (de)').waitFor();
    await drawer.frameLocator('iframe').getByRole('heading', { name: 'Tea and cookies?' }).waitFor();
    // The address contains the open item.
    await page.reload();
    await drawer.getByText('Texts ▸ German (de)').waitFor();
    await drawer.getByRole('button', { name: 'Roll back to this version…' }).click();
    const box = page.getByRole('dialog', { name: 'Roll back to this version…' });
    await box.getByText('Services ▸ Counter').waitFor();
    await box.getByRole('textbox', { name: 'Comment' }).fill('The first was better');
    await box.getByRole('button', { name: 'Roll back' }).click();
    await box.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByText('The first was better').waitFor();
    await page.getByLabel('Banner shown at').fill('2020-05-03T12:00');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await drawer.getByText('No published version is on record for').waitFor();
    await page.keyboard.press('Escape');
  });

  it('says that the service is away, and goes on where it was', async () => {
    await open('/banner');
    await preview().getByRole('heading', { name: 'Tea and cookies?' }).waitFor();
    await context.setOffline(true);
    await field('Title').first().fill('Away?');
    await page.getByText('The server isn’t responding.').waitFor({ timeout: 20_000 });
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await preview().getByRole('heading', { name: 'Away?' }).waitFor();
    await field('Title').first().fill('Tea and cookies?');
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
  });
});

describe('a receiver that is away', () => {
  it('counts what would be sent again, and sends it on a second click', async () => {
    await open('/deliveries');
    await page.getByRole('button', { name: 'Resend in bulk…' }).click();
    const box = page.getByRole('dialog');
    await box.getByRole('button', { name: 'Count records' }).click();
    await box.getByText('No records match.').waitFor();
    // The record from before the endpoint existed. Another selection is counted again.
    await box.getByLabel('Latest outcome').selectOption('unsent');
    await box.getByRole('button', { name: 'Count records' }).click();
    await box.getByText('1 record will be sent.').waitFor();
    await box.getByRole('button', { name: 'Send 1 record' }).click();
    // In the dialog's place and in a toast.
    await page.getByText('1 record queued.').first().waitFor();
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
    await until('the project is held', async () => {
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
    });
    await page.getByText('On hold since').waitFor();
    await page.getByText('The endpoint returned 503.').first().waitFor();
    await page.getByText(/ queued; next attempt in \d+ (second|minute)s?\./).waitFor();
    const german = await browser.newContext({ locale: 'de-AT', storageState: await context.storageState() });
    const seite = await german.newPage();
    await seite.goto(page.url());
    await seite.getByText('Angehalten seit').waitFor();
    const health = seite.locator('[data-health=bad]');
    expect(await health.textContent()).toMatch(/^Serverfehler \(5xx\): Status 503\./);
    await german.close();
    await tryNow.click();
    await page.getByText('Sending the oldest queued record.').waitFor();
    await save(answered);
    // It has failed, and it is good again.
    await page
      .locator('[data-health=good]')
      .getByText('Healthy. Last delivery')
      .waitFor({ timeout: HELD_DEADLINE_MS });
    const undelivered = page.locator('[data-undelivered]').filter({
      hasText:
        /^\d+ records were not delivered\. (Most often: )?Your endpoint returned 503 .+Review and resend$/,
    });
    await undelivered.waitFor({ timeout: HELD_DEADLINE_MS });
    await open('');
    await undelivered.waitFor();
    await page.getByRole('link', { name: 'Review and resend' }).click();
    await page.waitForURL(/\/deliveries\?status=failed$/);
  });
});

const PAGES: [path: string, title: string][] = [
  ['/banner', 'Banner'],
  ['', 'Overview'],
  ['/consents?action=accept_all&analytics=true', 'Consents'],
  ['/deliveries?status=delivered', 'Deliveries'],
  ['/analytics?days=7', 'Analytics'],
  ['/banner?part=rules', 'Banner'],
  ['/banner?view=history', 'Banner history'],
  ['/install', 'Install'],
  ['/settings/consent/records-and-archive', 'Records and archive'],
  ['/settings/privacy', 'Privacy'],
  ['/settings/project', 'Project'],
  ['/settings/plan', 'Plan and billing'],
  ['/settings/members', 'Members'],
  ['/settings/api-keys', 'API keys'],
  ['/settings/events', 'Events'],
  ['/settings/audit?actorKind=user', 'Audit log'],
];

const OTHER_PAGES: [path: string, title: string][] = [
  ['projects', 'All projects'],
  ['account', 'Account'],
  ['new-project', 'New project'],
  ['sign-in', 'Sign in'],
  ['sign-up', 'Sign up'],
  ['forgotten-password', 'Forgot your password?'],
  ['confirm-email?token=x', 'Confirm your email'],
  ['confirm-new-email?token=x', 'Confirm your new email'],
  ['new-password?token=x', 'New password'],
  ['accept-invitation?token=x', 'Invitation'],
];

describe('each page', () => {
  it('has nothing that axe finds, after a reload', async () => {
    const found: Record<string, string[]> = {};
    for (const [path, title] of [...PAGES, ...OTHER_PAGES]) {
      await (path === '' || path.startsWith('/') ? open(path) : page.goto(`${service.baseUrl}/${path}`));
      await heading(title);
      await loaded();
      const here = await faultsInEachAppearance(page, async (width) =>
        width === 1280 ? await wideTables() : [],
      );
      if (here.length > 0) found[title] = here;
    }
    expect(found).toEqual({});
  });

  it('is German where the person has chosen it or her browser asks for it', async () => {
    await open('');
    await heading('Overview');
    await page.getByRole('button', { name: /account menu/ }).click();
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await page.getByRole('link', { name: 'Übersicht' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByRole('button', { name: /Kontomenü/ }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await page.getByRole('link', { name: 'Overview' }).waitFor();

    const german = await browser.newContext({ locale: 'de-AT' });
    const visitor = await german.newPage();
    await visitor.goto(`${service.baseUrl}/sign-in`);
    await visitor.getByRole('heading', { name: 'Anmelden' }).waitFor();
    await visitor.getByRole('button', { name: 'English' }).click();
    await visitor.getByRole('heading', { name: 'Sign in' }).waitFor();
    await german.close();
  });

  it('has nothing that axe finds in German', async () => {
    const german = await browser.newContext({
      locale: 'de-DE',
      storageState: await context.storageState(),
      reducedMotion: 'reduce' as const,
      viewport: { width: 1280, height: 800 },
    });
    // A frame without an origin, such as the preview, has no storage.
    await german.addInitScript("try { localStorage.setItem('language', 'de') } catch {}");
    const seite = await german.newPage();
    const found: Record<string, string[]> = {};
    for (const [path] of [...PAGES, ...OTHER_PAGES, ['nope'] as const]) {
      await (path === '' || path.startsWith('/')
        ? seite.goto(`${service.baseUrl}/projects/${projectId}${path}`)
        : seite.goto(`${service.baseUrl}/${path}`));
      await seite.getByRole('heading', { level: 1 }).waitFor();
      await until(
        'nothing loads any more',
        async () => (await seite.locator('[aria-busy=true]').count()) === 0,
      );
      expect(await seite.locator('html').getAttribute('lang')).toBe('de');
      const here = await faultsInEachAppearance(seite, undefined, WIDTHS);
      if (here.length > 0) found[path] = here;
    }
    await german.close();
    expect(found).toEqual({});
  });

  it('is reached by its keys', async () => {
    await open('');
    await heading('Overview');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await heading('Consents');
    await page.keyboard.press('/');
    expect(await page.getByLabel('Find by ID').evaluate((input) => input.matches(':focus'))).toBe(true);
    // A key that is typed is no command.
    await page.keyboard.type('gd');
    await page.keyboard.press('Escape');
    await heading('Consents');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Search this page').waitFor();
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('is found by a few letters, from a field too', async () => {
    await open('/consents');
    await heading('Consents');
    await page.getByLabel('Find by ID').focus();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search everything' });
    await palette.getByRole('option', { name: 'Overview' }).waitFor();
    await palette.locator('input:focus').waitFor();
    await page.keyboard.type('audit');
    await until('one page is left', async () => (await palette.getByRole('option').count()) === 1);
    expect(await faults()).toEqual([]);
    await page.keyboard.press('Enter');
    await heading('Audit log');
    await page.getByRole('button', { name: 'Search' }).click();
    await palette.getByRole('option', { name: 'Overview' }).waitFor();
    await palette.locator('input:focus').waitFor();
    await page.keyboard.type('my sh');
    await palette.getByRole('option', { name: 'My shop Project' }).click();
    await heading('Overview');
    await page.keyboard.press('Control+k');
    await palette.getByRole('option', { name: 'Overview' }).waitFor();
    await palette.locator('input:focus').waitFor();
    await page.keyboard.type('no such page');
    await palette.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'hidden' });
  });

  it('says what the API refuses, and goes on when the service is back', async () => {
    await page.goto(`${service.baseUrl}/projects/00000000-0000-7000-8000-000000000000`);
    await page.getByText('This project doesn’t exist, or you don’t have access to it.').waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Go to home' }).click();
    await page.getByText('The server isn’t responding.').waitFor({ timeout: 20_000 });
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading('Overview');
  });
});

describe('somebody with a lower role', () => {
  it('gets in by mail, and sees the same pages, with what is not hers disabled', async () => {
    await page.request.post(`${service.baseUrl}/v1/auth/sign-up/email`, {
      data: { email: 'viewer@example.com', password: 'another password' },
    });
    const visitor = await browser.newPage();
    await visitor.goto(await linkMailedTo(service, 'viewer@example.com'));
    await visitor.locator('input[name=password]').fill(PASSWORD);
    await visitor.keyboard.press('Enter');
    await visitor.getByText('Email or password is incorrect.').waitFor();
    await visitor.locator('input[name=password]').fill('another password');
    await visitor.keyboard.press('Enter');
    await visitor.getByRole('heading', { name: 'New project' }).waitFor();
    // A forgotten password is reset, once.
    await visitor.goto(`${service.baseUrl}/forgotten-password`);
    await visitor.locator('input[name=email]').fill('viewer@example.com');
    await visitor.keyboard.press('Enter');
    await visitor.getByText('Check your inbox').waitFor();
    const link = await linkMailedTo(service, 'viewer@example.com', '/new-password');
    for (const outcome of ['Password changed', 'This link has expired']) {
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
    await field('Email').fill('ada@example.com');
    await page.locator('input[name=password]').fill('not this one');
    await page.keyboard.press('Enter');
    await page.getByText('Email or password is incorrect.').waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('Records and archive');
    await open('/settings/members');
    await field('Email').fill('viewer@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('cell', { name: 'viewer@example.com', exact: true }).waitFor();
    const invitation = await linkMailedTo(service, 'viewer@example.com', '/accept-invitation');
    await page.getByRole('button', { name: /account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading('Sign in');
    await page.goto(invitation);
    await page.getByText('viewer@example.com is invited to join My shop. Role: Viewer.').waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading('Overview');
    await open('/settings/consent/records-and-archive');
    await page.getByText('Requires the Editor role.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Test', exact: true }).isDisabled()).toBe(true);
    await open('/banner');
    await page.getByText('Requires the Editor role.').waitFor();
    expect(await field('Title').first().isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Review and publish' }).isDisabled()).toBe(true);
    await page.frameLocator('iframe').first().getByRole('heading', { name: 'Tea and cookies?' }).waitFor();
    for (const [path, title] of PAGES) {
      await open(path);
      await heading(title);
      await loaded();
      expect([title, await faults()]).toEqual([title, []]);
    }
  });

  it('deletes a project as its owner, after typing its name', async () => {
    await page.request.post(`${service.baseUrl}/v1/auth/sign-in/email`, {
      data: { email: 'ada@example.com', password: PASSWORD },
    });
    await open('/settings/project');
    await page.getByRole('button', { name: 'Delete project' }).click();
    const act = page.getByRole('dialog').getByRole('button', { name: 'Delete project' });
    await field('Type “My shop” to confirm').fill('My sho');
    expect(await act.isDisabled()).toBe(true);
    await field('Type “My shop” to confirm').fill('My shop');
    await act.click();
    await heading('New project');
  });
});

it('ran without an error in the console but for what was refused on purpose', () => {
  expect(errors.filter((text) => !/status of 4\d\d|ERR_INTERNET_DISCONNECTED|ApiProblem/.test(text))).toEqual(
    [],
  );
});
