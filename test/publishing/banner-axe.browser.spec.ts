import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BannerSite } from '../support/people/banner-site.js';
import { pageFaults } from '../support/rules/page-faults.js';

interface Text {
  language: string;
  choose: string;
}

/** A service with words in every language. */
const service = (languages: string[]): object => ({
  name: 'Counter',
  provider: 'Example Ltd',
  category: 'analytics',
  policyUrl: 'https://example.com/counter',
  cookies: [
    {
      name: '_c',
      duration: '13 months',
      purpose: 'Counts visits.',
      translations: languages.map((language) => ({ language, purpose: `Purpose (${language})` })),
    },
  ],
  translations: languages.map((language) => ({ language, name: `Counter (${language})` })),
});

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'da'];

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
});
afterAll(() => site?.close());

describe.each([
  ['light', 1280],
  ['light', 375],
  ['dark', 1280],
  ['dark', 375],
] as const)('both layers, %s at %d px', (colorScheme, width) => {
  let texts: Text[];
  beforeAll(async () => {
    await site.begin({ colorScheme, reducedMotion: 'reduce', viewport: { width, height: 720 } });
    const presets = await site.project.request('viewer', 'GET', '/configuration/presets');
    ({ texts } = (await presets.json()) as { texts: Text[] });
    expect(texts.map(({ language }) => language)).toEqual(LANGUAGES);
    await site.configure({ texts, services: [service(LANGUAGES)], policyUrl: 'https://example.com/policy' });
  });
  afterAll(() => site.context.close());

  it.each(LANGUAGES)('have no finding of axe in %s, and services in that language', async (language) => {
    site.pages['/'] = site.page('', { lang: language });
    const opened = await site.open();
    await opened.locator('.first').waitFor();
    expect(await pageFaults(opened)).toEqual([]);
    const choose = texts.find((text) => text.language === language)?.choose ?? '';
    await opened.getByRole('button', { name: choose, exact: true }).click();
    const summary = opened.locator('.second summary');
    expect(await summary.textContent()).toContain(`Counter (${language}) · `);
    await summary.click();
    await opened.getByText(`Purpose (${language})`).waitFor();
    expect(await pageFaults(opened)).toEqual([]);
    await opened.close();
  });
});
