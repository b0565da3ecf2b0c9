import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { BannerSite } from '../support/people/banner-site.js';
import { until } from '../support/until.js';

/** Longer than the loader waits for the configuration. */
const SLOW_CONFIGURATION_MS = 6_000;
const OBJECT = 'Do not sell or share my personal information';

declare const window: {
  ran: string[];
  problems: string[];
  dataLayer: { event?: string }[];
  serviceConsent: { submit(choice: object): Promise<unknown>; choice: { analytics: boolean } | null };
};
declare const document: {
  cookie: string;
  body: { insertAdjacentHTML(where: string, html: string): void; append(...nodes: object[]): void };
  createElement(name: string): Record<string, unknown> & { dataset: Record<string, string> };
  querySelector(selector: string): { src: string } | null;
  documentElement: { scrollHeight: number };
};

declare function getComputedStyle(element: unknown): { fontFamily: string; opacity: string };
declare const innerHeight: number;

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
  site.pages['/tracker.js'] = {
    html: `ran.push('tracker');`,
    headers: { 'content-type': 'text/javascript' },
  };
  site.pages['/video'] = { html: '<p>a video</p>' };
});
afterAll(() => site?.close());
beforeEach(() => site.begin());
afterEach(() => site.context.close());

const button = (opened: Page, name: string) => opened.getByRole('button', { name, exact: true });
const ran = (opened: Page): Promise<string[]> => opened.evaluate(() => window.ran);
const modes = (mode: string): object => ({ analytics: mode, marketing: mode, preferences: mode });

const TRACKER = '<script type="text/plain" data-category="analytics" data-src="/tracker.js"></script>';
const VIDEO =
  '<iframe data-category="marketing" data-src="/video" title="A film" width="480" height="270"></iframe>';

describe('texts by mode', () => {
  it.each([
    ['opt_in', 'We value your privacy', ['Accept all', 'Reject all']],
    ['opt_out', 'Your privacy choices', ['OK', OBJECT]],
    ['notice', 'Cookies on this site', ['Got it']],
  ])('%s: says what holds, and stores what was asked', async (defaultMode, title, answers) => {
    await site.configure({ defaultMode });
    site.pages['/'] = site.page();
    const opened = await site.open();
    await opened.getByRole('heading', { name: title }).waitFor();
    for (const name of answers) expect(await button(opened, name).isVisible()).toBe(true);
    expect(await opened.getByText('withdraw your consent').count()).toBe(defaultMode === 'opt_in' ? 1 : 0);
    await button(opened, answers.at(-1) ?? '').click();
    expect(await site.recorded(1)).toMatchObject([
      {
        surface: 'banner',
        language: 'en',
        extra: { modes: modes(defaultMode), theme: 'light', device: 'desktop' },
      },
    ]);
  });

  it('names the number of services that ask for consent', async () => {
    const presets = await site.project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const [english] = ((await presets.json()) as { texts: object[] }).texts;
    const service = { name: 'Counter', provider: 'Example Ltd', cookies: [] };
    const services = ['analytics', 'analytics', 'necessary'].map((category) => ({ ...service, category }));
    await site.configure({ texts: [{ ...english, description: 'We and {partners} partners' }], services });
    site.pages['/'] = site.page();
    await (await site.open()).getByText('We and 2 partners').waitFor();
  });

  it('stores the theme and the kind of device of a visitor with a dark phone', async () => {
    await site.context.close();
    await site.begin({
      colorScheme: 'dark',
      hasTouch: true,
      isMobile: true,
      viewport: { width: 375, height: 667 },
      screen: { width: 375, height: 667 },
    });
    await site.configure({});
    site.pages['/'] = site.page();
    await button(await site.open(), 'Reject all').tap();
    expect(await site.recorded(1)).toMatchObject([{ extra: { theme: 'dark', device: 'phone' } }]);
  });
});

