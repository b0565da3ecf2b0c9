import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { faultsInEachAppearance, pageFaults } from '../support/rules/page-faults.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  await signUpIn(context, service, { email: 'agency@example.com', name: 'Agency' });
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const api = async <T>(method: string, path: string, data: object): Promise<T> => {
  const response = await context.request.fetch(`${service.baseUrl}/v1${path}`, { method, data });
  if (!response.ok()) throw new Error(`${method} ${path}: ${response.status()} ${await response.text()}`);
  return (await response.json()) as T;
};
const ids: Record<string, string> = {};
const create = async (name: string, domain: string): Promise<string> =>
  (ids[name] = (await api<{ id: string }>('POST', '/projects', { name, domains: [domain] })).id);
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const overview = async (project: string) => {
  await heading('Overview');
  await page.getByRole('button', { name: `Project ${project}: switch project` }).waitFor();
};
const rows = () => page.getByRole('table', { name: 'All projects' }).locator('tbody tr');
const shows = (...names: string[]) =>
  until(`the list shows ${names.join(', ')}`, async () => {
    const shown = await rows().locator('td:first-child').allTextContents();
    return shown.join() === names.join();
  });

describe('the start', () => {
  it('leads to the only project, and to all of them where there are several', async () => {
    await create('Alpha tea', 'www.alpha.example');
    await page.goto(service.baseUrl);
    await overview('Alpha tea');
    const failing = await create('Gamma cups', 'www.gamma.example');
    await api('POST', `/projects/${failing}/tier/simulate`, { tier: 'pro' });
    // An unreachable address.
    await api('PUT', `/projects/${failing}/forwarding`, {
      enabled: true,
      endpointUrl: 'https://consents.example.com',
      authMode: 'none',
    });
    await api('POST', `/projects/${failing}/consents`, {
      analytics: true,
      marketing: false,
      preferences: true,
      action: 'custom',
      hostname: 'www.gamma.example',
    });
    const published = await create('Beta pots', 'www.beta.example');
    await api('PUT', `/projects/${published}/configuration`, { banner: { enabled: true } });
    const visit = await context.request.post(`${service.baseUrl}/v1/projects/${published}/visits`, {
      headers: { 'content-type': 'text/plain', origin: 'https://www.beta.example' },
      data: '{}',
    });
    expect(visit.status()).toBe(204);
    await page.goto(service.baseUrl);
    await heading('All projects');
    expect(new URL(page.url()).pathname).toBe('/projects');
  });
});

