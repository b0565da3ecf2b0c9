import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { BannerSite } from '../support/people/banner-site.js';
import { signalRows } from '../support/rules/signal-rows.js';
import { until } from '../support/until.js';

declare const window: {
  calls: string[];
  dataLayer: Record<string, unknown>[];
  wp_consent_type: string;
  fbq?: unknown;
  ready: boolean;
};

/** Stubs of each system's script that record their calls in order. */
const STUBS: Record<string, string> = {
  microsoftUet: `window.uetq = { push: (...given) => note('uetq.push', given) };`,
  microsoftClarity: `window.clarity = (...given) => note('clarity', given);`,
  metaPixel: `window.fbq = (...given) => note('fbq', given);`,
  tiktokPixel: `window.ttq = Object.fromEntries(['holdConsent', 'grantConsent', 'revokeConsent'].map(
    (name) => [name, (...given) => note('ttq.' + name, given)]));`,
  wpConsentApi: `window.wp_set_consent = (...given) => note('wp_set_consent', given);
    document.addEventListener('wp_consent_type_defined', () => {
      calls.push("wp_consent_type = '" + wp_consent_type + "'", 'event wp_consent_type_defined');
    });`,
  // The API itself exists only after it was loaded, as at Shopify.
  shopify: `window.Shopify = { loadFeatures(features, loaded) {
    note('Shopify.loadFeatures', [features]);
    setTimeout(() => {
      Shopify.customerPrivacy = { setTrackingConsent(consent, done) {
        note('Shopify.customerPrivacy.setTrackingConsent', [consent]);
        done();
      } };
      loaded();
    }, 50);
  } };`,
  dataLayer: `window.serviceConsentTagManager = (...given) => note('serviceConsentTagManager', given);
    window.dataLayer = [];
    const { push } = dataLayer;
    dataLayer.push = (...items) => {
      for (const item of items) if (item.event === 'consent_choice') note('dataLayer.push', [item]);
      return push.apply(dataLayer, items);
    };`,
};
const NOTE = `window.calls = [];
  window.note = (name, given) => calls.push(
    name + '(' + given.map((each) => JSON.stringify(each).replaceAll('"', "'")).join(', ') + ')');`;

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
});
afterAll(() => site?.close());
beforeEach(() => site.begin());
afterEach(() => site.context.close());

const script = (text: string): string => `<script>${text}</script>`;
const button = (opened: Page, name: string) => opened.getByRole('button', { name, exact: true });
const calls = (opened: Page): Promise<string[]> => opened.evaluate(() => window.calls);
const submit = (opened: Page, choice: object): Promise<unknown> =>
  opened.evaluate(`serviceConsent.submit(${JSON.stringify(choice)})`);

/** Waits for exactly these calls since the last look, in this order, and none after them. */
async function expectCalls(opened: Page, expected: string[]): Promise<void> {
  if (expected.length > 0) await until('called', async () => (await calls(opened)).length >= expected.length);
  // A macrotask later than every call that a choice triggers at once.
  await opened.evaluate('new Promise((done) => setTimeout(done, 50))');
  expect(await calls(opened)).toEqual(expected);
  await opened.evaluate(() => void (window.calls.length = 0));
}

/** The calls of a target in a situation; `later`: after the calls made once on each page. */
function sent(name: string, situation: string, { later = false } = {}): string[] {
  const rows = signalRows(name);
  const of = (wanted: string) => rows.find((row) => row.situation.startsWith(wanted))?.sent ?? [];
  return later ? of(situation).filter((call) => !isInitial(name, call)) : of(situation);
}

const isInitial = (name: string, call: string): boolean =>
  (name === 'microsoftUet' && call.includes('default')) ||
  (name === 'wpConsentApi' && !call.startsWith('wp_set_consent')) ||
  (name === 'shopify' && call.includes('loadFeatures'));

