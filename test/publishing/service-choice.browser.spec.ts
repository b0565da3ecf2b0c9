import { mkdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { BannerSite } from '../support/people/banner-site.js';
import { pageFaults } from '../support/rules/page-faults.js';

declare const window: {
  ran: string[];
  dataLayer: ArrayLike<unknown>[];
  serviceConsent: { isAllowed(name: string): boolean; choice: { services?: object } | null };
};

const service = (name: string, category: string, provider = 'Example Ltd'): object => ({
  name,
  provider,
  category,
  policyUrl: 'https://example.com/policy',
  cookies: [
    {
      name: `_${name.toLowerCase().replaceAll(' ', '_')}`,
      duration: '13 months',
      purpose: 'Distinguishes visitors.',
    },
  ],
});
const SERVICES = [
  service('Matomo', 'analytics'),
  service('Google Analytics', 'analytics', 'Google Ireland Limited'),
  service('Video', 'marketing'),
];
const waiting = (id: string, category = 'analytics'): string =>
  `<script type="text/plain" data-category="${category}" data-service="${id}">ran.push('${id}')</script>`;
const SCRIPTS = ['matomo', 'google-analytics'].map((id) => waiting(id)).join('');

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
});
afterAll(() => site?.close());
beforeEach(() => site.begin({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' }));
afterEach(() => site.context.close());

const button = (opened: Page, name: string): Locator => opened.getByRole('button', { name, exact: true });
const own = (opened: Page, name: string): Locator => opened.getByRole('switch', { name, exact: true });
const category = (opened: Page, name: string): Locator => opened.getByRole('checkbox', { name, exact: true });
const ran = (opened: Page): Promise<string[]> => opened.evaluate(() => window.ran);
/** The states of Consent Mode after all updates. */
const google = (opened: Page): Promise<Record<string, string>> =>
  opened.evaluate(() =>
    Object.assign(
      {},
      ...Array.from(window.dataLayer)
        .filter((item) => item[0] === 'consent')
        .map((item) => item[2]),
    ),
  );

async function openSecondLayer(): Promise<Page> {
  site.pages['/'] = site.page(SCRIPTS);
  const opened = await site.open();
  await button(opened, 'Customize').click();
  await own(opened, 'Matomo').waitFor();
  return opened;
}

describe('a choice by service', () => {
  beforeEach(() => site.configure({ services: SERVICES, serviceChoice: true }));

  it('runs one service of a category and not the other, now and on the next page', async () => {
    const opened = await openSecondLayer();
    await category(opened, 'Analytics').check();
    await own(opened, 'Google Analytics').uncheck();
    expect(await category(opened, 'Analytics').getAttribute('aria-checked')).toBe('mixed');
    await button(opened, 'Save settings').click();
    expect(await site.recorded(1)).toMatchObject([
      {
        analytics: false,
        marketing: false,
        action: 'custom',
        services: { matomo: true, 'google-analytics': false, video: false },
      },
    ]);
    expect(await ran(opened)).toEqual(['matomo']);
    await opened.reload();
    await opened.waitForFunction(() => window.ran.length > 0);
    expect(await ran(opened)).toEqual(['matomo']);
    expect(
      await opened.evaluate(() =>
        ['matomo', 'google-analytics', 'analytics', 'video'].map((name) =>
          window.serviceConsent.isAllowed(name),
        ),
      ),
    ).toEqual([true, false, false, false]);
    expect(await google(opened)).toMatchObject({ analytics_storage: 'denied' });
  });

  it('grants Google what its own services got', async () => {
    const opened = await openSecondLayer();
    await own(opened, 'Google Analytics').check();
    await button(opened, 'Save settings').click();
    await site.recorded(1);
    expect(await google(opened)).toMatchObject({ analytics_storage: 'granted', ad_storage: 'denied' });
    expect(await ran(opened)).toEqual(['google-analytics']);
    // All flags are false, and yet there is something to withdraw.
    await button(opened, 'Privacy settings').click();
    await button(opened, 'Withdraw consent').click();
    expect((await site.recorded(2))[1]).toMatchObject({ action: 'withdraw', services: null });
  });

  it('sets all services with their category, and records none where everything is accepted', async () => {
    const opened = await openSecondLayer();
    await category(opened, 'Analytics').check();
    expect(await own(opened, 'Matomo').isChecked()).toBe(true);
    await own(opened, 'Matomo').uncheck();
    // A mixed category turns everything on.
    await category(opened, 'Analytics').click();
    expect(await own(opened, 'Matomo').isChecked()).toBe(true);
    await button(opened, 'Close').click();
    await button(opened, 'Accept all').click();
    expect(await site.recorded(1)).toMatchObject([{ action: 'accept_all', services: null }]);
    await opened.waitForFunction(() => window.ran.length === 2);
  });

  it('allows a service at its frame’s placeholder', async () => {
    site.pages['/video'] = { html: '<p>a video</p>' };
    site.pages['/'] = site.page('<iframe data-service="video" data-src="/video" title="A film"></iframe>');
    const opened = await site.open();
    await button(opened, 'Reject all').click();
    await button(opened, 'Allow Video').click();
    await opened.frameLocator('iframe').getByText('a video').waitFor();
    expect(await site.recorded(2)).toMatchObject([
      { services: null },
      { marketing: true, services: { matomo: false, 'google-analytics': false, video: true } },
    ]);
  });
});

describe.each([
  ['en', 390, 'light'],
  ['en', 1280, 'dark'],
  ['ar', 390, 'dark'],
  ['ar', 1280, 'light'],
] as const)('the second layer in %s at %d px, %s', (lang, width, colorScheme) => {
  it.each([3, 12])('has no fault with %d services of which some are on', async (count) => {
    await site.context.close();
    await site.begin({ viewport: { width, height: 844 }, reducedMotion: 'reduce', colorScheme });
    const more = Array.from({ length: count - 3 }, (_, n) => service(`Partner ${n}`, 'marketing'));
    const presets = await site.project.request('viewer', 'GET', `/configuration/presets?languages=${lang}`);
    const { texts } = (await presets.json()) as { texts: { choose: string }[] };
    await site.configure({
      texts: texts.map((text) => ({ ...text, labels: {} })),
      defaultLanguage: lang,
      services: [...SERVICES, ...more],
      serviceChoice: true,
    });
    site.pages['/'] = site.page('', { lang });
    const opened = await site.open();
    await button(opened, texts[0]?.choose ?? '').click();
    if (count === 12) await opened.getByRole('searchbox').fill('mato');
    await own(opened, 'Matomo').check();
    expect(await opened.locator('[aria-checked="mixed"]').count()).toBe(1);
    expect(await pageFaults(opened)).toEqual([]);
    const folder = process.env['SERVICE_CHOICE_PICTURES'];
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    await opened.screenshot({ path: `${folder}/visitor-${lang}-${width}-${colorScheme}-${count}.png` });
  });
});

it('finds a service in a long list', async () => {
  const many = Array.from({ length: 12 }, (_, n) => service(`Partner ${n}`, 'marketing'));
  await site.configure({ services: many, serviceChoice: true });
  site.pages['/'] = site.page();
  const opened = await site.open();
  await button(opened, 'Customize').click();
  await opened.getByRole('searchbox', { name: 'Search services' }).fill('partner 11');
  expect(await own(opened, 'Partner 11').isVisible()).toBe(true);
  expect(await own(opened, 'Partner 1').isVisible()).toBe(false);
  expect(await pageFaults(opened)).toEqual([]);
});

it('loads nothing more where it is off', async () => {
  await site.configure({ services: SERVICES });
  site.pages['/'] = site.page(SCRIPTS);
  const opened = await site.open();
  await button(opened, 'Customize').click();
  await opened.getByRole('switch', { name: 'Analytics', exact: true }).waitFor();
  expect(site.front.requests.filter((request) => request.includes('/banner-'))).toHaveLength(1);
  await button(opened, 'Save settings').click();
  expect(await site.recorded(1)).toMatchObject([{ services: null }]);
});