describe('the page of all projects', () => {
  it('shows of each whether it works, the ones that do not first', async () => {
    // The row changes without a reload once the delivery has failed.
    await page.reload();
    await rows()
      .first()
      .getByText(/^Failing since \d\d:\d\d$/)
      .waitFor({ timeout: 60_000 });
    await shows('Gamma cups', 'Alpha tea', 'Beta pots');
    const cells = await rows().first().locator('td').allTextContents();
    // Consents, opt-in rate and undelivered records.
    expect(cells.slice(2, 5)).toEqual(['1', '100%', '1']);
    await rows()
      .nth(2)
      .getByText(/^Published/)
      .waitFor();
    await rows().nth(1).getByText('Not published').waitFor();
    await rows().nth(1).getByText('Not detected').waitFor();
    // Its script is seen within a minute.
    await rows().nth(2).getByText(/^Seen/).waitFor({ timeout: 90_000 });
    await page.getByText('2 projects need attention. 1 endpoint fails, 1 site has no banner.').waitFor();
    // Of several projects, none is the one to navigate in.
    expect(
      await page.getByRole('navigation', { name: 'Main navigation' }).filter({ visible: true }).count(),
    ).toBe(0);
  });

  it('searches and sorts, and the address holds both over a reload', async () => {
    await page.getByText('By name').click();
    await shows('Alpha tea', 'Beta pots', 'Gamma cups');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('A.EXAMPLE');
    await shows('Alpha tea', 'Beta pots', 'Gamma cups');
    await page.getByRole('textbox', { name: 'Search by name or domain' }).fill('pots béta');
    await shows('Beta pots');
    expect(new URL(page.url()).searchParams.get('q')).toBe('pots béta');
    await page.reload();
    await shows('Beta pots');
    await page.getByRole('textbox', { name: 'Search by name or domain' }).fill('nothing like it');
    await page.getByText('No projects match.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows('Alpha tea', 'Beta pots', 'Gamma cups');
    await page.getByRole('link', { name: 'Show them' }).click();
    await shows('Alpha tea', 'Gamma cups');
    expect(new URL(page.url()).search).toBe('?sort=name&attention=true');
    await page.getByRole('link', { name: 'Show all' }).click();
    await shows('Alpha tea', 'Beta pots', 'Gamma cups');
  });

  it('filters by plan and by banner', async () => {
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('combobox', { name: 'Plan', exact: true }).selectOption('pro');
    await shows('Gamma cups');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter: Plan: Pro' }).click();
    await page.getByRole('button', { name: 'Banner', exact: true }).click();
    await page.getByRole('combobox', { name: 'Banner', exact: true }).selectOption('published');
    await shows('Beta pots');
    expect(new URL(page.url()).search).toBe('?sort=name&banner=published');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows('Alpha tea', 'Beta pots', 'Gamma cups');
  });

  it('copies a published banner to other projects', async () => {
    await page.getByRole('button', { name: 'Copy a banner…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy a banner', exact: true });
    const source = dialog.getByLabel('Copy from');
    await source.waitFor();
    expect(await source.locator('option').allTextContents()).toEqual(['Beta pots (www.beta.example)']);
    await dialog.getByRole('button', { name: 'Select targets' }).click();
    const targets = page.getByRole('dialog', { name: 'Copy banner to other projects' });
    await targets.getByRole('checkbox', { name: 'Alpha tea www.alpha.example' }).waitFor();
    await targets.getByRole('checkbox', { name: 'Select all' }).check();
    await targets.getByText('2 of 2 selected').waitFor();
    await targets.getByText('Not published').first().waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await targets.getByRole('button', { name: 'Save as draft in 2 projects' }).click();
    await targets.getByText('Saved as draft.').nth(1).waitFor();
    await targets.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The former drafts are back.').waitFor();
    await targets.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Publish \d draft/ }).waitFor({ state: 'detached' });
  });

  it('shows waiting drafts, and publishes them after one review', async () => {
    for (const name of ['Alpha tea', 'Gamma cups'])
      await api('PUT', `/projects/${ids[name]}/configuration/draft`, {
        policyVersion: '2026-11',
        basedOn: 0,
        banner: { enabled: true },
      });
    await page.reload();
    await rows()
      .filter({ hasText: 'Alpha tea' })
      .getByText(/^Draft · /)
      .waitFor();
    await page.getByRole('button', { name: 'Publish 2 drafts…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish drafts' });
    await dialog.getByText('2 differences').nth(1).waitFor();
    await dialog.getByText('2 projects have no link to a privacy policy.').waitFor();
    await dialog.getByText('2 differences').first().click();
    await dialog.getByText('2026-11').first().waitFor();
    expect(await pageFaults(page)).toEqual([]);
    // One of them changes after the review.
    await api('PUT', `/projects/${ids['Gamma cups']}/configuration/draft`, {
      policyVersion: 'b',
      basedOn: 0,
    });
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('All shops');
    await dialog.getByRole('button', { name: 'Publish 2 drafts' }).click();
    await dialog.getByText('Published.').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Gamma cups' }).locator('.state').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Publish 1 draft…' }).waitFor();
    const saved = await context.request.get(
      `${service.baseUrl}/v1/projects/${ids['Alpha tea']}/configuration`,
    );
    expect(await saved.json()).toMatchObject({ version: 1, policyVersion: '2026-11' });
    await context.request.delete(`${service.baseUrl}/v1/projects/${ids['Gamma cups']}/configuration/draft`);
    await page.reload();
  });

  it('leads to a project and to its failed deliveries, and back by the switcher', async () => {
    await rows().filter({ hasText: 'Gamma cups' }).getByRole('link', { name: '1', exact: true }).click();
    await heading('Deliveries');
    expect(new URL(page.url()).search).toBe('?status=failed');
    await page.getByRole('button', { name: 'Project Gamma cups: switch project' }).click();
    const options = page.getByRole('listbox', { name: 'Find a project' }).getByRole('option');
    await page.getByRole('option', { name: 'Gamma cups' }).waitFor();
    expect(await options.first().textContent()).toBe('All projectsg p');
    expect(await options.nth(1).textContent()).toBe('Gamma cups');
    await page.keyboard.press('Enter');
    await heading('All projects');
    await page.getByRole('link', { name: 'Beta pots' }).click();
    await overview('Beta pots');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await heading('All projects');
  });

  it('switches to a project by a few letters, without the mouse', async () => {
    const optics = await create('Optik Schäfer 5', 'www.optik.example');
    await page.goto(`${service.baseUrl}/projects/${ids['Beta pots']}`);
    const switcher = page.getByRole('button', { name: 'Project Beta pots: switch project' });
    await switcher.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'Gamma cups' }).waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await page.keyboard.type('optik 5');
    await until('one is found', async () => (await page.getByRole('option').count()) === 1);
    await page.keyboard.press('Escape');
    expect(await switcher.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.type('schaefer');
    await page.keyboard.press('Enter');
    await overview('Optik Schäfer 5');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox', { name: 'Search everything' }).fill('schafer 5');
    await page.getByRole('option', { name: 'Optik Schäfer 5' }).waitFor();
    await page.keyboard.press('Escape');
    await context.request.delete(`${service.baseUrl}/v1/projects/${optics}`);
    await page.goto(`${service.baseUrl}/projects`);
  });

  it('says what fails, and goes on when asked to', async () => {
    const other = await context.newPage();
    await other.route('**/v1/project-statuses*', (route) => route.fulfill({ status: 500, json: {} }));
    await other.goto(`${service.baseUrl}/projects`);
    await other.getByRole('alert').waitFor();
    await other.unroute('**/v1/project-statuses*');
    await other.getByRole('button', { name: 'Try again' }).click();
    await other.getByRole('link', { name: 'Alpha tea' }).waitFor();
    await other.close();
  });

  it('has nothing that axe finds', async () => {
    await page.goto(`${service.baseUrl}/projects`);
    await rows().first().waitFor();
    expect(await faultsInEachAppearance(page)).toEqual([]);
  });
});

