import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { signUpIn } from '../support/people/person.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

declare function getComputedStyle(element: unknown): { fontSize: string };

const DESKTOP = { width: 1280, height: 720 };
const PHONE = { width: 375, height: 720 };
/** Smaller text has to be guessed, not read. */
const READABLE_PX = 10;

let service: LoneService;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let projectId: string;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
  context = await browser.newContext({ reducedMotion: 'reduce', viewport: DESKTOP });
  await signUpIn(context, service, { email: 'ada@example.com', name: 'Ada' });
  const made = await context.request.post(`${service.baseUrl}/v1/projects`, { data: { name: 'Tea shop' } });
  projectId = ((await made.json()) as { id: string }).id;
  page = await context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const api = (path: string): string => `${service.baseUrl}/v1/projects/${projectId}/configuration${path}`;
const banner = () => page.frameLocator('iframe[title="Banner preview"]');
const open = async (path = ''): Promise<void> => {
  await page.goto(`${service.baseUrl}/projects/${projectId}/banner${path}`);
  await banner().locator('.layer').first().waitFor();
};
const topOf = async (locator: Locator): Promise<number> => Math.round((await locator.boundingBox())?.y ?? 0);
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const segment = (group: string, name: string) =>
  page.getByRole('radiogroup', { name: group }).getByText(name, { exact: true });

/** Texts in these languages are published, with our banner. */
async function publish(languages: string[], changes: object = {}): Promise<void> {
  const presets = (await (await context.request.get(api('/presets'))).json()) as {
    texts: { language: string }[];
  };
  const texts = languages.map((language) => presets.texts.find((text) => text.language === language));
  const data = { texts, defaultLanguage: languages[0], banner: { enabled: true }, ...changes };
  const saved = await context.request.put(api(''), { data });
  expect(saved.status()).toBe(200);
}

