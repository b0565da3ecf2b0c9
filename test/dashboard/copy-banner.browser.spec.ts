import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';

interface Draft {
  version: number;
  configuration: { policyVersion: string } | null;
}

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const ids: Record<string, string> = {};

const at = (name: string, path: string): string =>
  `${service.baseUrl}/v1/projects/${ids[name]}/configuration${path}`;
const draftOf = async (name: string): Promise<Draft> =>
  (await (await context.request.get(at(name, '/draft'))).json()) as Draft;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  for (const name of ['Tea shop', 'Coffee shop', 'Bakery']) {
    const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name } });
    ids[name] = ((await made.json()) as { id: string }).id;
  }
  const banner = { policyVersion: '2026-11', banner: { enabled: true } };
  await context.request.put(at('Tea shop', ''), { data: banner, headers: { 'if-match': '"0"' } });
  const own = { policyVersion: 'own', basedOn: 0 };
  await context.request.put(at('Bakery', '/draft'), { data: own, headers: { 'if-match': '"0"' } });
  page = await context.newPage();
  await page.goto(`${service.baseUrl}/projects/${ids['Tea shop']}/banner`);
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe('copying a banner to other projects', () => {
  it('shows what would change there, and saves drafts', async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy to other projects…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy banner to other projects' });
    expect(await dialog.getByRole('checkbox', { name: 'Tea shop' }).count()).toBe(0);
    await dialog.getByLabel('Find a project').fill('shop coffee');
    await dialog.getByRole('checkbox', { name: 'Coffee shop' }).check();
    expect(await dialog.getByRole('checkbox', { name: 'Bakery' }).count()).toBe(0);
    await dialog.getByLabel('Find a project').fill('');
    await dialog.getByText('Show differences').click();
    await dialog.getByText('2 differences').waitFor();
    await dialog.getByText('2026-11').waitFor();
    await dialog.getByRole('checkbox', { name: 'Bakery' }).check();
    await dialog.getByText('its draft is replaced').waitFor();
    await dialog.getByRole('button', { name: 'Save as draft in 2 projects' }).click();
    await dialog.getByText('Saved as draft.').nth(1).waitFor();
    for (const name of ['Coffee shop', 'Bakery'])
      expect(await draftOf(name)).toMatchObject({ configuration: { policyVersion: '2026-11' } });
    expect((await draftOf('Tea shop')).configuration).toBeNull();
  });

  it('brings the former drafts back', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The former drafts are back.').waitFor();
    expect((await draftOf('Coffee shop')).configuration).toBeNull();
    expect(await draftOf('Bakery')).toMatchObject({ configuration: { policyVersion: 'own' } });
  });
});
