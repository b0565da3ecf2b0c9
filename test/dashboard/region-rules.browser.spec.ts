import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { faultsInEachAppearance } from '../support/rules/page-faults.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const DESKTOP = { width: 1280, height: 900 };
const UK = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' };

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

let people = 0;
beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: DESKTOP });
  await signUpIn(context, service, { email: `ada${(people += 1)}@example.com`, name: 'Ada' });
  const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await made.json()) as { id: string }).id;
  page = await context.newPage();
});
afterEach(() => context.close());

const api = (path: string): string => `${service.baseUrl}/v1/projects/${projectId}${path}`;
const banner = () => page.frameLocator('iframe[title="Banner preview"]');
/** Opens the rule of a line. */
const edit = (regions: string) =>
  page
    .getByRole('table', { name: 'Modes by region and category' })
    .getByRole('link', { name: regions, exact: true })
    .click();
const drawer = (regions: string) => page.getByRole('region', { name: regions, exact: true });
/** Chooses the mode of a category in the open rule. */
const choose = (category: string, regions: string, mode: string) =>
  drawer(regions)
    .getByRole('radiogroup', { name: `${category} in ${regions}` })
    .getByText(mode, { exact: true })
    .click();
const configuration = async (): Promise<Record<string, unknown>> =>
  (await (await context.request.get(api('/configuration'))).json()) as Record<string, unknown>;
