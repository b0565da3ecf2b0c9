import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { HEADLESS_SHELL, launchBrowser } from '../support/programs/browser.js';
import { faultsInEachAppearance, pageFaults } from '../support/rules/page-faults.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import type { Json } from '../support/people/json.js';
import { announceTestScan, insertTestScan, type TestItem } from '../support/people/scan.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';
import { becomeMember, BEHIND_LOOPBACK_PROXY, signUp, type TestUser } from '../support/people/user.js';

/** A net: a scan of the demo shop takes about 20 s on a machine that has nothing else to do. */
const SCAN_TIMEOUT_MS = 600_000;

let service: LoneService;
let browser: Browser;
let owner: BrowserContext;
let page: Page;

beforeAll(async () => {
  service = await startLoneService({ SCANNER_CHROMIUM: HEADLESS_SHELL });
  browser = await launchBrowser();
  owner = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  page = await owner.newPage();
  // The link signs the demo project's owner in, and leads to the project.
  await page.goto(/dashboard +(\S+)/.exec(service.output())?.[1] ?? '');
  await page.getByRole('link', { name: 'Scans', exact: true }).click();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Opens an item in the findings of a scan. */
async function openFinding(on: Page, name: string): Promise<void> {
  const button = on.getByRole('rowheader').getByRole('button', { name });
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.press('Enter');
  await on.getByText('How to fix it').waitFor();
}

const backToList = (on: Page): Promise<void> =>
  on.getByRole('main').getByRole('link', { name: 'Scans', exact: true }).click();

async function expectNoFindings(on: Page = page): Promise<void> {
  expect(await pageFaults(on)).toEqual([]);
}

describe('the Scans page', () => {
  it('explains what a scan is where there is none', async () => {
    await page.getByText('No scans yet').waitFor();
    await page.getByText('20 of 20 scans left in 24 hours').waitFor();
    await page.getByText('Up to 350').waitFor();
    await expectNoFindings();
  });

  it('shows beside the address why it is refused', async () => {
    await page.getByRole('button', { name: 'Scan now' }).click();
    const addresses = page.getByRole('textbox', { name: 'Addresses' });
    expect(await addresses.inputValue()).toBe(`${service.baseUrl}/demo/shop`);
    await addresses.fill('https://other.example/');
    await page.getByRole('button', { name: 'Start scan' }).click();
    await page.getByText('https://other.example/: The host must be one of the project’s domains').waitFor();
    await addresses.fill(`${service.baseUrl}/demo/shop`);
    await expectNoFindings();
  });

  it('scans the demo shop, and lists what it does before a choice', async () => {
    await page.getByRole('button', { name: 'Start scan' }).click();
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    // A worker evaluates it after its end.
    await page.getByText(/^Scan by a member, finished/).waitFor({ timeout: SCAN_TIMEOUT_MS });
    await page.getByText('to decide', { exact: false }).first().waitFor();
    const row = (...texts: string[]) =>
      texts.reduce((rows, text) => rows.filter({ hasText: text }), page.getByRole('row')).first();
    await page.getByRole('rowheader', { name: '_visits' }).waitFor();
    await openFinding(page, '_ads_id');
    await page.getByText('“_ads_id” was set on /demo/shop', { exact: false }).first().waitFor();
    await expectNoFindings();
    await page.getByRole('tab', { name: 'Cookies' }).click();
    await row('_ads_id', 'First party', 'Script', '/demo/shop').waitFor();
    await row('shop_session', 'Response', 'Session').waitFor();
    await expectNoFindings();
    await page.getByRole('tab', { name: 'Requests' }).click();
    await row('localhost:', '/demo/shop/pixel.gif?page', 'Third party', 'image').waitFor();
    await page.getByRole('tab', { name: 'Storage' }).click();
    await row('shop_last_seen', 'localStorage').waitFor();
    await page.getByRole('tab', { name: 'Pages' }).click();
    await row('/demo/shop/product/', 'Skipped', 'Other pages with the same template were visited.').waitFor();
    // A dash has its reason.
    await row('/demo/shop/product/', 'Skipped', 'The page was not visited').waitFor();
    await row('/demo/shop', 'Visited without a problem').waitFor();
  });

  it('adds what it saw to the banner draft, and says what is left', async () => {
    await page.getByRole('tab', { name: 'Findings' }).click();
    await page.getByRole('button', { name: 'Add to banner draft' }).click();
    await page.getByText(/^Added \d+ services? and \d+ cookies?\./).waitFor();
    expect(await page.getByRole('link', { name: 'Open the draft' }).getAttribute('href')).toMatch(
      /\/banner\?part=offer$/,
    );
    await expectNoFindings();
  });

  it('schedules scans, and says when the next one is due', async () => {
    await backToList(page);
    await page.getByLabel('Repeats').selectOption('weekly');
    await page
      .getByRole('region', { name: 'Schedule' })
      .getByText(/^in \d+ /)
      .waitFor();
    await expectNoFindings();
    await page.goBack();
  });

  it('opens the same view after a reload, and lists the scan', async () => {
    await page.getByRole('tab', { name: 'Pages' }).click();
    await page.reload();
    await page.getByRole('table', { name: 'Pages' }).waitFor();
    await backToList(page);
    await page.getByRole('row').filter({ hasText: 'First scan' }).filter({ hasText: 'Member' }).waitFor();
  });

  it('filters scans by address, result and origin, also after a reload', async () => {
    const scan = page.getByRole('row').filter({ hasText: 'First scan' });
    const address = page.getByRole('textbox', { name: 'Address of a scan' });
    await address.fill('/other');
    await page.getByText('No scan matches.').waitFor();
    await address.fill('shop demo');
    await scan.waitFor();
    await page.getByRole('button', { name: 'Result', exact: true }).click();
    await page.getByRole('combobox', { name: 'Result' }).selectOption('No problems found');
    await page.getByText('No scan matches.').waitFor();
    await page.getByRole('combobox', { name: 'Result' }).selectOption('Clear problem');
    await scan.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Started by', exact: true }).click();
    await page.getByRole('combobox', { name: 'Started by' }).selectOption('Schedule');
    await page.getByText('No scan matches.').waitFor();
    await page.reload();
    await page.getByText('No scan matches.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await scan.waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expectNoFindings();
  });
});

describe('findings and decisions', () => {
  const FBP: TestItem = {
    name: '_fbp',
    states: ['before', 'reject'],
    pages: [1, 2],
    details: { setBy: 'script', initiator: 'connect.facebook.net/en_US/fbevents.js' },
  };
  let testService: TestService;
  let ada: TestUser;
  let projectId: string;
  let scanId: string;
  let opened: Page;

  const json = async (response: Response): Promise<Json> => (await response.json()) as Json;
  const scan = async (items: TestItem[]): Promise<string> => {
    const { database } = testService;
    const id = await insertTestScan((sql, params) => database.query(sql, params), projectId, {
      items,
      tested: ['before', 'reject', 'accept', 'signal'],
    });
    await announceTestScan(database.orm.em, projectId, id);
    return id;
  };
  const openAs = async ({ cookie }: TestUser, viewport = { width: 1280, height: 800 }): Promise<Page> => {
    const context = await browser.newContext({ reducedMotion: 'reduce', viewport });
    const cookies = cookie.split('; ').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return { name, value: value.join('='), url: testService.baseUrl };
    });
    await context.addCookies(cookies);
    return context.newPage();
  };
  const go = (on: Page, path: string): Promise<unknown> =>
    on.goto(`${testService.baseUrl}/projects/${projectId}${path}`);

  beforeAll(async () => {
    testService = await startTestService({
      RUN_WORKER: 'true',
      OUTBOX_POLL_MS: '50',
      ...BEHIND_LOOPBACK_PROXY,
    });
    ada = await signUp(testService);
    projectId = String((await json(await ada.request('POST', '/v1/projects', { name: 'Shop' })))['id']);
    await scan([{ name: 'sid' }]);
    scanId = await scan([{ name: 'sid' }, FBP]);
    opened = await openAs(ada);
  });
  afterAll(() => testService?.close());

  it('lists each scan by its worst result and what changed since the scan before', async () => {
    await go(opened, '/scans');
    const latest = opened.getByRole('region', { name: 'Latest result' });
    await latest.getByRole('heading', { name: '1 cookie before consent' }).waitFor();
    await latest.getByText('0 arguable and 1 to decide, on 2 pages,').waitFor();
    const rows = opened.getByRole('table', { name: 'Scans' }).getByRole('row');
    const newest = rows.nth(1);
    for (const text of ['1 cookie before consent', '1 more', '1 new item', 'Member'])
      await newest.getByText(text).waitFor();
    for (const text of ['1 item to decide', 'First scan']) await rows.nth(2).getByText(text).waitFor();
    expect(await opened.getByText('Completed').count()).toBe(0);
    expect(await faultsInEachAppearance(opened)).toEqual([]);
    await newest.getByRole('link', { name: '1 cookie before consent' }).press('Enter');
    await opened.getByRole('heading', { name: /^shop\.example, / }).waitFor();
  });

  it('says the same in the head of the scan, whose numbers are those of the rows', async () => {
    const result = opened.getByRole('region', { name: 'Result' });
    await result.getByRole('heading', { name: '1 cookie before consent' }).waitFor();
    await result.getByText('1 of them also after refusal. Block 1 service until visitors agree.').waitFor();
    await result.getByText(/^1 more problem than on /).waitFor();
    const numbers = await result.locator('.scan-counts > div').allTextContents();
    expect(numbers).toEqual(['Clear problems1', 'Arguable0', 'To decide1', 'As declared0']);
    const states = opened.getByRole('list', { name: 'Consent states' }).getByRole('listitem');
    expect(await states.locator('b').allTextContents()).toEqual(['1', '1', '0', '–', '0']);
    await opened.getByRole('tab', { name: 'Findings 2' }).waitFor();
    const row = opened.getByRole('row').filter({ has: opened.getByRole('rowheader', { name: '_fbp' }) });
    const marks = await row.getByRole('img').evaluateAll((all) => all.map((mark) => mark.ariaLabel));
    expect(marks).toEqual(['Clear problem', 'Clear problem', 'Not seen', 'Not tested', 'Not seen']);
    await opened.getByRole('button', { name: 'Export' }).waitFor();
    await opened.getByRole('button', { name: /roof/ }).waitFor();
  });

  it('opens an item with what was seen, its rules and a way to fix it', async () => {
    await openFinding(opened, '_fbp');
    const sentence = '“_fbp” was set on / and 1 more page by connect.facebook.net before any choice.';
    await opened.getByText(sentence).waitFor();
    await opened.getByText('Touches ePrivacy Directive Art. 5(3)').waitFor();
    const code = await opened.getByLabel('Code', { exact: true }).textContent();
    expect(code).toContain('data-src="https://connect.facebook.net/en_US/fbevents.js"');
    const mail = new URL(
      (await opened.getByRole('link', { name: 'Ask developer', exact: true }).getAttribute('href')) ?? '',
    );
    expect(mail.searchParams.get('body')).toContain(sentence);
    expect(await faultsInEachAppearance(opened)).toEqual([]);
  });

  it('accepts findings on an item with a reason, by keyboard, and reopens them', async () => {
    await openFinding(opened, 'sid');
    await opened.getByRole('button', { name: 'Accept with reason…: sid' }).press('Enter');
    await opened.getByRole('textbox', { name: 'Reason' }).fill('Keeps the cart.');
    await expectNoFindings(opened);
    await opened.keyboard.press('Enter');
    await opened.getByText(/accepted\.$/).waitFor();
    await opened.getByText('Accepted: Keeps the cart.').first().waitFor();
    await opened.getByRole('tab', { name: 'Findings 1' }).waitFor();
    const reopen = opened.getByRole('button', { name: /^Reopen: / });
    for (let left = await reopen.count(); left > 0; left--) {
      await reopen.first().click();
      await until('it is open again', async () => (await reopen.count()) < left);
    }
    await opened.getByRole('tab', { name: 'Findings 2' }).waitFor();
  });

  it('does not call a scan without counts passed, for example of an earlier version', async () => {
    const { database } = testService;
    const query = (sql: string, params: unknown[]): Promise<unknown> => database.query(sql, params);
    const id = await insertTestScan(query, projectId, { items: [] });
    await query(`update scan set ended_at = now() - interval '1 hour' where id = $1`, [id]);
    try {
      await go(opened, `/scans/${id}`);
      const result = opened.getByRole('region', { name: 'Result' });
      await result.getByRole('heading', { name: 'Not evaluated' }).waitFor();
      await opened.getByText('This scan has no findings to list').waitFor();
      await expectNoFindings(opened);
    } finally {
      await query('delete from scan where id = $1', [id]);
    }
    await go(opened, `/scans/${scanId}`);
  });

  it('compares the scan with the one before', async () => {
    await opened.getByRole('tab', { name: 'Changes' }).click();
    await opened.getByRole('list', { name: 'New cookies and services (1)' }).getByText('_fbp').waitFor();
    await opened.getByRole('region', { name: 'Findings no longer seen (0)' }).getByText('None.').waitFor();
    await expectNoFindings(opened);
  });

  it('decides what a cookie is for, which settles its findings', async () => {
    await opened.getByRole('link', { name: 'Cookies', exact: true }).click();
    const select = opened.getByRole('combobox', { name: 'Category of sid' });
    await opened.getByRole('row').nth(1).filter({ hasText: 'sid' }).waitFor();
    await expectNoFindings(opened);
    await select.selectOption('Necessary');
    await opened.getByText('Decision saved.').waitFor();
    await opened.getByTitle('Source: Your decision').waitFor();
    await opened.getByText('Unclassified', { exact: true }).click();
    await opened.getByText('Everything is classified').waitFor();
    await go(opened, `/scans/${scanId}`);
    await opened.getByRole('rowheader', { name: '_fbp' }).waitFor();
    expect(await opened.getByRole('rowheader', { name: 'sid' }).count()).toBe(0);
  });

  it('tells the alert in the audit log in words', async () => {
    await go(opened, '/settings/audit?action=scan.alert');
    const row = opened.getByRole('row').filter({ hasText: 'Scan alert sent' }).first();
    await row.getByText('New items, Storage before consent').waitFor();
    await row.getByRole('link').press('Enter');
    const changed = opened.getByRole('dialog', { name: 'Change' }).getByRole('row');
    await changed.filter({ hasText: 'New items' }).getByText('1 item: _fbp').waitFor();
    expect(await opened.getByText('loaderGone').count()).toBe(0);
    await expectNoFindings(opened);
  });

  it('shows a viewer what an editor can do, disabled, also on a phone', async () => {
    const viewer = await signUp(testService);
    const invite = (body: unknown): Promise<Response> =>
      ada.request('POST', `/v1/projects/${projectId}/members`, body);
    await becomeMember(
      async (body) => Response.json(await json(await invite(body)), { status: 201 }),
      viewer,
      'viewer',
    );
    const phone = await openAs(viewer, { width: 375, height: 800 });
    await go(phone, '/cookies');
    await phone.getByText('Category: Requires the Editor role.').waitFor();
    expect(await phone.getByRole('combobox', { name: 'Category of _fbp' }).isDisabled()).toBe(true);
    await expectNoFindings(phone);
    await go(phone, `/scans/${scanId}`);
    await phone.getByRole('button', { name: 'Details: _fbp' }).click();
    await phone.getByText('“_fbp” was set').first().waitFor();
    expect(await phone.getByRole('button', { name: 'Accept with reason…: _fbp' }).isDisabled()).toBe(true);
    expect(await phone.getByRole('button', { name: 'Scan again' }).isDisabled()).toBe(true);
    await expectNoFindings(phone);
    await go(phone, '/scans');
    await phone.getByRole('table', { name: 'Scans' }).getByText('1 cookie before consent').waitFor();
    await expectNoFindings(phone);
  });
});
