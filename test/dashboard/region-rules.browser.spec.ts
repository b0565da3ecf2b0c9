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
const cell = (category: string, regions: string) =>
  page.getByLabel(`${category} in ${regions}`, { exact: true });
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
  await banner().locator('.layer').first().waitFor();
}

describe('the rules on lite', () => {
  it('have modes of all other regions by category, which are published', async () => {
    await open('lite');
    expect(await page.getByRole('button', { name: 'Add rule' }).isDisabled()).toBe(true);
    await cell('Analytics', 'All other regions').selectOption('Opt-out');
    await banner().getByText('Already on, unless you object: Analytics.').waitFor();
    expect(await publish()).toMatchObject({
      defaultMode: 'opt_in',
      defaultModes: { analytics: 'opt_out', marketing: 'opt_in' },
    });
  });

  it('take the preset of the UK, and lose it where a mode is chosen by hand', async () => {
    await open('lite');
    await page.getByText('Set by hand', { exact: true }).first().click();
    const preset = page.getByLabel('Preset for All other regions');
    const labels = await preset.locator('option').allTextContents();
    await preset.selectOption(labels.find((label) => label.startsWith('United Kingdom')) ?? '');
    await page.getByText('Presets aren’t legal advice.').waitFor();
    expect(await page.getByRole('list', { name: 'Sources' }).getByRole('link').count()).toBeGreaterThan(0);
    expect(await publish()).toMatchObject({ defaultPreset: { id: 'gb', version: 1 }, defaultModes: UK });
    await cell('Marketing', 'All other regions').selectOption('Opt-out');
    await page.getByText('Set by hand', { exact: true }).first().waitFor();
    expect(await publish()).toMatchObject({
      defaultPreset: null,
      defaultMode: 'opt_out',
      defaultModes: { ...UK, marketing: 'opt_out' },
    });
  });
});

describe('the rules on business', () => {
  it('get the presets by law, with what is coming, and a preview of each cell', async () => {
    await open('business');
    await page.getByRole('button', { name: 'Add presets by law' }).click();
    await page.getByText('From January 1, 2027: Opt-out for all categories').first().waitFor();
    await page.getByRole('button', { name: 'Preview Analytics in United Kingdom', exact: true }).click();
    await page.getByText('Analytics in United Kingdom: on until the visitor opts out.').waitFor();
    await banner().getByText('Already on, unless you object: Analytics, Preferences.').waitFor();
    await page.getByRole('button', { name: 'Preview Analytics in Germany', exact: true }).click();
    await banner().getByText('Already on').waitFor({ state: 'detached' });
    const rules = (await publish())['regionRules'] as { regions: string[]; preset: { id: string } }[];
    expect(rules.map(({ preset }) => preset.id)).toEqual(
      expect.arrayContaining(['de', 'gb', 'us-gpc', 'us']),
    );
  });

  it('can be moved, removed and added by keyboard and mouse', async () => {
    await open('business', {
      regionRules: [
        { regions: ['CH'], mode: 'notice' },
        { regions: ['US'], mode: 'opt_out' },
      ],
    });
    await page.getByRole('button', { name: 'Move rule 2 up' }).press('Enter');
    await page.getByRole('button', { name: 'Remove rule 2' }).click();
    await page.getByRole('button', { name: 'Add rule' }).click();
    const regions = page.getByRole('textbox', { name: 'Regions of rule 2' });
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
  });
});