/** Publishes the form's content, and returns it. */
async function publish(): Promise<Record<string, unknown>> {
  const { version } = await configuration();
  await page.getByRole('button', { name: 'Review and publish' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
  return until('published', async () => {
    const saved = await configuration();
    return saved['version'] === Number(version) + 1 ? saved : null;
  });
}

/** The tab of a project of this tier that has published these rules with our banner. */
async function open(tier: string, changes: object = {}): Promise<void> {
  await context.request.post(api('/tier/simulate'), { data: { tier } });
  const data = { banner: { enabled: true }, ...changes };
  const saved = await context.request.put(api('/configuration'), { data });
  expect(saved.status()).toBe(200);
  await page.goto(`${service.baseUrl}/projects/${projectId}/banner?part=rules`);
  await page.getByRole('table', { name: 'Modes by region and category' }).waitFor();
}

describe('the rules on lite', () => {
  it('have modes of all other regions by category, which are published', async () => {
    await open('lite');
    expect(await page.getByRole('button', { name: 'Add a region' }).isDisabled()).toBe(true);
    await edit('All other regions');
    await banner().locator('.layer').first().waitFor();
    await choose('Analytics', 'All other regions', 'Opt-out');
    await banner().getByText('Already on, unless you object: Analytics.').waitFor();
    expect(await publish()).toMatchObject({
      defaultMode: 'opt_in',
      defaultModes: { analytics: 'opt_out', marketing: 'opt_in' },
    });
  });

  it('take the preset of the UK, and lose it where a mode is chosen by hand', async () => {
    await open('lite');
    await edit('All other regions');
    await drawer('All other regions').getByText('Changed by you', { exact: true }).first().click();
    const preset = page.getByLabel('Preset for All other regions');
    const labels = await preset.locator('option').allTextContents();
    await preset.selectOption(labels.find((label) => label.startsWith('United Kingdom')) ?? '');
    await page.getByText('Presets aren’t legal advice.').waitFor();
    expect(await page.getByRole('list', { name: 'Sources' }).getByRole('link').count()).toBeGreaterThan(0);
    expect(await publish()).toMatchObject({ defaultPreset: { id: 'gb', version: 1 }, defaultModes: UK });
    await choose('Marketing', 'All other regions', 'Opt-out');
    await drawer('All other regions').getByText('Changed by you', { exact: true }).first().waitFor();
    expect(await publish()).toMatchObject({
      defaultPreset: null,
      defaultMode: 'opt_out',
      defaultModes: { ...UK, marketing: 'opt_out' },
    });
  });
});

describe('the rules on business', () => {
  it('get the presets by law, one line each in groups, with what is coming and what visitors see', async () => {
    await open('business');
    await page.getByRole('button', { name: 'Add presets by law' }).click();
    const table = page.getByRole('table', { name: 'Modes by region and category' });
    await table.getByRole('row', { name: 'Germany TDDDG § 25 Opt-in for all categories' }).waitFor();
    await table.getByRole('rowheader', { name: 'Consent for some purposes' }).waitFor();
    await page.getByText('December 1, 2026: Chile').waitFor();
    await page.getByRole('textbox', { name: 'Find a region' }).fill('kingdom');
    await until('one line is found', async () => (await table.getByRole('link').count()) === 1);
    await edit('United Kingdom');
    expect(new URL(page.url()).searchParams.get('rule')).toMatch(/^\d+$/);
    const uk = drawer('United Kingdom');
    await banner().getByText('Already on, unless you object: Analytics, Preferences.').waitFor();
    await uk.getByText('on until the visitor opts out').first().waitFor();
    await page.getByRole('textbox', { name: 'Find a region' }).fill('');
    await edit('Germany');
    await banner().getByText('Already on').waitFor({ state: 'detached' });
    const rules = (await publish())['regionRules'] as { regions: string[]; preset: { id: string } }[];
    expect(rules.map(({ preset }) => preset.id)).toEqual(
      expect.arrayContaining(['de', 'gb', 'us-gpc', 'us']),
    );
  });

  it('say which line decides for a place, and are saved or taken back where they are edited', async () => {
    await open('business', {
      regionRules: [
        { regions: ['US-TX'], mode: 'opt_out' },
        { regions: ['US'], mode: 'notice' },
      ],
    });
    await page.getByText('An unknown place counts as the European Economic Area.').waitFor();
    const place = page.getByLabel('Test a place');
    await place.fill('texas');
    await page.getByRole('status').getByRole('link', { name: 'Texas: Opt-out for all categories' }).click();
    const texas = drawer('Texas');
    await texas.waitFor();
    await place.fill('Ohio, United States');
    await page.getByText('United States: Notice only for all categories').waitFor();
    await place.fill('no');
    await page.getByRole('link', { name: 'All other regions: Opt-in for all categories' }).waitFor();
    await place.fill('united');
    await page.getByText('No such place, or more than one').waitFor();

    await edit('Texas');
    await choose('Marketing', 'Texas', 'Opt-in');
    await texas.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
    await edit('Texas');
    await choose('Marketing', 'Texas', 'Opt-in');
    await texas.getByRole('button', { name: 'Save to draft' }).click();
    await texas.waitFor({ state: 'detached' });
    const draft = (await (await context.request.get(api('/configuration/draft'))).json()) as Record<
      string,
      unknown
    >;
    expect(draft).toMatchObject({
      configuration: { regionRules: [{ modes: { analytics: 'opt_out', marketing: 'opt_in' } }, {}] },
    });
  });

  it('can be moved, removed and added by keyboard and mouse', async () => {
    await open('business', {
      regionRules: [
        { regions: ['CH'], mode: 'notice' },
        { regions: ['US'], mode: 'opt_out' },
      ],
    });
    await edit('United States');
    await drawer('United States').getByRole('button', { name: 'Move up' }).press('Enter');
    await edit('Switzerland');
    await drawer('Switzerland').getByText('Rule 2 of 2').waitFor();
    await drawer('Switzerland').getByRole('button', { name: 'Remove rule' }).click();
    await page.getByRole('button', { name: 'Add a region' }).click();
    const regions = page.getByRole('textbox', { name: 'Regions' });
    // Slower than the preview, which validates the typed text after each pause.
    await regions.pressSequentially('JP, KR', { delay: 400 });
    expect(await publish()).toMatchObject({
      regionRules: [
        { regions: ['US'], mode: 'opt_out' },
        { regions: ['JP', 'KR'], mode: 'opt_in' },
      ],
    });
  });

  it('have nothing that axe finds, and no sideways scrolling', async () => {
    await open('business', {
      defaultPreset: { id: 'gb' },
      regionRules: [
        { regions: ['FR'], preset: { id: 'fr' } },
        { regions: ['US-CA', 'US-CO'], preset: { id: 'us-gpc' } },
        { regions: ['US-OK'], preset: { id: 'us-2027' } },
      ],
    });
    expect(await faultsInEachAppearance(page)).toEqual([]);
    await edit('France');
    await banner().locator('.layer').first().waitFor();
    await drawer('France').getByText('Loi Informatique et Libertés, article 82').first().click();
    expect(await faultsInEachAppearance(page)).toEqual([]);
  });
});