describe('the banner editor', () => {
  beforeEach(async () => {
    await publish(['en', 'de']);
    await page.setViewportSize(DESKTOP);
    await open();
  });

  it('has title, state and actions in one row, and its tabs in another', async () => {
    const tabs = await page.getByRole('tab').all();
    expect(tabs).toHaveLength(6);
    expect(new Set(await Promise.all(tabs.map(topOf))).size).toBe(1);
    const heading = page.getByRole('heading', { level: 1, name: 'Banner' });
    const action = page.getByRole('button', { name: 'Review and publish' });
    expect(Math.abs((await topOf(heading)) - (await topOf(action)))).toBeLessThan(10);
    await field('Title').fill('Tea?');
    await page.getByText('Draft · 1 change', { exact: true }).waitFor();
    expect(Math.abs((await topOf(heading)) - (await topOf(action)))).toBeLessThan(10);
    await field('Title').fill('We value your privacy');
    await page.getByText(/^Live since/).waitFor();
  });

  it('has room for its tabs in German, whose words are longer', async () => {
    await page.evaluate(`localStorage.setItem('language', 'de')`);
    try {
      await page.reload();
      await page.getByRole('tab', { name: 'Signale' }).waitFor();
      const [list, last] = await Promise.all([
        page.getByRole('tablist').boundingBox(),
        page.getByRole('tab', { name: 'Signale' }).boundingBox(),
      ]);
      expect((last?.x ?? Infinity) + (last?.width ?? 0)).toBeLessThanOrEqual(
        (list?.x ?? 0) + (list?.width ?? 0),
      );
    } finally {
      await page.evaluate(`localStorage.removeItem('language')`);
    }
  });

  it('shows the banner so large that it can be read', async () => {
    const fontPx = await banner()
      .locator('#description')
      .evaluate((text) => Number.parseFloat(getComputedStyle(text).fontSize));
    const frame = page.locator('.banner-stage iframe');
    const scale = ((await frame.boundingBox())?.width ?? 0) / Number(await frame.getAttribute('width'));
    expect(fontPx * scale).toBeGreaterThan(READABLE_PX);
  });

  it('shows the texts of the mode that is being edited, and says where nobody sees them', async () => {
    await segment('Texts of the mode', 'Opt-out').click();
    await page.getByText('No region uses this mode, so visitors don’t see these texts.').waitFor();
    await banner().getByRole('heading', { name: 'Your privacy choices' }).waitFor();
    await field('Title').fill('Your say');
    await banner().getByRole('heading', { name: 'Your say' }).waitFor();
    await segment('Texts of the mode', 'GPC').click();
    await banner().getByRole('heading', { name: 'You are opted out' }).waitFor();
    await segment('Texts of the mode', 'Notice').click();
    await banner().getByRole('button', { name: 'Got it' }).waitFor();
    // The preview for a region shows the mode that applies there.
    await page.getByLabel('Visitor’s region').selectOption('FR');
    await banner().getByRole('button', { name: 'Reject all' }).waitFor();
  });

  it('edits each language under its own name, and removes one', async () => {
    await page.getByRole('button', { name: 'Deutsch', exact: true }).click();
    expect(await field('Accept').inputValue()).toBe('Alle akzeptieren');
    await banner().getByRole('button', { name: 'Alle akzeptieren' }).waitFor();
    await page.getByRole('button', { name: 'Make Deutsch the default' }).click();
    await page.getByText('Deutsch is the default for visitors whose language isn’t in the list.').waitFor();
    await page.getByRole('button', { name: 'English', exact: true }).click();
    await page.getByRole('button', { name: 'Remove English' }).click();
    expect(await page.getByRole('button', { name: 'English', exact: true }).count()).toBe(0);
    expect(await field('Accept').inputValue()).toBe('Alle akzeptieren');
  });

  it('checks the banner: what is missing, with our translation, contrast, and the policy', async () => {
    const checks = page.getByRole('list', { name: 'Checks' });
    await checks.getByText('Accept and Reject are equally prominent').waitFor();
    await checks.getByText('There is no link to your privacy policy.').waitFor();
    await field('Privacy policy URL').fill('https://tea.example.com/privacy');
    await checks.getByText('There is no link to your privacy policy.').waitFor({ state: 'detached' });
    const contrast = (await checks.getByText(/^Contrast /).textContent()) ?? '';
    expect(Number(/Contrast ([\d.]+):1/.exec(contrast)?.[1])).toBeGreaterThan(10);
    await page.getByRole('button', { name: 'Deutsch', exact: true }).click();
    await field('Accept').fill('');
    await field('Reject').fill('');
    await checks.getByText('2 texts missing.').waitFor();
    await checks.getByRole('button', { name: 'Fill with our translation' }).click();
    expect(await field('Reject').inputValue()).toBe('Alle ablehnen');
    expect(await checks.getByText('missing').count()).toBe(0);
  });

  it('publishes a language that lacks texts only after a confirmation', async () => {
    await page.getByRole('button', { name: 'Add language' }).click();
    await page.getByLabel('New language').fill('Persian');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const checks = page.getByRole('list', { name: 'Checks' });
    await checks.getByText('27 texts missing.').waitFor();
    await checks
      .getByText(/^Visitors download up to [\d,]+ bytes before they see the banner \(limit 2,500; /)
      .waitFor();
    await page.getByRole('button', { name: 'Review and publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review and publish' });
    await dialog.getByText('Persian (fa): 27 texts').waitFor();
    const publishNow = dialog.getByRole('button', { name: 'Publish', exact: true });
    expect(await publishNow.isDisabled()).toBe(true);
    await dialog.getByLabel('Publish without these translations').check();
    await publishNow.click();
    await dialog.waitFor({ state: 'detached' });
    const saved = (await (await context.request.get(api(''))).json()) as { texts: { language: string }[] };
    expect(saved.texts.map(({ language }) => language)).toContain('fa');
  });

  it('shows a logo that was chosen from a file, and the banner in another place', async () => {
    await open('?part=look');
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="9" height="9"/></svg>';
    await page.locator('input[type=file]').setInputFiles({
      name: 'logo.svg',
      mimeType: 'image/svg+xml',
      buffer: Buffer.from(svg),
    });
    const logo = banner().locator('img.logo');
    await until('it is scaled', () =>
      logo.evaluate((image) => (image as unknown as { naturalHeight: number }).naturalHeight === 80),
    );
    await page.getByLabel('Position', { exact: true }).selectOption('Top center');
    await until('it is at the top', async () => {
      const box = await banner().locator('.first').boundingBox();
      const frame = await page.locator('.banner-stage iframe').boundingBox();
      return (box?.y ?? Infinity) - (frame?.y ?? 0) < 40;
    });
    await page.getByRole('button', { name: 'Review and publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review and publish' });
    await dialog.getByText('Appearance ▸ Logo').waitFor();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const saved = (await (await context.request.get(api(''))).json()) as { banner: { logo: string } };
    expect(saved.banner).toMatchObject({
      logo: expect.stringMatching(/^data:image\/png;base64,iVBOR/),
      position: 'top-center',
    });
    await page.locator('input[type=file]').setInputFiles({
      name: 'logo.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('no image'),
    });
    await page.getByText('This image can’t be read').waitFor();
  });

  it('edits the rules of the blocker, and shows its tag and the header of the published rules', async () => {
    await open('?part=blocking');
    await page.getByRole('switch', { name: 'Block requests until consent' }).click({ force: true });
    await page.getByRole('button', { name: 'Add blocking rule' }).click();
    await field('Host').fill('https://tracker.test');
    await page.getByText('Enter a hostname such as www.example.com').waitFor();
    await field('Host').fill('tracker.test');
    await page.getByText('Enter a hostname such as www.example.com').waitFor({ state: 'detached' });
    await page.getByText(/^<script src=".*\/blocker\.js"><\/script>$/).waitFor();
    const header = page.getByRole('region', { name: 'A header for your server' });
    await header.getByText('Publish a blocking rule, and the header appears here.').waitFor();
    expect(await pageFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Review and publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review and publish' });
    await dialog.getByText('Blocking ▸ Block requests until consent').waitFor();
    await dialog.getByText('Blocking ▸ Rules ▸ tracker.test').waitFor();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const saved = (await (await context.request.get(api(''))).json()) as { blocking: unknown };
    expect(saved.blocking).toEqual({
      enabled: true,
      rules: [{ host: 'tracker.test', path: null, category: 'marketing' }],
    });
    await header
      .getByText(/^Content-Security-Policy: default-src 'self' [^;]+; form-action 'self' /)
      .waitFor();
    await header.getByText('tracker.test *.tracker.test', { exact: true }).waitFor();
    expect(await header.getByRole('button', { name: 'Copy' }).count()).toBe(2);
    expect(await pageFaults(page)).toEqual([]);
  });

  it('lets a viewer copy the tag and the header, and edit nothing', async () => {
    await publish(['en', 'de'], {
      blocking: { enabled: true, rules: [{ host: 'tracker.test', path: null, category: 'marketing' }] },
    });
    const viewers = await browser.newContext({ viewport: DESKTOP });
    try {
      await signUpIn(viewers, service, { email: 'vic@example.com', name: 'Vic' });
      const invited = await context.request.post(`${service.baseUrl}/v1/projects/${projectId}/invitations`, {
        data: { email: 'vic@example.com', role: 'viewer' },
      });
      const { id } = (await invited.json()) as { id: string };
      const accepted = await viewers.request.post(`${service.baseUrl}/v1/me/invitations/${id}/accept`);
      expect(accepted.ok()).toBe(true);
      const seen = await viewers.newPage();
      await seen.goto(`${service.baseUrl}/projects/${projectId}/banner?part=blocking`);
      await seen
        .getByRole('region', { name: 'A header for your server' })
        .getByText('tracker.test')
        .first()
        .waitFor();
      const copy = seen.getByRole('button', { name: 'Copy' });
      await copy.first().waitFor();
      expect(await Promise.all((await copy.all()).map((button) => button.isEnabled()))).toEqual([
        true,
        true,
        true,
      ]);
      expect(await seen.getByRole('button', { name: 'Add blocking rule' }).isDisabled()).toBe(true);
    } finally {
      await viewers.close();
    }
  });

  it('turns signals on, and shows the snippet that tags of Microsoft need', async () => {
    await open('?part=signals');
    const signal = (name: string) => page.getByRole('switch', { name: new RegExp(`^${name}`) });
    expect(await page.getByText('window.uetq').count()).toBe(0);
    await signal('Microsoft Advertising').click({ force: true });
    await page.getByText(/window\.uetq\.push\('consent', 'default', \{ ad_storage: 'denied' \}\);/).waitFor();
    await signal('Data layer').click({ force: true });
    await field('Name of the event').fill('two words');
    await page.getByText('Use 1 to 64 letters, digits, or . _ -').waitFor();
    await field('Name of the event').fill('choice');
    await signal('Redact ad data').click({ force: true });
    await page.getByText('Use 1 to 64 letters').waitFor({ state: 'detached' });
    expect(await pageFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Review and publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review and publish' });
    for (const change of ['Microsoft Advertising', 'Data layer', 'Name of the event', 'Redact ad data'])
      await dialog.getByText(`Signals ▸ ${change}`).waitFor();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const saved = (await (await context.request.get(api(''))).json()) as { signals: object };
    expect(saved.signals).toMatchObject({
      microsoftUet: true,
      dataLayer: true,
      dataLayerEvent: 'choice',
      googleAdsDataRedaction: true,
      metaPixel: false,
      googleUrlPassthrough: false,
    });
  });

  it('warns where Google requires a certified consent platform', async () => {
    const services = [{ name: 'Google Ads', provider: 'Google', category: 'marketing', cookies: [] }];
    await publish(['en'], { services });
    await open('?part=offer');
    const warning = page.getByText('Google’s ads need another consent platform');
    await field('Service').waitFor();
    expect(await warning.count()).toBe(0);
    await field('Service').fill('Google AdSense');
    await warning.waitFor();
    await page.getByText(/^Found in the settings: Google AdSense\. For personalized ads/).waitFor();
    expect(await pageFaults(page)).toEqual([]);
  });

  it('adds a common service with its cookies and blocking rules', async () => {
    await page.getByRole('tab', { name: 'Categories' }).click();
    await page.getByLabel('Common services').selectOption('YouTube');
    await page.getByText('Added YouTube with 2 cookies and 2 blocking rules.').waitFor();
    await page.getByRole('region', { name: 'YouTube' }).waitFor();
    expect(await page.getByRole('option', { name: 'YouTube', exact: true }).isDisabled()).toBe(true);
    expect(await pageFaults(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Blocking' }).click();
    await until('the rules are listed', async () => {
      const hosts = await page.getByRole('textbox', { name: 'Host' }).all();
      return (
        (await Promise.all(hosts.map((each) => each.inputValue()))).join() ===
        'youtube.com,youtube-nocookie.com'
      );
    });
    await page.getByRole('button', { name: 'Review and publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Review and publish' });
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const saved = (await (await context.request.get(api(''))).json()) as { services: object[] };
    expect(saved.services).toMatchObject([
      {
        name: 'YouTube',
        category: 'marketing',
        cookies: [
          { name: 'VISITOR_INFO1_LIVE', translations: [{ language: 'de', duration: '6 Monate' }] },
          { name: 'YSC', translations: [{ language: 'de', duration: 'Sitzung' }] },
        ],
      },
    ]);
  });

  it('translates services and cookies, which visitors see in their language', async () => {
    const cookies = [{ name: '_c', duration: '1 day', purpose: 'Counts visits.' }];
    const service = { name: 'Counter', provider: 'Example Ltd', category: 'analytics', cookies };
    await publish(['en', 'de'], { services: [service] });
    await open('?part=offer&language=de');
    await page.getByText('Empty fields show the English words.').waitFor();
    await field('Service').fill('Zähler');
    await field('Purpose').fill('Zählt Besuche.');
    await page.getByLabel('Layer').selectOption('Details');
    const summary = banner().locator('.second summary');
    await summary.getByText('Zähler · 1 Cookie').waitFor();
    // A later drawing of the preview would close it again.
    await banner().getByText('Zählt Besuche.').waitFor({ state: 'attached' });
    await summary.press('Enter');
    await banner().getByText('Zählt Besuche.').waitFor();
    // Untranslated text is marked with its language.
    expect(await banner().getByText('1 day').getAttribute('lang')).toBe('en');
    await page.getByRole('button', { name: 'English', exact: true }).click();
    expect(await field('Service').inputValue()).toBe('Counter');
    await summary.getByText('Counter · 1 cookie').waitFor();
  });

  it('keeps what was typed over a look at the history', async () => {
    await field('Title').fill('Tea and cookies?');
    await page.getByRole('link', { name: 'History', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Banner history' }).waitFor();
    await page.getByRole('link', { name: 'Back to editor' }).click();
    expect(await field('Title').inputValue()).toBe('Tea and cookies?');
  });

  it('is stacked on a phone, with nothing that axe finds', async () => {
    await page.setViewportSize(PHONE);
    await open();
    expect(await pageFaults(page)).toEqual([]);
    const list = page.getByRole('tablist');
    // One row, which scrolls.
    expect((await list.boundingBox())?.height).toBeLessThan(50);
    const form = await page.locator('.banner-form').boundingBox();
    const preview = await page.locator('.banner-preview').boundingBox();
    expect(preview?.y).toBeGreaterThanOrEqual((form?.y ?? 0) + (form?.height ?? 0));
    await until('the preview fits', async () => {
      const { x = 0, width = 0 } = (await page.locator('.banner-stage iframe').boundingBox()) ?? {};
      return x >= 0 && x + width <= PHONE.width;
    });
  });
});