describe('what waits for consent', () => {
  it.each([
    ['a line of text', `Before it ${VIDEO} behind it`],
    [
      'a line of text, in the middle of it',
      `Before it ${VIDEO.replace('<iframe', '<iframe style="vertical-align:middle;margin:5px 9px"')} behind it`,
    ],
    ['a line of its own', `<style>iframe { display: block; margin: 1em auto }</style>${VIDEO}`],
  ])('has a placeholder that moves nothing, for a frame in %s', async (_where, content) => {
    await site.configure({});
    site.pages['/'] = site.page(`<div>${content}</div><p>The rest of the page</p>`);
    const opened = await site.open();
    await opened.getByRole('group').waitFor();
    const rest = opened.getByText('The rest of the page');
    const placed = await rest.boundingBox();
    await opened.evaluate(() => {
      const [frame, group] = [document.querySelector('iframe'), document.querySelector('div > div')];
      (group as unknown as { remove(): void }).remove();
      (frame as unknown as { style: { removeProperty(name: string): void } }).style.removeProperty('display');
    });
    expect(await rest.boundingBox()).toEqual(placed);
  });

  it('has a placeholder that allows its category alone, in the place of the frame', async () => {
    await site.configure({});
    site.pages['/'] = site.page(VIDEO + TRACKER);
    const opened = await site.open();
    const placeholder = opened.getByRole('group').filter({ hasText: 'needs your consent to “Marketing”' });
    // With the frame's border.
    expect(await placeholder.boundingBox()).toMatchObject({ width: 484, height: 274 });
    expect(await opened.locator('iframe').isVisible()).toBe(false);
    await button(opened, 'Allow Marketing').click();
    await opened.frameLocator('iframe').getByText('a video').waitFor();
    expect(await placeholder.count()).toBe(0);
    // It has answered the banner as well.
    expect(await button(opened, 'Reject all').isVisible()).toBe(false);
    expect(await site.recorded(1)).toMatchObject([
      { surface: 'placeholder', action: 'custom', marketing: true, analytics: false },
    ]);
    expect(await ran(opened)).toEqual([]);
  });

  it('runs when it is added to the page later, as single-page apps do', async () => {
    await site.configure({});
    site.pages['/'] = site.page();
    const opened = await site.open();
    await button(opened, 'Accept all').click();
    await site.recorded(1);
    await opened.evaluate((html) => {
      document.body.insertAdjacentHTML('beforeend', html);
      const script = document.createElement('script');
      Object.assign(script, { type: 'text/plain', text: `ran.push('later')` });
      script.dataset['category'] = 'analytics';
      document.body.append(script);
    }, VIDEO);
    await opened.frameLocator('iframe').getByText('a video').waitFor();
    await until('ran', async () => (await ran(opened)).length === 1);
  });

  it('is stopped by a withdrawal: frames at once, scripts by a reload that is offered', async () => {
    await site.configure({});
    site.pages['/'] = site.page(VIDEO + TRACKER);
    const opened = await site.open();
    await button(opened, 'Accept all').click();
    await opened.frameLocator('iframe').getByText('a video').waitFor();
    await until('ran', async () => (await ran(opened)).length === 1);
    await button(opened, 'Privacy settings').click();
    await button(opened, 'Withdraw consent').click();
    await button(opened, 'Allow Marketing').waitFor();
    expect(await opened.evaluate(() => document.querySelector('iframe')?.src)).toBe('about:blank');
    await opened.getByText('keep running until the page is reloaded').waitFor();
    await button(opened, 'Reload page').click();
    await button(opened, 'Allow Marketing').waitFor();
    expect(await ran(opened)).toEqual([]);
    // Nothing runs that could be stopped, so nothing is offered.
    await opened.evaluate(() => window.serviceConsent.submit({ action: 'withdraw' }));
    expect(await button(opened, 'Reload page').count()).toBe(0);
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
  });

  it('tells tag managers of each choice', async () => {
    await site.configure({});
    site.pages['/'] = site.page();
    const opened = await site.open();
    const events = () =>
      opened.evaluate(
        () => window.dataLayer.filter(({ event }) => event === 'service_consent_update').length,
      );
    expect(await events()).toBe(0);
    await button(opened, 'Reject all').click();
    await site.recorded(1);
    expect(await events()).toBe(1);
  });
});

