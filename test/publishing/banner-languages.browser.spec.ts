import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { BannerSite } from '../support/people/banner-site.js';
import { until } from '../support/until.js';

declare const window: { problems: string[]; serviceConsent: { open(): Promise<void> } };
declare const document: { cookie: string };
declare function getComputedStyle(element: unknown): { direction: string };

const COUNTER = {
  name: 'Counter',
  provider: 'Example Ltd',
  category: 'analytics',
  cookies: [
    {
      name: '_count',
      duration: '1 year',
      purpose: 'Counts visits.',
      translations: [{ language: 'de', duration: '1 Jahr', purpose: 'Zählt Besuche.' }],
    },
  ],
};
const VIDEO =
  '<iframe data-category="marketing" data-src="/video" title="A film" width="480" height="270"></iframe>';

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
  site.pages['/video'] = { html: '<p>a video</p>' };
});
afterAll(() => site?.close());
beforeEach(async () => {
  await site.begin();
  const presets = await site.project.request(
    'viewer',
    'GET',
    '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
  );
  const { texts } = (await presets.json()) as { texts: object[] };
  await site.configure({ texts, services: [COUNTER] });
  site.front.requests.length = 0;
});
afterEach(() => site.context.close());

const button = (opened: Page, name: string) => opened.getByRole('button', { name, exact: true });
/** Requested files, without hashes. */
const requested = (): string[] =>
  site.front.requests
    .filter((request) => request.startsWith('GET'))
    .map((request) => request.replace(/^GET \/cdn\/[^/]+\//, '').replace(/-[0-9a-f]{16,64}/, ''));
const FIRST = ['loader.js 200', 'config.json 200', 'banner.js 200'];

describe('a banner in ten languages', () => {
  it('is shown in the default language without a file, and loads the second layer when it is opened', async () => {
    site.pages['/'] = site.page();
    const opened = await site.open();
    await button(opened, 'Customize').waitFor();
    expect(requested()).toEqual(FIRST);
    await button(opened, 'Customize').click();
    await opened.getByText('Counts visits.').waitFor({ state: 'attached' });
    expect(await opened.getByText('Helps us understand how the site is used.').isVisible()).toBe(true);
    expect(requested()).toEqual([...FIRST, 'details-en.json 200']);
    await button(opened, 'Save settings').click();
    expect(await site.recorded(1)).toMatchObject([{ language: 'en', surface: 'preferences' }]);
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
  });

  it('loads the texts of another language once, and keeps them', async () => {
    site.pages['/'] = site.page('', { lang: 'de' });
    const opened = await site.open();
    await button(opened, 'Anpassen').click();
    await opened.getByText('Zählt Besuche.').waitFor({ state: 'attached' });
    expect(requested()).toEqual([...FIRST, 'text-de.json 200', 'details-de.json 200']);
    await button(opened, 'Alle ablehnen').last().click();
    expect(await site.recorded(1)).toMatchObject([{ language: 'de', action: 'reject_all' }]);
    site.front.requests.length = 0;
    await opened.reload();
    await button(opened, 'Datenschutzeinstellungen').click();
    await button(opened, 'Auswahl speichern').waitFor();
    expect(requested()).toEqual(['config.json 304']);
  });

  it('asks in the default language where the file cannot be loaded, and stores that', async () => {
    site.pages['/'] = site.page('', { lang: 'de' });
    await site.context.route('**/text-*', (route) => route.fulfill({ status: 404, json: { title: 'No' } }));
    const opened = await site.open();
    await button(opened, 'Reject all').click();
    expect(await site.recorded(1)).toMatchObject([{ language: 'en', action: 'reject_all' }]);
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
  });

  it('does not wait longer than the loader does for a file that never arrives', async () => {
    site.pages['/'] = site.page('', { lang: 'de' });
    await site.context.route('**/text-*', () => {});
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    await site.context.unroute('**/text-*');
  });

  it('offers the categories on the second layer, whose file cannot be loaded', async () => {
    site.pages['/'] = site.page();
    await site.context.route('**/details-*', (route) => route.abort());
    const opened = await site.open();
    await button(opened, 'Customize').click();
    const dialog = opened.getByRole('dialog', { name: 'Privacy settings' });
    await dialog.getByRole('switch', { name: 'Preferences' }).waitFor();
    expect(await dialog.getByRole('switch').count()).toBe(3);
    expect(await dialog.innerText()).not.toContain('undefined');
    await dialog.getByRole('switch', { name: 'Analytics' }).check();
    await button(opened, 'Save settings').click();
    expect(await site.recorded(1)).toMatchObject([{ analytics: true, marketing: false }]);
    // The next page loads it again.
    await site.context.unroute('**/details-*');
    await button(opened, 'Privacy settings').click();
    await opened.getByText('Consent ID').waitFor();
  });

  it('deletes cookies on a refusal whose second layer was never opened', async () => {
    site.pages['/'] = site.page();
    const opened = await site.open();
    await opened.evaluate(() => (document.cookie = '_count=1'));
    await button(opened, 'Reject all').click();
    await site.recorded(1);
    expect(await opened.evaluate(() => document.cookie)).not.toContain('_count');
  });

  it('has placeholders in the language of the page', async () => {
    site.pages['/'] = site.page(VIDEO, { lang: 'de' });
    const opened = await site.open();
    await button(opened, 'Marketing erlauben').waitFor();
    expect(requested().toSorted()).toEqual([...FIRST, 'details-de.json 200', 'text-de.json 200'].toSorted());
  });

  it('opens the settings from the page before the texts have loaded', async () => {
    site.pages['/'] = site.page('<a href="#" data-consent-settings>Cookies</a>', { lang: 'de' });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await site.context.route('**/text-*', async (route) => {
      await held;
      await route.continue();
    });
    const opened = await site.open();
    await until('requested', () => requested().includes('banner.js 200'));
    await opened.getByRole('link', { name: 'Cookies' }).click();
    release();
    await opened.getByRole('dialog', { name: 'Datenschutzeinstellungen' }).waitFor();
  });
});

describe('a banner in Persian with English labels', () => {
  it('keeps their punctuation where it belongs, on both layers', async () => {
    const presets = await site.project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const [english] = ((await presets.json()) as { texts: object[] }).texts;
    const persian = {
      ...english,
      language: 'fa',
      title: 'به حریم خصوصی شما احترام می‌گذاریم',
      description: 'از Google Analytics برای سنجش بازدیدها استفاده می‌کنیم.',
      labels: {},
    };
    await site.configure({ texts: [english, persian], services: [COUNTER], confirmMissingTexts: true });
    site.pages['/'] = site.page('', { lang: 'fa' });
    const opened = await site.open();
    await button(opened, 'Customize').waitFor();
    // A Persian sentence stays one, with its English words.
    expect(await opened.locator('p.text bdi').count()).toBe(0);
    expect(await opened.locator('.actions bdi').allTextContents()).toEqual([
      'Accept all',
      'Reject all',
      'Customize',
    ]);
    await button(opened, 'Customize').click();
    const necessary = opened.locator('bdi', { hasText: 'Required for the site to work. Always on.' });
    await necessary.waitFor();
    expect(await necessary.evaluate((bdi) => getComputedStyle(bdi).direction)).toBe('ltr');
    await button(opened, 'Close').click();
    await button(opened, 'Customize').waitFor();
    expect(await opened.locator('bdi bdi').count()).toBe(0);
  });
});
