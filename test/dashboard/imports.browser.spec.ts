import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { monthsAgo } from '../support/people/import.js';
import { signUpIn } from '../support/people/person.js';
import { launchBrowser } from '../support/programs/browser.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { faultsInEachAppearance } from '../support/rules/page-faults.js';

const SCREENSHOTS = process.env['IMPORTS_SCREENSHOTS'];
const CONSENTS = 60;
const GIVEN = monthsAgo(3);

let service: LoneService;
let browser: Browser;
let owner: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  owner = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(owner, service, { email: 'ada@example.com', name: 'Ada' });
  const created = await owner.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await created.json()) as { id: string }).id;
  page = await owner.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const section = (of = page): Locator => of.locator('#import');
const button = (name: string | RegExp): Locator => section().getByRole('button', { name });
const openSettings = (): Promise<unknown> =>
  page.goto(`${service.baseUrl}/projects/${projectId}/settings/privacy`);

async function choose(name: string, text: string): Promise<void> {
  await section()
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
}

/** The counts that the page shows, by name. */
async function counts(): Promise<Record<string, string>> {
  const facts = section().locator('dl.facts');
  const names = await facts.locator('dt').allTextContents();
  const values = await facts.locator('dd').allTextContents();
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}

/** No faults in any appearance, and a picture of each where the environment names a folder for them. */
async function expectNoFaults(name: string): Promise<void> {
  let shot = 0;
  const picture = async (width: number): Promise<string[]> => {
    const scheme = shot++ % 2 === 0 ? 'light' : 'dark';
    if (SCREENSHOTS !== undefined)
      await section().screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${scheme}.png`) });
    return [];
  };
  expect(await faultsInEachAppearance(page, picture)).toEqual([]);
}

describe('imports in the dashboard', () => {
  it('begin with the product and the file', async () => {
    await openSettings();
    await section().getByLabel('From').waitFor();
    await expectNoFaults('start');
  });

  it('show what a file contains before anything is stored', async () => {
    const rows = Array.from({ length: CONSENTS }, (_, at) => `c-${at},${GIVEN},true,false,${at % 2 === 0}`);
    const file = ['id,givenAt,analytics,marketing,preferences,ip', ...rows.map((row) => `${row},192.0.2.7`)];
    await choose(
      'consents.csv',
      [...file, `,${GIVEN},true,true,true,`, `old,${monthsAgo(20)},true,true,true,`].join('\n'),
    );
    await section().getByText('Checked, nothing stored yet:').waitFor();
    expect(await counts()).toEqual({
      'Consents to import': '60',
      'Imported before': '0',
      Refused: '2',
      '– no ID': '1',
      '– older than the retention period': '1',
    });
    await section().getByText('Columns that are not stored: ip').waitFor();
    const sample = section().getByRole('table', { name: 'First consents of the file' }).locator('tbody tr');
    expect(await sample.count()).toBe(10);
    await expectNoFaults('checked');
    await button('Show the first 50').click();
    expect(await sample.count()).toBe(50);
  });

  it('store it, offer the refused rows, and mark the records', async () => {
    await button('Import 60 consents').click();
    await section().getByText('Imported:').waitFor();
    expect(await counts()).toMatchObject({ Imported: '60', Refused: '2' });
    await expectNoFaults('finished');
    const download = page.waitForEvent('download');
    await section().getByRole('link', { name: 'Download refused rows' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
    await page.goto(`${service.baseUrl}/projects/${projectId}/consents`);
    const marked = page.getByRole('table').getByText('Imported', { exact: true });
    await marked.first().waitFor();
  });

  it('ask what unknown categories are, and check the file again', async () => {
    await openSettings();
    const header = 'id,givenAt,categories';
    await choose('again.csv', [header, `d-1,${GIVEN},Messung`, `d-2,${GIVEN},Messung`].join('\n'));
    const category = section().getByLabel('Messung');
    await category.waitFor();
    await expect(button(/^Import 0 consents/).isDisabled()).resolves.toBe(true);
    await category.selectOption('Analytics');
    await expectNoFaults('mapping');
    await button('Check again').click();
    await button('Import 2 consents').click();
    await section().getByText('Imported:').waitFor();
    expect(await counts()).toMatchObject({ Imported: '2', Refused: '0' });
  });

  it('can be canceled, and continue after a lost upload', async () => {
    await choose('canceled.csv', `id,givenAt,categories\ne-1,${GIVEN},analytics`);
    await button('Cancel import').click();
    await section()
      .getByText('Import canceled:')
      .or(section().getByText('Import canceled'))
      .first()
      .waitFor();
    const url = `${service.baseUrl}/v1/projects/${projectId}/imports`;
    const text = `id,givenAt,categories\nf-1,${GIVEN},analytics`;
    const data = { profile: 'generic', fileName: 'broken-off.csv', size: text.length };
    expect((await owner.request.post(url, { data })).status()).toBe(201);
    await openSettings();
    await section().getByText('The upload of broken-off.csv is not complete.').waitFor();
    await expectNoFaults('incomplete');
    await choose('broken-off.csv', text);
    await button('Import 1 consent').click();
    await section().getByText('Imported:').waitFor();
  });

  it('say in a sentence why a file cannot be read', async () => {
    await choose('odd.csv', 'name,age\nAda,36\n');
    await section().getByText('Import failed:').waitFor();
    await expectNoFaults('failed');
  });
});
