import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REGION_PRESETS } from '../../src/modules/publishing/domain/region-preset.js';
import { BannerSite } from '../support/people/banner-site.js';
import { until } from '../support/until.js';

declare const window: {
  ran: string[];
  dataLayer: ArrayLike<unknown>[];
  serviceConsent: {
    mode: string;
    modes: Record<string, string>;
    choice: Record<string, unknown> | null;
    submit(choice: object): Promise<unknown>;
  };
};
declare const localStorage: { setItem(key: string, value: string): void };

const UK = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' };
const TRACKERS = ['analytics', 'marketing', 'preferences']
  .map(
    (category) =>
      `<script type="text/plain" data-category="${category}">ran.push(${JSON.stringify(category)})</script>`,
  )
  .join('');

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
});
afterAll(() => site?.close());
beforeEach(() => site.begin());
afterEach(() => site.context.close());

const button = (opened: Page, name: string) => opened.getByRole('button', { name, exact: true });
const heading = (opened: Page, name: string) => opened.getByRole('heading', { name, exact: true });
const ran = (opened: Page): Promise<string[]> => opened.evaluate(() => window.ran.toSorted());
const consentState = (opened: Page): Promise<Record<string, string>> =>
  opened.evaluate(() => {
    const updates = Array.from(window.dataLayer).filter((entry) => entry[0] === 'consent');
    return updates.at(-1)?.[2] as Record<string, string>;
  });
const openIn = async (region: string): Promise<Page> => {
  const [country = '', part] = region.split('-');
  Object.assign(site.front, part ? { region } : { country });
  site.pages['/'] = site.page(TRACKERS);
  return site.open();
};
const signals = (): Promise<unknown> =>
  site.context.addInitScript(() => {
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
  });

describe('three shops with presets', () => {
  it('London, on lite: statistics and preferences run until the visitor objects, ads wait', async () => {
    await site.project.request('editor', 'POST', '/tier/simulate', { tier: 'lite' });
    await site.configure({ defaultPreset: { id: 'gb' } });
    const opened = await openIn('GB');
    await heading(opened, 'We value your privacy').waitFor();
    await opened.getByText('Already on, unless you object: Analytics, Preferences.').waitFor();
    await until('on', async () => (await ran(opened)).length === 2);
    expect(await ran(opened)).toEqual(['analytics', 'preferences']);
    expect(await consentState(opened)).toMatchObject({
      analytics_storage: 'granted',
      functionality_storage: 'granted',
      ad_storage: 'denied',
    });
    expect(await opened.evaluate(() => [window.serviceConsent.mode, window.serviceConsent.modes])).toEqual([
      'opt_in',
      UK,
    ]);
    await button(opened, 'Customize').click();
    const isOn = (name: string) => opened.getByRole('switch', { name }).isChecked();
    expect([await isOn('Analytics'), await isOn('Marketing'), await isOn('Preferences')]).toEqual([
      true,
      false,
      true,
    ]);
    await opened.keyboard.press('Escape');
    await button(opened, 'Reject all').click();
    expect(await site.recorded(1)).toMatchObject([
      {
        action: 'reject_all',
        analytics: false,
        marketing: false,
        preferences: false,
        extra: { modes: UK, regionPreset: 'gb/1' },
      },
    ]);
    expect(await consentState(opened)).toMatchObject({ analytics_storage: 'denied', ad_storage: 'denied' });
    await opened.reload();
    await button(opened, 'Privacy settings').waitFor();
    expect(await ran(opened)).toEqual([]);
  });

  const BY_LAW = ['fr', 'gb', 'us-gpc', 'us-2027', 'us'];
  const businessRules = async (): Promise<object[]> => {
    const presets = (await (
      await site.project.request(
        'viewer',
        'GET',
        '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
      )
    ).json()) as {
      regionPresets: { id: string; regions: string[] }[];
    };
    return presets.regionPresets
      .filter(({ id }) => BY_LAW.includes(id))
      .map(({ id, regions }) => ({ regions, preset: { id } }));
  };

  it('Paris: nothing runs before the visitor agrees', async () => {
    await site.configure({ regionRules: await businessRules(), defaultMode: 'notice' });
    const opened = await openIn('FR');
    await heading(opened, 'We value your privacy').waitFor();
    expect(await opened.getByText('Already on').count()).toBe(0);
    expect(await ran(opened)).toEqual([]);
    await button(opened, 'Accept all').click();
    await until('on', async () => (await ran(opened)).length === 3);
    expect(await site.recorded(1)).toMatchObject([
      { action: 'accept_all', extra: { modes: { analytics: 'opt_in' }, regionPreset: 'fr/1' } },
    ]);
  });

  it('Oklahoma, before its law applies: a notice, and everything runs', async () => {
    await site.configure({ regionRules: await businessRules() });
    const opened = await openIn('US-OK');
    await heading(opened, 'Cookies on this site').waitFor();
    await until('on', async () => (await ran(opened)).length === 3);
    await button(opened, 'Got it').click();
    expect(await site.recorded(1)).toMatchObject([
      { action: 'dismiss', extra: { modes: { marketing: 'notice' }, regionPreset: 'us-2027/1' } },
    ]);
  });

  it('California: the signal counts although the configuration does not honor it, since the law requires that', async () => {
    await site.configure({ regionRules: await businessRules(), honorGlobalPrivacyControl: false });
    await signals();
    const opened = await openIn('US-CA');
    await heading(opened, 'You are opted out').waitFor();
    expect(await site.recorded(1)).toMatchObject([
      { action: 'opt_out', surface: 'signal', extra: { gpc: true, regionPreset: 'us-gpc/1' } },
    ]);
    expect(await ran(opened)).toEqual([]);
  });
});