describe.each(Object.keys(STUBS))('%s', (name) => {
  beforeEach(async () => {
    await site.configure({ signals: { [name]: true } });
    site.pages['/'] = site.page('', { head: script(NOTE + STUBS[name]) });
  });

  it('gets the default, then each choice of the banner, and the stored one on the next page', async () => {
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    await expectCalls(opened, sent(name, 'before a choice'));
    await button(opened, 'Accept all').click();
    await expectCalls(opened, sent(name, 'everything accepted', { later: true }));
    await submit(opened, { analytics: true });
    await expectCalls(opened, sent(name, 'only analytics', { later: true }));
    await button(opened, 'Privacy settings').click();
    await button(opened, 'Withdraw consent').click();
    await expectCalls(opened, sent(name, 'everything rejected', { later: true }));
    await opened.reload();
    await expectCalls(opened, sent(name, 'everything rejected'));
    await submit(opened, { analytics: true, marketing: true, preferences: true });
    await expectCalls(opened, sent(name, 'everything accepted', { later: true }));
    await opened.reload();
    await expectCalls(opened, sent(name, 'everything accepted'));
  });

  it('gets a rejection', async () => {
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    await expectCalls(opened, sent(name, 'before a choice'));
    await button(opened, 'Reject all').click();
    await expectCalls(opened, sent(name, 'everything rejected', { later: true }));
  });

  it('gets what an opt-out region grants, and an objection', async () => {
    await site.configure({ signals: { [name]: true }, defaultMode: 'opt_out' });
    const opened = await site.open();
    await button(opened, 'OK').waitFor();
    await expectCalls(opened, sent(name, 'no choice'));
    await submit(opened, { action: 'opt_out' });
    await expectCalls(opened, sent(name, 'everything rejected', { later: true }));
  });

  it('gets what is granted where only marketing waits for a choice, and stores nothing', async () => {
    await site.configure({
      signals: { [name]: true },
      defaultModes: { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' },
    });
    const opened = await site.open();
    await button(opened, 'Accept all').waitFor();
    await expectCalls(opened, sent(name, 'no choice, `opt_in` for marketing'));
  });

  it('gets the denial of a Global Privacy Control signal', async () => {
    await site.configure({ signals: { [name]: true }, defaultMode: 'opt_out' });
    await site.context.addInitScript(
      `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { value: true })`,
    );
    const opened = await site.open();
    await site.recorded(1);
    const all = await until('denied', async () => {
      const seen = await calls(opened);
      const last = sent(name, 'everything rejected', { later: true });
      return seen.length > 0 && seen.slice(-last.length).join() === last.join() ? seen : null;
    });
    expect(all.filter((call) => call.includes('granted') || call.includes('grant'))).toEqual([]);
  });
});

describe('a site with its own banner', () => {
  it('has its choices sent too, from a file of their own', async () => {
    await site.configure({ banner: { enabled: false }, signals: { metaPixel: true, microsoftUet: true } });
    site.pages['/'] = site.page('', {
      head: script(`${NOTE}${STUBS['metaPixel']}${STUBS['microsoftUet']}`),
    });
    const opened = await site.open();
    await expectCalls(opened, [...sent('microsoftUet', 'before'), ...sent('metaPixel', 'before')]);
    await submit(opened, { marketing: true });
    await expectCalls(opened, [
      `uetq.push('consent', 'update', {'ad_storage':'granted'})`,
      `fbq('consent', 'grant')`,
    ]);
    expect(site.front.requests.filter((request) => /\/(signals|banner)-/.test(request))).toEqual([
      expect.stringMatching(/GET \/cdn\/.*\/signals-[0-9a-f]{16}\.js 200/),
    ]);
    // Nothing of it opens; nothing is sent twice.
    await opened.evaluate('serviceConsent.open()');
    await expectCalls(opened, []);
  });
});

describe('a tag that comes later', () => {
  it('gets only the newest state: Meta’s pixel that waits for consent', async () => {
    await site.configure({ signals: { metaPixel: true } });
    const pixel = `<script type="text/plain" data-category="marketing">${STUBS['metaPixel']}</script>`;
    site.pages['/'] = site.page(pixel, { head: script(NOTE) });
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    // Its own snippet does nothing where `fbq` exists.
    expect(await opened.evaluate(() => window.fbq)).toBeUndefined();
    await button(opened, 'Accept all').click();
    await expectCalls(opened, [`fbq('consent', 'grant')`]);
  });

  it('finds its queue with the default ahead of the update: Microsoft', async () => {
    await site.configure({ signals: { microsoftUet: true, microsoftClarity: true } });
    site.pages['/'] = site.page();
    const opened = await site.open();
    await button(opened, 'Accept all').click();
    await site.recorded(1);
    const queues = await opened.evaluate(`({ uetq, clarity: clarity.q.map((given) => [...given]) })`);
    expect(queues).toEqual({
      uetq: ['consent', 'default', { ad_storage: 'denied' }, 'consent', 'update', { ad_storage: 'granted' }],
      clarity: [
        ['consentv2', { ad_Storage: 'denied', analytics_Storage: 'denied' }],
        ['consentv2', { ad_Storage: 'granted', analytics_Storage: 'granted' }],
      ],
    });
  });

  it('keeps a default that the page has queued', async () => {
    await site.configure({ signals: { microsoftUet: true } });
    const early = script(
      `window.uetq = window.uetq || []; uetq.push('consent', 'default', { ad_storage: 'denied' });`,
    );
    site.pages['/'] = site.page('', { head: early });
    const opened = await site.open();
    await button(opened, 'Reject all').click();
    await site.recorded(1);
    expect(await opened.evaluate('uetq.filter((item) => typeof item === "string")')).toEqual([
      'consent',
      'default',
      'consent',
      'default',
      'consent',
      'update',
    ]);
  });

  it('stops nothing where it throws or is shadowed by an element that visitors wrote', async () => {
    await site.configure({ signals: { metaPixel: true, tiktokPixel: true, microsoftUet: true } });
    const head = script(`${NOTE}window.fbq = () => { throw new Error('broken'); };${STUBS['tiktokPixel']}`);
    site.pages['/'] = site.page('<a id="uetq" href="/">x</a>', { head });
    const opened = await site.open();
    await button(opened, 'Accept all').click();
    await expectCalls(opened, ['ttq.holdConsent()', 'ttq.grantConsent()']);
    expect(await opened.evaluate('Array.isArray(uetq)')).toBe(true);
    expect(await opened.evaluate('problems')).toEqual([]);
  });
});

describe('Google’s options', () => {
  const commands = (opened: Page): Promise<unknown[]> =>
    opened.evaluate(() =>
      window.dataLayer
        .filter((item) => item['0'] === 'set' || item['0'] === 'consent')
        .map((item) => (item['0'] === 'set' ? item['1'] : `${String(item['0'])} ${String(item['1'])}`)),
    );
  const options = { url_passthrough: true, ads_data_redaction: false };

  it('are set when the configuration arrives, and on later pages while the loader runs', async () => {
    await site.configure({ signals: { googleUrlPassthrough: true } });
    const late = script(`window.atOnce = dataLayer.map((item) => item[0])`);
    site.pages['/'] = site.page(late);
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    expect(await commands(opened)).toEqual(['consent default', options]);
    await opened.reload();
    await button(opened, 'Reject all').waitFor();
    expect(await opened.evaluate('atOnce')).toEqual(['consent', 'set']);
    expect(await commands(opened)).toEqual(['consent default', options, options]);
  });

  it('are not there where both are off', async () => {
    await site.configure({});
    site.pages['/'] = site.page();
    const opened = await site.open();
    await button(opened, 'Reject all').waitFor();
    expect(await commands(opened)).toEqual(['consent default']);
  });
});

describe('under a policy with trusted types and a nonce', () => {
  it('are sent without a further policy', async () => {
    await site.configure({ signals: { tiktokPixel: true } });
    const page = site.page('', { head: script(NOTE + STUBS['tiktokPixel']) });
    const policy = `script-src 'nonce-n' ; trusted-types serviceConsent; require-trusted-types-for 'script'`;
    site.pages['/'] = {
      html: page.html.replaceAll('<script', '<script nonce="n"'),
      headers: { 'content-security-policy': policy },
    };
    const opened = await site.open();
    await button(opened, 'Accept all').click();
    await expectCalls(opened, ['ttq.holdConsent()', 'ttq.grantConsent()']);
  });
});