describe('the appearance', () => {
  const LOGO =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  /** Pixels from the edges of the window. */
  const edges = async (opened: Page, layer: string): Promise<Record<string, number>> => {
    // It rises to its place as it appears.
    await opened.locator(layer).evaluate((shown) => {
      const { getAnimations } = shown as unknown as { getAnimations(): { finished: Promise<unknown> }[] };
      return Promise.all(getAnimations.call(shown).map(({ finished }) => finished));
    });
    const box = await opened.locator(layer).boundingBox();
    const { width, height } = opened.viewportSize() ?? { width: 0, height: 0 };
    if (!box) throw new Error('there is no banner');
    const { x: left, y: top } = box;
    return { left, top, right: width - left - box.width, bottom: height - top - box.height };
  };

  it.each([
    ['box', 'left', ['left', 'bottom']],
    ['box', 'right', ['right', 'bottom']],
    ['box', 'top-left', ['left', 'top']],
    ['box', 'top-right', ['right', 'top']],
    ['bar', 'left', ['left', 'right', 'bottom']],
    ['bar', 'top-center', ['left', 'right', 'top']],
  ] as const)('%s at %s: lies at these edges alone', async (layout, position, near) => {
    await site.configure({ banner: { layout, position } });
    site.pages['/'] = site.page();
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    const found = await edges(opened, '.first');
    const close = Object.keys(found).filter((edge) => (found[edge] ?? 0) <= 24);
    expect(close.toSorted()).toEqual([...near].toSorted());
  });

  it.each([
    ['top-center', true],
    ['middle', false],
  ])('%s: has as much space on both sides, on both layers', async (position, isTop) => {
    await site.configure({ banner: { position } });
    site.pages['/'] = site.page();
    const opened = await site.open();
    for (const layer of ['.first', '.second']) {
      await opened.locator(layer).waitFor();
      const { left = 0, right = 1, top = 0, bottom = 1 } = await edges(opened, layer);
      expect(Math.abs(left - right)).toBeLessThanOrEqual(1);
      if (isTop) expect(top).toBeLessThanOrEqual(24);
      else expect(Math.abs(top - bottom)).toBeLessThanOrEqual(2);
      if (layer === '.first') await button(opened, 'Customize').click();
    }
  });

  it.each([
    ['en', 320, 480, 'Customize', ['Save settings', 'Reject all']],
    ['de', 375, 667, 'Anpassen', ['Auswahl speichern', 'Alle ablehnen']],
  ] as const)(
    'keeps Save and Reject in sight on the second layer, in one line: %s at %d × %d px',
    async (language, width, height, customize, answers) => {
      const presets = await site.project.request(
        'viewer',
        'GET',
        '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
      );
      const { texts } = (await presets.json()) as { texts: { language: string }[] };
      await site.configure({
        defaultLanguage: language,
        texts: texts.filter((text) => text.language === language),
      });
      site.pages['/'] = site.page();
      const opened = await site.open();
      await opened.setViewportSize({ width, height });
      await button(opened, customize).click();
      for (const name of answers) {
        const { bottom } = await edges(opened, `.second .answer:has-text("${name}")`);
        expect([name, (bottom ?? 0) > 0]).toEqual([name, true]);
        // The height of one line.
        expect((await button(opened, name).boundingBox())?.height).toBeLessThan(46);
      }
    },
  );

  it('has the logo and the font of the site', async () => {
    await site.configure({ banner: { logo: LOGO, font: 'site' } });
    site.pages['/'] = site.page('', { head: '<style>body { font-family: Georgia, serif }</style>' });
    const opened = await site.open();
    const logo = opened.locator('img.logo');
    await until('loaded', () =>
      logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth === 1),
    );
    expect(await logo.getAttribute('src')).toMatch(
      new RegExp(`^${site.front.url}/cdn/${site.project.id}/logo-[0-9a-f]{16}\\.png$`),
    );
    expect(await opened.locator('.frame').evaluate((frame) => getComputedStyle(frame).fontFamily)).toBe(
      'Georgia, serif',
    );
  });

  it('is shown without the logo where the page’s policy forbids it', async () => {
    await site.configure({ banner: { logo: LOGO } });
    const page = site.page();
    site.pages['/'] = {
      html: page.html,
      headers: { 'content-security-policy': "img-src 'self'" },
    };
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    await opened.locator('img.logo').waitFor({ state: 'detached' });
  });
});