describe('a country whose subdivision is unknown', () => {
  const PRESETS = ['ca-qc', 'ca', 'us-gpc', 'us'];
  const configure = async (changes: object = {}): Promise<void> => {
    const regionRules = REGION_PRESETS.filter(({ id }) => PRESETS.includes(id)).map(({ id, regions }) => ({
      regions,
      preset: { id },
    }));
    await site.configure({ regionRules, ...changes });
  };

  it.each([
    ['US', 'opt_out'],
    ['US-CA', 'opt_out'],
    ['US-WY', 'notice'],
    ['CA', 'opt_in'],
    ['CA-QC', 'opt_in'],
    ['CA-ON', 'opt_out'],
  ])('gets the strictest rule, a known one without a rule the country’s: %s %s', async (region, mode) => {
    await configure();
    const opened = await openIn(region);
    await opened.evaluate(() => (window.serviceConsent as unknown as { ready: Promise<unknown> }).ready);
    expect(await opened.evaluate(() => window.serviceConsent.mode)).toBe(mode);
  });

  it('honors the signal, since the visitor may be in California', async () => {
    await configure({ honorGlobalPrivacyControl: false });
    await signals();
    const opened = await openIn('US');
    await heading(opened, 'You are opted out').waitFor();
    expect(await site.recorded(1)).toMatchObject([
      { action: 'opt_out', extra: { regionPreset: 'us-gpc/1' } },
    ]);
    expect(await ran(opened)).toEqual([]);
  });
});

