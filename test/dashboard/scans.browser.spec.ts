import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { HEADLESS_SHELL, launchBrowser } from '../support/programs/browser.js';
import { pageFaults } from '../support/rules/page-faults.js';
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

async function expectNoFindings(on: Page = page): Promise<void> {
  expect(await pageFaults(on)).toEqual([]);
}

describe('the Scans page', () => {
  it('explains what a scan is where there is none', async () => {
    await page.getByText('No scans yet').waitFor();
    await page.getByText('20 scans of 20 left in 24 hours, up to 350 pages each.').waitFor();
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
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: SCAN_TIMEOUT_MS });
    const row = (...texts: string[]) =>
      texts.reduce((rows, text) => rows.filter({ hasText: text }), page.getByRole('row')).first();
    // A worker writes the findings after the scan.
    await page.getByText('“_visits” was set on /demo/shop', { exact: false }).first().waitFor();
    await page.locator('summary').filter({ hasText: '_ads_id' }).click();
    await page.getByText('“_ads_id” was set on /demo/shop', { exact: false }).first().waitFor();
    await page.locator('.segments').getByText('Cookies', { exact: true }).click();
    await row('_ads_id', 'First party', 'Script', '/demo/shop').waitFor();
    await row('shop_session', 'Response', 'Session').waitFor();
    await expectNoFindings();
    await page.getByText('Requests', { exact: true }).click();
    await row('localhost:', '/demo/shop/pixel.gif?page', 'Third party', 'image').waitFor();
    await page.getByText('Storage', { exact: true }).click();
    await row('shop_last_seen', 'localStorage').waitFor();
    await page.getByText('Pages', { exact: true }).click();
    await row('/demo/shop/product/', 'Skipped', 'Other pages with the same template were visited.').waitFor();
  });

  it('adds what it saw to the banner draft, and says what is left', async () => {
    await page.getByRole('button', { name: 'Add to banner draft' }).click();
    await page.getByText(/^Added \d+ services? and \d+ cookies?\./).waitFor();
    expect(await page.getByRole('link', { name: 'Open the draft' }).getAttribute('href')).toMatch(
      /\/banner\?part=offer$/,
    );
    await expectNoFindings();
  });

  it('schedules scans, and says when the next one is due', async () => {
    await page.getByRole('link', { name: 'All scans' }).click();
    await page.getByLabel('Frequency').selectOption('weekly');
    await page.getByText(/^Next scan: in \d+ /).waitFor();
    await expectNoFindings();
    await page.goBack();
  });

  it('opens the same view after a reload, and lists the scan', async () => {
    await page.reload();
    await page.getByRole('table', { name: 'Pages' }).waitFor();
    await page.getByRole('link', { name: 'All scans' }).click();
    await page.getByRole('row').filter({ hasText: 'Completed' }).filter({ hasText: '/demo/shop' }).waitFor();
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

  it('shows four figures and each finding as a sentence', async () => {
    await go(opened, `/scans/${scanId}`);
    const sentence = '“_fbp” was set on / and 1 more page by connect.facebook.net before any choice.';
    await opened.getByText(sentence).waitFor();
    const summary = opened.getByRole('region', { name: 'Without consent' });
    for (const text of ['Before a choice', 'After refusal', 'After withdrawal', 'With a GPC signal'])
      await summary.getByRole('heading', { name: text }).waitFor();
    await summary.getByText('Not tested in this scan').waitFor();
    const finding = opened.getByRole('listitem').filter({ hasText: sentence });
    for (const text of ['Clear problem', 'New', 'Marketing', 'Touches ePrivacy Directive Art. 5(3)'])
      await finding.getByText(text).first().waitFor();
    await expectNoFindings(opened);
  });

  it('accepts a finding with a reason, by keyboard, and reopens it', async () => {
    const finding = opened
      .getByRole('listitem')
      .filter({ hasText: '“sid” was present on / before any choice.' });
    await opened.locator('summary').filter({ hasText: 'sid' }).press('Enter');
    await finding.getByRole('button', { name: 'Accept' }).press('Enter');
    await opened.getByRole('textbox', { name: 'Reason' }).fill('Keeps the cart.');
    await expectNoFindings(opened);
    await opened.keyboard.press('Enter');
    await finding.getByText('Accepted: Keeps the cart.').waitFor();
    await finding.getByRole('button', { name: 'Reopen' }).click();
    await finding.getByText('Still there').waitFor();
  });

  it('accepts all findings on a cookie at once', async () => {
    const group = opened.locator('details').filter({ has: opened.locator('summary', { hasText: 'sid' }) });
    await group.getByRole('button', { name: /^Accept \d+ findings$/ }).click();
    await opened.getByRole('textbox', { name: 'Reason' }).fill('Keeps the cart.');
    await expectNoFindings(opened);
    await opened.keyboard.press('Enter');
    await opened.getByText(/^\d+ findings accepted\.$/).waitFor();
    const accepted = await group.getByRole('listitem').count();
    await until('all are accepted', async () => {
      return (await group.getByText('Accepted: Keeps the cart.').count()) === accepted;
    });
    for (let left = accepted; left > 0; left--) {
      await group.getByRole('button', { name: 'Reopen' }).first().click();
      await until('it is open again', async () => (await group.getByText('Accepted:').count()) < left);
    }
  });

  it('compares the scan with the one before', async () => {
    await opened.locator('.segments').getByText('Changes').click();
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
    await opened.getByRole('row').filter({ hasText: 'sid' }).getByText('Your decision').waitFor();
    await opened.getByText('Unclassified', { exact: true }).click();
    await opened.getByText('Everything is classified').waitFor();
    await go(opened, `/scans/${scanId}`);
    await opened.getByText('“_fbp” was set').first().waitFor();
    expect(await opened.getByText('“sid”').count()).toBe(0);
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
    await phone.getByText('“_fbp” was set').first().waitFor();
    expect(
      await phone
        .getByRole('button', { name: /^Accept: / })
        .first()
        .isDisabled(),
    ).toBe(true);
    await expectNoFindings(phone);
  });
});