describe('a list on a phone', () => {
  it('hides its filters behind a button, and shows the first record without scrolling', async () => {
    await page.setViewportSize({ width: 375, height: 720 });
    await page.goto(`${service.baseUrl}/projects`);
    await page.getByRole('link', { name: 'Gamma cups' }).click();
    await heading('Overview');
    await page.goto(`${page.url()}/consents`);
    const row = page.locator('tbody tr').first();
    await row.waitFor();
    expect((await row.boundingBox())?.y ?? 720).toBeLessThan(680);
    const chip = page.getByRole('button', { name: 'Host', exact: true });
    expect(await chip.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Filters' }).click();
    await chip.click();
    await page.getByRole('textbox', { name: 'Host', exact: true }).fill('www.alpha.example');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
    await page.getByText('No records match these filters.').waitFor();
    expect(await pageFaults(page)).toEqual([]);
  });

  it.each(['', '/consents', '/deliveries'])('cuts no table: %s', async (path) => {
    const { pathname } = new URL(page.url());
    await page.goto(`${service.baseUrl}${pathname.split('/').slice(0, 3).join('/')}${path}`);
    await page.locator('tbody tr').first().waitFor();
    const cut = await page
      .locator('.rows')
      .evaluateAll((tables) => tables.filter((table) => table.scrollWidth > table.clientWidth).length);
    expect(cut).toBe(0);
    expect(await pageFaults(page)).toEqual([]);
  });

  it('cuts no table: all projects', async () => {
    await page.goto(`${service.baseUrl}/projects`);
    await rows().first().waitFor();
    const { scrollWidth, clientWidth } = await page.locator('.rows').evaluate((table) => ({
      scrollWidth: table.scrollWidth,
      clientWidth: table.clientWidth,
    }));
    expect(scrollWidth).toBe(clientWidth);
  });
});