describe('the link to the settings', () => {
  const chosen = async (body: string, banner = {}): Promise<Page> => {
    await site.configure({ banner });
    site.pages['/'] = site.page(body);
    const opened = await site.open();
    await button(opened, 'Reject all').click();
    await site.recorded(1);
    return opened;
  };
  const FOOTER =
    '<footer style="position:fixed;bottom:0;left:0;right:0;height:72px;background:#eee">Offers</footer>';

  it.each([
    ['left', 0],
    ['right', 1],
  ])('stays above a sticky footer, in the lower %s corner', async (linkPosition, half) => {
    const opened = await chosen(FOOTER, { linkPosition });
    const link = button(opened, 'Privacy settings');
    await link.waitFor();
    const box = await link.boundingBox();
    const { width, height } = opened.viewportSize() ?? { width: 0, height: 0 };
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height - 72);
    expect(Math.floor(((box?.x ?? 0) * 2) / width)).toBe(half);
    await link.click();
    await opened.getByRole('dialog').waitFor();
  });

  it('never covers text of a long page, and is at its end', async () => {
    const paragraphs =
      '<p style="margin:0;line-height:24px">A sentence over the whole width of the page. </p>';
    const opened = await chosen(`<main style="line-height:24px">${paragraphs.repeat(120)}</main>`);
    const link = button(opened, 'Privacy settings');
    const opacity = (): Promise<string> =>
      link.evaluate(
        (shown) => getComputedStyle((shown as unknown as { parentNode: unknown }).parentNode).opacity,
      );
    await until('it gives way', async () => (await opacity()) === '0');
    await link.focus();
    await until('it is seen with the keyboard', async () => (await opacity()) === '1');
    await link.evaluate((shown) => (shown as unknown as { blur(): void }).blur());
    await opened.mouse.wheel(0, 10_000);
    await until('it is at the end', async () => (await opacity()) === '1');
    const last = await opened.locator('main p').last().boundingBox();
    const box = await link.boundingBox();
    expect(box?.y ?? 0).toBeGreaterThanOrEqual((last?.y ?? 0) + (last?.height ?? 0));
  });

  it('adds no room to a page that does not scroll', async () => {
    const opened = await chosen('<main style="position:absolute;inset:0">A page</main>');
    await button(opened, 'Privacy settings').waitFor();
    expect(await opened.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
  });

  it('is replaced by an element of the site, also one that is added later', async () => {
    const opened = await chosen('');
    await button(opened, 'Privacy settings').waitFor();
    await opened.evaluate(() =>
      document.body.insertAdjacentHTML(
        'beforeend',
        '<footer><a href="#" data-consent-settings>Cookies</a></footer>',
      ),
    );
    await button(opened, 'Privacy settings').waitFor({ state: 'detached' });
    await opened.getByRole('link', { name: 'Cookies' }).click();
    await opened.getByRole('dialog').waitFor();
  });
});

describe('a configuration that takes long', () => {
  it('shows the banner late, not never', async () => {
    await site.configure({});
    site.pages['/'] = site.page(TRACKER);
    await site.context.route('**/config.json', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, SLOW_CONFIGURATION_MS));
      await route.continue();
    });
    const opened = await site.open();
    await button(opened, 'Accept all').click();
    expect(await site.recorded(1)).toMatchObject([{ action: 'accept_all', surface: 'banner' }]);
    await until('ran', async () => (await ran(opened)).length === 1);
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
  });
});

describe('a choice for all subdomains', () => {
  it('holds on another subdomain, where a withdrawal wins over an older choice', async () => {
    await site.configure({ banner: { shareSubdomains: true } });
    site.pages['/'] = site.page(TRACKER);
    const shop = await site.open('/', 'shop.example.com');
    await button(shop, 'Accept all').click();
    await site.recorded(1);
    expect(await shop.evaluate(() => document.cookie)).toMatch(/^service-consent=v1\.111\.\d{10}\.1$/);

    const blog = await site.open('/', 'blog.example.com');
    await button(blog, 'Privacy settings').waitFor();
    expect(await button(blog, 'Reject all').isVisible()).toBe(false);
    await until('ran', async () => (await ran(blog)).length === 1);
    // The cookie has whole seconds.
    await blog.waitForTimeout(1_100);
    await button(blog, 'Privacy settings').click();
    await button(blog, 'Reject all').click();
    await site.recorded(2);

    await shop.reload();
    await button(shop, 'Privacy settings').waitFor();
    expect(await shop.evaluate(() => window.serviceConsent.choice)).toMatchObject({ analytics: false });
    expect(await ran(shop)).toEqual([]);
  });

  it('is not shared where it is switched off, and asks again for another policy', async () => {
    await site.configure({ banner: { shareSubdomains: true } });
    site.pages['/'] = site.page();
    const shop = await site.open('/', 'shop.example.com');
    await button(shop, 'Accept all').click();
    await site.recorded(1);
    await site.configure({ banner: { shareSubdomains: true }, policyVersion: '2' });
    await button(await site.open('/', 'blog.example.com'), 'Reject all').waitFor();

    await site.context.clearCookies();
    await site.configure({ policyVersion: '2' });
    const again = await site.open('/', 'shop.example.com');
    await button(again, 'Accept all').click();
    await site.recorded(2);
    expect(await again.evaluate(() => document.cookie)).toBe('');
    await button(await site.open('/', 'blog.example.com'), 'Reject all').waitFor();
  });
});