describe('Global Privacy Control where categories differ', () => {
  it.each([
    [{ analytics: 'notice', marketing: 'opt_out', preferences: 'notice' }],
    [{ analytics: 'notice', marketing: 'notice', preferences: 'none' }],
    [{ analytics: 'none', marketing: 'none', preferences: 'none' }],
  ])('refuses all that runs without a choice: %j', async (defaultModes) => {
    await site.configure({ defaultModes });
    await signals();
    const opened = await openIn('US');
    await heading(opened, 'You are opted out').waitFor();
    expect(await ran(opened)).toEqual([]);
    expect(await site.recorded(1)).toMatchObject([
      { action: 'opt_out', analytics: false, marketing: false, preferences: false },
    ]);
  });

  it('asks where nothing runs before the visitor agrees', async () => {
    await site.configure({ defaultMode: 'opt_in' });
    await signals();
    const opened = await openIn('US');
    await button(opened, 'Accept all').click();
    expect(await site.recorded(1)).toMatchObject([{ action: 'accept_all' }]);
  });

  it('is honored after a notice that was only dismissed', async () => {
    await site.configure({ defaultMode: 'notice' });
    const opened = await openIn('US');
    await button(opened, 'Got it').click();
    await site.recorded(1);
    await signals();
    await opened.reload();
    await heading(opened, 'You are opted out').waitFor();
    expect(await site.recorded(2)).toMatchObject([{ action: 'dismiss' }, { action: 'opt_out' }]);
    expect(await ran(opened)).toEqual([]);
  });

  it('is not taken for an answer where a rule does not honor it', async () => {
    await site.configure({
      regionRules: [{ regions: ['US'], mode: 'opt_out', honorGlobalPrivacyControl: false }],
    });
    await signals();
    const opened = await openIn('US');
    await heading(opened, 'Your privacy choices').waitFor();
    await until('on', async () => (await ran(opened)).length === 3);
  });
});

describe('asking again', () => {
  const service = (name: string) => ({
    name,
    provider: 'Example Ltd',
    category: 'analytics',
    cookies: [],
  });
  const answer = async (choice: 'Accept all' | 'Reject all'): Promise<Page> => {
    await site.configure({ services: [service('Counter'), service('Meter')] });
    const opened = await openIn('DE');
    await button(opened, choice).click();
    await site.recorded(1);
    return opened;
  };
  const isAsked = async (opened: Page): Promise<boolean> => {
    await opened.reload();
    await opened.evaluate(() => (window.serviceConsent as unknown as { ready: Promise<unknown> }).ready);
    const asked = button(opened, 'Reject all');
    await asked.or(button(opened, 'Privacy settings')).first().waitFor();
    return asked.isVisible();
  };

  it('a refusal: not for another policy version or a service less, but for a service more', async () => {
    const opened = await answer('Reject all');
    await site.configure({ services: [service('Counter'), service('Meter')], policyVersion: '2' });
    expect(await isAsked(opened)).toBe(false);
    await site.configure({ services: [service('Counter')], policyVersion: '3' });
    expect(await isAsked(opened)).toBe(false);
    await site.configure({ services: [service('Counter'), service('Gauge')], policyVersion: '4' });
    expect(await isAsked(opened)).toBe(true);
  });

  it('an acceptance: for another policy version, not for a service less', async () => {
    const opened = await answer('Accept all');
    await site.configure({ services: [service('Counter')], policyVersion: '2' });
    expect(await isAsked(opened)).toBe(false);
    await site.configure({ services: [service('Counter'), service('Meter')], policyVersion: '3' });
    expect(await isAsked(opened)).toBe(true);
  });

  it.each([
    ['Accept all', 3 * 30.5, true],
    ['Reject all', 3 * 30.5, false],
    ['Reject all', 6.1 * 30.5, true],
  ] as const)(
    'after one month where the choice is “%s” and %d days old: %s',
    async (choice, days, expected) => {
      const opened = await answer(choice);
      await site.configure({ services: [service('Counter'), service('Meter')], reconsentMonths: 1 });
      await opened.evaluate(
        ([key, age]) => {
          const stored = { ...window.serviceConsent.choice };
          const at = (stored['at'] as number) - age * 86_400_000;
          const prompt = (
            JSON.parse(
              (
                globalThis as unknown as { localStorage: { getItem(name: string): string } }
              ).localStorage.getItem(key),
            ) as { prompt: string }
          ).prompt;
          localStorage.setItem(key, JSON.stringify({ ...stored, prompt, at }));
        },
        [`serviceMeta:${site.project.id}:choice`, days] as [string, number],
      );
      expect(await isAsked(opened)).toBe(expected);
    },
  );
});
