import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DEFAULT_LANGUAGES } from '../../src/modules/publishing/domain/text-language.js';
import { BannerSite } from '../support/people/banner-site.js';
import { pageFaults } from '../support/rules/page-faults.js';

interface Part {
  scrollWidth: number;
  clientWidth: number;
  textContent: string;
}
declare const document: {
  querySelectorAll(selector: string): { shadowRoot: { querySelectorAll(selector: string): Part[] } }[];
};

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

const TEN = DEFAULT_LANGUAGES.slice(0, 10);

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
});
afterAll(() => site?.close());

/** Elements of the banner whose text is wider than they are. */
const cutOff = (opened: Page): Promise<string[]> =>
  opened.evaluate(() =>
    [...document.querySelectorAll('#consent-banner')]
      .flatMap(({ shadowRoot }) => [...shadowRoot.querySelectorAll('button,p,h2,summary,.frame')])
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1 && clientWidth > 0)
      .map(({ textContent }) => textContent),
  );

describe.each([
  ['light', 375, DEFAULT_LANGUAGES],
  ['light', 1280, TEN],
  ['dark', 1280, TEN],
  ['dark', 375, TEN],
] as const)('both layers, %s at %d px', (colorScheme, width, languages) => {
  let texts: Text[];
  beforeAll(async () => {
    await site.begin({ colorScheme, reducedMotion: 'reduce', viewport: { width, height: 720 } });
    const presets = await site.project.request(
      'viewer',
      'GET',
      `/configuration/presets?languages=${languages.join()}`,
    );
    ({ texts } = (await presets.json()) as { texts: Text[] });
    expect(texts.map(({ language }) => language)).toEqual(languages);
    await site.configure({
      // Ours are not stored twice.
      texts: texts.map((text) => ({ ...text, labels: {} })),
      services: [service([...languages])],
      policyUrl: 'https://example.com/policy',
    });
  });
  afterAll(() => site.context.close());

  it.each(languages)('fit in %s, with services in that language and no finding of axe', async (language) => {
    site.pages['/'] = site.page('', { lang: language });
    const opened = await site.open();
    await opened.locator('.first').waitFor();
    expect(await pageFaults(opened)).toEqual([]);
    expect(await cutOff(opened)).toEqual([]);
    const choose = texts.find((text) => text.language === language)?.choose ?? '';
    await opened.getByRole('button', { name: choose, exact: true }).click();
    const summary = opened.locator('.second summary');
    expect(await summary.textContent()).toContain(`Counter (${language}) · `);
    await summary.click();
    await opened.getByText(`Purpose (${language})`).waitFor();
    expect(await pageFaults(opened)).toEqual([]);
    expect(await cutOff(opened)).toEqual([]);
    await opened.close();
  });
});
