import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { newId } from '../../src/platform/identity/ids.js';
import { startClock } from '../support/elapsed.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import {
  type Front,
  launchBrowser,
  type SitePage,
  startFront,
  startSite,
  type TestServer,
} from '../support/programs/browser.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** Documents that are tried, of some 1,500. */
const MUTATIONS = Number(process.env['LOADER_MUTATIONS'] ?? 100);

let browser: Browser;
let service: TestService;
let front: Front;
let site: TestServer;
let project: TestProject;
let context: BrowserContext;
const pages: Record<string, SitePage> = {};

beforeAll(async () => {
  service = await startTestService({
    RUN_WORKER: 'true',
    TRUSTED_PROXIES: '127.0.0.1',
    COUNTRY_HEADER: 'cf-ipcountry',
  });
  [browser, front, site] = await Promise.all([
    launchBrowser(),
    startFront(service.baseUrl),
    startSite(pages),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  await front?.close();
  await service?.close();
});
beforeEach(async () => {
  project = await createTestProject(service);
  Object.assign(front, { country: null, region: null, away: false, refusal: null, requests: [] });
  pages['/'] = page(`${loaderTag()}`);
  context = await browser.newContext();
});
afterEach(() => context.close());

const loaderTag = (attributes = ''): string =>
  `<script ${attributes} src="${front.url}/cdn/${project.id}/loader.js"></script>`;
const page = (body: string, headers: Record<string, string> = {}): SitePage => ({
  html: `<!doctype html><html lang="en"><head><script>
    window.events = [];
    document.addEventListener('serviceMeta:ready', (event) => events.push(event.detail));
    window.problems = [];
    addEventListener('error', (event) => problems.push(String(event.message)));
    addEventListener('unhandledrejection', (event) => problems.push(String(event.reason)));
  </script></head><body>${body}</body></html>`,
  headers,
});

interface Meta {
  tier: string;
  region: string;
  isEu: boolean;
  domain: string;
  projectId: string;
  configHash: string;
  features: Record<string, unknown>;
}
interface Receipt {
  id: string;
  stored: boolean;
  status: number;
}

/** The page's global, in the functions that run there. */
declare const localStorage: {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
};
declare const window: {
  serviceMeta: Meta;
  serviceConsent: { ready: Promise<Meta>; submit(choice: unknown): Promise<Receipt> };
  events: Meta[];
  problems: string[];
  dataLayer: ArrayLike<unknown>[];
  fetch: unknown;
  dispatchEvent(event: Event): void;
} & Record<string, unknown>;

const open = async (host = 'www.example.com', path = '/'): Promise<Page> => {
  const opened = await context.newPage();
  await opened.goto(`http://${host}:${site.port}${path}`);
  return opened;
};
const metaOf = (opened: Page): Promise<Meta> =>
  opened.evaluate(() => window.serviceConsent.ready) as Promise<Meta>;
const submit = (opened: Page, choice: unknown): Promise<Receipt> =>
  opened.evaluate((given) => window.serviceConsent.submit(given), choice) as Promise<Receipt>;
const dataLayer = (opened: Page): Promise<unknown[][]> =>
  opened.evaluate(() =>
    window.dataLayer.map((entry) => ('event' in entry ? [entry.event] : Array.from(entry))),
  );
const records = (): Promise<Record<string, unknown>[]> =>
  service.database.query('select * from consent_record where project_id = $1', [project.id]);
const simulate = async (tier: string): Promise<void> => {
  expect((await project.request('editor', 'POST', '/tier/simulate', { tier })).status).toBe(200);
};
const configure = async (configuration: unknown): Promise<void> => {
  const response = await project.request('editor', 'PUT', '/configuration', configuration);
  expect(response.status).toBe(200);
  const { version } = (await response.json()) as { version: number };
  await until('published', async () => {
    const view = await (await project.request('viewer', 'GET', '/configuration')).json();
    return (
      (view as { lastPublication: { configurationVersion: number } | null }).lastPublication
        ?.configurationVersion === version
    );
  });
};
const DENIED = {
  ad_storage: 'denied',
  ad_user_data: 'denied',
  ad_personalization: 'denied',
  analytics_storage: 'denied',
  functionality_storage: 'denied',
  personalization_storage: 'denied',
};
const GRANTED = Object.fromEntries(Object.keys(DENIED).map((type) => [type, 'granted']));

describe('the blocker', () => {
  const NONCE = 'c2VjcmV0';
  const FRAME_MS = 200;
  const STRICT = {
    'content-security-policy': `script-src 'nonce-${NONCE}' 'strict-dynamic'; require-trusted-types-for 'script'; base-uri 'none'`,
  };
  /** The results of the page's scripts, frame and requests to the blocked host. */
  const outcome = (opened: Page): Promise<unknown> =>
    opened.evaluate(async () => {
      const global = window as never as Record<string, never> & {
        attempts(): Promise<unknown>;
        ran: string[];
      };
      return { ran: global.ran, ...((await global.attempts()) as object) };
    });
  const BLOCKED = {
    ran: ['own'],
    fetched: 'TypeError',
    beacon: false,
    xhr: 'error',
    images: 'waits,waits',
    frame: 'about:blank',
  };
  const GRANTED_OUTCOME = {
    fetched: 200,
    beacon: true,
    xhr: 'load',
    images: 'requested,requested',
    frame: expect.stringMatching(/\/frame$/),
  };

  const blockedPage = (headers: Record<string, string>): SitePage => {
    const ads = `http://ads.tracker.test:${site.port}`;
    const allowed = { 'access-control-allow-origin': '*', 'content-type': 'text/javascript' };
    for (const name of ['parser', 'dynamic', 'attribute', 'own'])
      pages[`/${name}.js`] = { html: `window.ran.push('${name}')`, headers: allowed };
    pages['/collect'] = { html: 'ok', headers: allowed };
    // A frame begins to load when the parser meets it. Its response takes as long as one from another machine.
    pages['/frame'] = { html: '<script>parent.postMessage("frame", "*")</script>', delayMs: FRAME_MS };
    return {
      headers,
      html: `<!doctype html><html lang="en"><head>
        <script nonce="${NONCE}" src="${front.url}/cdn/${project.id}/blocker.js"></script>
        <script nonce="${NONCE}" src="${front.url}/cdn/${project.id}/loader.js"></script>
        <script nonce="${NONCE}">
          window.ran = [];
          window.problems = [];
          addEventListener('error', (event) => problems.push(String(event.message)));
          addEventListener('message', ({ data }) => data === 'frame' && ran.push('frame'));
          const policy = trustedTypes.createPolicy('page', { createScriptURL: (url) => url });
          const add = (set) => { const script = document.createElement('script'); set(script); document.head.append(script); };
          add((script) => (script.src = policy.createScriptURL('${ads}/dynamic.js')));
          add((script) => script.setAttribute('src', policy.createScriptURL('${ads}/attribute.js')));
          window.attempts = async () => ({
            fetched: await fetch('${ads}/collect').then(({ status }) => status, ({ name }) => name),
            beacon: navigator.sendBeacon('${ads}/collect', 'x'),
            xhr: await new Promise((done) => {
              const request = new XMLHttpRequest();
              request.onload = request.onerror = ({ type }) => done(type);
              request.open('GET', '${ads}/collect');
              request.send();
            }),
            images: [Object.assign(new Image(), { src: '${ads}/collect' }), document.images[0]]
              .map((image) => image.getAttribute('src') === null ? 'waits' : 'requested').join(),
            frame: document.querySelector('iframe').getAttribute('src'),
          });
        </script>
        <script nonce="${NONCE}" src="${ads}/parser.js"></script>
        <script nonce="${NONCE}" src="http://cdn.other.test:${site.port}/own.js"></script>
      </head><body><img id="pixel" src="${ads}/collect" alt=""><iframe src="${ads}/frame" title="Ad"></iframe></body></html>`,
    };
  };

  it.each([
    ['without a policy', {}],
    ['under a strict policy', STRICT],
  ])('blocks before consent and after refusal, and releases after consent, %s', async (_name, headers) => {
    await configure({
      blocking: {
        enabled: true,
        rules: [{ host: 'tracker.test', path: null, category: 'marketing' }],
      },
    });
    pages['/'] = blockedPage(headers);
    const opened = await open();
    await metaOf(opened);
    expect(await outcome(opened)).toEqual(BLOCKED);
    // Another category changes nothing.
    await submit(opened, { analytics: true });
    expect(await outcome(opened)).toEqual(BLOCKED);
    await submit(opened, { marketing: true });
    const released = ['own', 'dynamic', 'attribute', 'parser', 'frame'].toSorted();
    await until(
      'released',
      async () => ((await opened.evaluate(() => window['ran'])) as string[]).length === 5,
    );
    expect(await outcome(opened)).toEqual({ ...GRANTED_OUTCOME, ran: expect.any(Array) });
    expect(((await opened.evaluate(() => window['ran'])) as string[]).toSorted()).toEqual(released);
    // The next page has the stored choice: nothing waits for the configuration.
    await opened.reload();
    const inOrder = ((await opened.evaluate(() => window['ran'])) as string[]).filter((name) =>
      ['parser', 'own'].includes(name),
    );
    expect(inOrder).toEqual(['parser', 'own']);
    await until(
      'all ran',
      async () => ((await opened.evaluate(() => window['ran'])) as string[]).length === 5,
    );
    await submit(opened, { marketing: false });
    expect(await outcome(opened)).toMatchObject({ fetched: 'TypeError', beacon: false, xhr: 'error' });
    await opened.reload();
    await metaOf(opened);
    expect(await outcome(opened)).toEqual(BLOCKED);
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
  });

  it('blocks nothing where it is off', async () => {
    pages['/'] = blockedPage({});
    const opened = await open();
    await until(
      'all ran',
      async () => ((await opened.evaluate(() => window['ran'])) as string[]).length === 5,
    );
  });
});

describe('the declaration', () => {
  it('is a table in the language of the page, under a strict policy', async () => {
    const presets = await project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const { texts } = (await presets.json()) as { texts: { language: string }[] };
    const cookie = { name: '_c', duration: '1 day', purpose: 'Counts <b>visits</b>.' };
    const translations = [{ language: 'de', purpose: 'Zählt Besuche.' }];
    await configure({
      texts: texts.filter(({ language }) => ['en', 'de'].includes(language)),
      services: [
        {
          name: 'Counter',
          provider: 'Example Ltd',
          category: 'analytics',
          policyUrl: 'https://example.org/privacy',
          cookies: [{ ...cookie, translations }],
        },
      ],
    });
    pages['/'] = {
      html: `<!doctype html><html lang="de-AT"><title>x</title><script src="${front.url}/cdn/${project.id}/declaration.js"></script>
        <div id="own" data-service-declaration></div><div id="english" data-service-declaration="en"></div>`,
      headers: {
        'content-security-policy': `default-src 'none'; script-src ${front.url}; require-trusted-types-for 'script'`,
      },
    };
    const opened = await open();
    const german = opened.locator('#own');
    await german.getByRole('table', { name: 'Statistik' }).waitFor();
    expect(await german.getByRole('columnheader').allTextContents()).toEqual([
      'Cookie',
      'Dienst',
      'Zweck',
      'Speicherdauer',
    ]);
    const row = german.getByRole('row').nth(1);
    expect(await row.textContent()).toBe('_cCounter (Example Ltd)Zählt Besuche.1 day');
    expect(await row.getByRole('link').getAttribute('href')).toBe('https://example.org/privacy');
    await opened.locator('#english').getByText('Counts <b>visits</b>.').waitFor();
  });

  it('begins with the visitor’s own choice where the page has the loader, and opens the banner to change it', async () => {
    const presets = await project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const { texts } = (await presets.json()) as { texts: { language: string }[] };
    await configure({
      texts: texts.filter(({ language }) => language === 'en'),
      services: [{ name: 'Counter', provider: 'Example Ltd', category: 'analytics' }],
      banner: { enabled: true },
    });
    const cdn = `${front.url}/cdn/${project.id}`;
    pages['/'] = {
      html: `<!doctype html><html lang="en"><title>x</title><script src="${cdn}/loader.js"></script>
        <script src="${cdn}/declaration.js"></script><div id="own" data-service-declaration></div>`,
    };
    const opened = await open();
    const own = opened.locator('#own');
    await own.getByText('Analytics: Off').waitFor();
    expect(await own.getByRole('listitem').allTextContents()).toEqual([
      'Necessary: Always on',
      'Analytics: Off',
    ]);
    await opened.getByRole('button', { name: 'Accept all' }).click();
    await own.getByText('Analytics: On').waitFor();
    await own.getByRole('button', { name: 'Change' }).click();
    await opened.getByRole('dialog').waitFor();
  });

  it('as a page shows the choice under the site’s own host, and elsewhere a link to the site', async () => {
    const presets = await project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const { texts } = (await presets.json()) as { texts: { language: string }[] };
    await configure({
      texts: texts.filter(({ language }) => ['en', 'de'].includes(language)),
      services: [{ name: 'Counter', provider: 'Example Ltd', category: 'analytics' }],
      banner: { enabled: true, radius: 0 },
      policyUrl: 'https://shop.example/privacy',
    });
    const path = `cdn/${project.id}/declaration.html`;
    pages['/'] = { html: '<!doctype html><title>x</title>' };
    const opened = await open();
    const errors: string[] = [];
    opened.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await opened.goto(`${front.url}/first-party/${project.id}/${path}`);
    const choice = opened.locator('[data-service-choice="en"]');
    await choice.getByText('Analytics: Off').waitFor();
    expect(await opened.getByText('You can change your choice').isVisible()).toBe(false);
    await opened.getByRole('button', { name: 'Accept all' }).click();
    await choice.getByText('Analytics: On').waitFor();
    const year = new Date().getFullYear();
    await choice.getByText(new RegExp(`^Your current choice · \\w+ \\d+, ${year} at `)).waitFor();
    const change = choice.getByRole('button', { name: 'Change' });
    const corner = 'getComputedStyle(document.querySelector("[data-service-choice=en] button")).borderRadius';
    expect(await opened.evaluate(corner)).toBe('0px');
    await change.click();
    await opened.getByRole('dialog').waitFor();
    await opened.keyboard.press('Escape');
    await opened.getByRole('link', { name: 'Deutsch' }).click();
    await opened.locator('[data-service-choice="de"]').getByText('Statistik: An').waitFor();
    expect(errors).toEqual([]);

    await opened.goto(`${front.url}/${path}`);
    await opened.getByRole('link', { name: 'You can change your choice' }).waitFor();
    expect(await opened.locator('script, [data-service-choice] > *').count()).toBe(0);
  });
});

describe('serviceMeta', () => {
  it('spec §2.6: has its members, frozen, after one script and one request', async () => {
    await simulate('pro');
    await until(
      'published',
      async () =>
        ((await (await fetch(`${service.baseUrl}/cdn/${project.id}/config.json`)).json()) as Meta).tier ===
        'pro',
    );
    const opened = await open();
    const meta = await metaOf(opened);
    expect(meta).toEqual({
      tier: 'pro',
      region: 'XX',
      isEu: true,
      domain: 'www.example.com',
      projectId: project.id,
      configHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      features: expect.objectContaining({ consentForwarding: true, geoTargeting: 'global' }),
    });
    const frozen = await opened.evaluate(() => {
      const { serviceMeta } = window;
      const attempt = (change: () => void): string => {
        try {
          change();
        } catch {
          // Strict code throws; only the resulting state matters.
        }
        return window.serviceMeta.tier;
      };
      return [
        Object.isFrozen(serviceMeta),
        Object.isFrozen(serviceMeta.features),
        attempt(() => (serviceMeta.tier = 'enterprise')),
        attempt(() => Object.assign(window, { serviceMeta: { tier: 'enterprise' } })),
        attempt(() => Reflect.deleteProperty(window, 'serviceMeta')),
      ];
    });
    expect(frozen).toEqual([true, true, 'pro', 'pro', 'pro']);
    expect(await opened.evaluate(() => window.events)).toEqual([meta]);
    const counted = `POST /v1/projects/${project.id}/visits 204`;
    await until('counted', () => front.requests.length === 3);
    expect(front.requests).toEqual([
      `GET /cdn/${project.id}/loader.js 200`,
      `GET /cdn/${project.id}/config.json 200`,
      counted,
    ]);
    // The next page revalidates it, and gets 304 without a body.
    await opened.reload();
    await metaOf(opened);
    await until('counted again', () => front.requests.length === 5);
    expect(front.requests.slice(3)).toEqual([`GET /cdn/${project.id}/config.json 304`, counted]);
  });

  it('shows an upgrade and a downgrade to the next page', async () => {
    const opened = await open();
    expect(await metaOf(opened)).toMatchObject({ tier: 'lite' });
    for (const tier of ['business', 'lite', 'pro']) {
      const elapsedMs = startClock();
      await simulate(tier);
      await until(tier, async () => {
        await opened.reload();
        return (await metaOf(opened)).tier === tier;
      });
      expect(elapsedMs()).toBeLessThan(5_000);
    }
  });

  it('spec §3.2 row 1: is lite on a preview host, unless it is a free subdomain of one’s own', async () => {
    await simulate('business');
    await project.request('editor', 'PATCH', '', {
      domains: ['shop.carrd.co', 'shop.webflow.io', 'www.example.com'],
    });
    await until(
      'published',
      async () =>
        (
          (await (await fetch(`${service.baseUrl}/cdn/${project.id}/config.json`)).json()) as {
            ownPreviewHosts: string[];
          }
        ).ownPreviewHosts.length === 1,
    );
    for (const [host, tier] of [
      ['shop.webflow.io', 'lite'],
      ['a.b.wixsite.com', 'lite'],
      ['other.carrd.co', 'lite'],
      ['shop.carrd.co', 'business'],
      ['evilwebflow.io', 'business'],
      ['webflow.io.evil.com', 'business'],
      ['www.example.com', 'business'],
    ] as const) {
      const opened = await open(host);
      const meta = await metaOf(opened);
      expect([host, meta.tier]).toEqual([host, tier]);
      expect(meta.features).toMatchObject({ analytics: tier === 'business' });
      await opened.close();
    }
  });

  it.each([
    ['DE', true],
    ['US', false],
    [null, true],
  ])('tells the region %s as the CDN says it', async (country, isEu) => {
    front.country = country;
    expect(await metaOf(await open())).toMatchObject({ region: country ?? 'XX', isEu });
  });

  it.each([
    ['us', 'US', false],
    ['FR', 'FR', true],
    ['T1', 'XX', true],
    ['EU', 'XX', true],
  ])('takes the region %s from an edge that tells it in a header', async (header, region, isEu) => {
    front.region = header;
    expect(await metaOf(await open())).toMatchObject({ region, isEu });
  });

  it('is there once where the loader is there twice, and where it comes late', async () => {
    pages['/'] = page(`${loaderTag()}${loaderTag('async')}`);
    const opened = await open();
    await metaOf(opened);
    await opened.waitForLoadState('networkidle');
    expect(await opened.evaluate(() => window.events.length)).toBe(1);
    expect(front.requests.filter((request) => request.includes('config.json'))).toHaveLength(1);

    pages['/'] = page('');
    const late = await open();
    await late.addScriptTag({ url: `${front.url}/cdn/${project.id}/loader.js` });
    expect(await metaOf(late)).toMatchObject({ projectId: project.id });
    expect(await late.evaluate(() => window.problems)).toEqual([]);
  });

  it('is lite and in the EU where the service was never reached', async () => {
    const opened = await open();
    await metaOf(opened);
    const script = await (await fetch(`${service.baseUrl}/cdn/${project.id}/loader.js`)).text();
    front.away = true;
    pages['/'] = page(`<script data-project-id="${project.id}" src="/loader.js"></script>`);
    pages['/loader.js'] = { html: script, headers: { 'content-type': 'text/javascript' } };
    const fresh = await browser.newContext();
    const alone = await fresh.newPage();
    await alone.goto(`http://www.example.com:${site.port}/`);
    expect(await metaOf(alone)).toMatchObject({
      tier: 'lite',
      region: 'XX',
      isEu: true,
      configHash: '',
      features: {},
    });
    await fresh.close();
  });
});

describe('a configuration that arrives after 4 s, on a first visit', () => {
  it('replaces serviceMeta, says ready again, and sets Google’s options', async () => {
    await simulate('pro');
    await configure({ signals: { googleUrlPassthrough: true, googleAdsDataRedaction: true } });
    let answer = (): void => {};
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    await context.route('**/config.json', async (route) => {
      await isAnswered;
      await route.continue();
    });
    const opened = await open();
    expect(await metaOf(opened)).toMatchObject({ tier: 'lite', configHash: '' });
    answer();
    await until('ready again', () => opened.evaluate(() => window.events.length === 2));
    const [early, late] = await opened.evaluate(() => window.events);
    expect([early?.tier, late?.tier]).toEqual(['lite', 'pro']);
    expect(await opened.evaluate(() => window.serviceMeta)).toEqual(late);
    expect(late?.configHash).toMatch(/^[0-9a-f]{64}$/);
    expect(await opened.evaluate(() => Object.isFrozen(window.serviceMeta))).toBe(true);
    expect(await dataLayer(opened)).toContainEqual([
      'set',
      { url_passthrough: true, ads_data_redaction: true },
    ]);
  });
});

describe('serviceConsent', () => {
  it('stores a choice with what it was made under', async () => {
    const opened = await open();
    await metaOf(opened);
    const receipt = await submit(opened, { analytics: true, marketing: false, preferences: true, shop: 'a' });
    expect(receipt).toMatchObject({ stored: true, status: 201 });
    expect(await records()).toMatchObject([
      {
        id: receipt.id,
        analytics: true,
        marketing: false,
        preferences: true,
        action: 'custom',
        hostname: 'www.example.com',
        extra: { policyVersion: '1', bannerVersion: '1', region: 'XX', shop: 'a' },
      },
    ]);
    expect(await submit(opened, { analytics: true, marketing: true, preferences: true })).toMatchObject({
      stored: true,
    });
    expect(await submit(opened, { action: 'withdraw' })).toMatchObject({ stored: true });
    expect((await records()).map(({ action }) => action).sort()).toEqual([
      'accept_all',
      'custom',
      'withdraw',
    ]);
  });

  it('calls it accept_all where all that was offered is accepted', async () => {
    const actionOf = async (opened: Page, choice: unknown): Promise<unknown> => {
      const { id } = await submit(opened, choice);
      return (await records()).find((record) => record['id'] === id)?.['action'];
    };
    const both = { analytics: true, marketing: true };
    const opened = await open();
    await metaOf(opened);
    expect(await actionOf(opened, both)).toBe('custom');
    // Another banner than ours, e.g. klaro with two services, may offer less than the configuration.
    expect(await actionOf(opened, { ...both, offered: ['analytics', 'marketing'] })).toBe('accept_all');
    expect(await actionOf(opened, { analytics: true, offered: ['analytics', 'marketing'] })).toBe('custom');
    expect(await actionOf(opened, { offered: ['analytics'] })).toBe('reject_all');
    expect((await records()).map((record) => record['extra'])).not.toContainEqual(
      expect.objectContaining({ offered: expect.anything() }),
    );
    await configure({ categories: ['analytics', 'marketing'] });
    await opened.reload();
    await metaOf(opened);
    expect(await actionOf(opened, both)).toBe('accept_all');
    expect(await actionOf(opened, { marketing: true })).toBe('custom');
    expect(await actionOf(opened, {})).toBe('reject_all');
    // Before the configuration is loaded, the last valid one defines the offered categories.
    front.away = true;
    await opened.reload();
    const { id } = await submit(opened, both);
    front.away = false;
    await opened.reload();
    await until('sent', async () => (await records()).some((record) => record['id'] === id));
    expect((await records()).find((record) => record['id'] === id)).toMatchObject({ action: 'accept_all' });
  });

  it('never throws into the page', async () => {
    const opened = await open();
    const outcomes = await opened.evaluate(async () => {
      const { submit: send } = window.serviceConsent;
      const circle: Record<string, unknown> = {};
      circle.circle = circle;
      return [
        await send(undefined),
        await send(null),
        await send(circle),
        await send({ action: 'not allowed!' }),
        await send({ big: 1n }),
      ];
    });
    for (const outcome of outcomes) expect(outcome).toMatchObject({ stored: false });
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
    expect(await records()).toEqual([]);
    // Refused records are not sent again.
    front.requests.length = 0;
    await opened.reload();
    await metaOf(opened);
    expect(front.requests.filter((request) => /^POST .*\/consents /.test(request))).toEqual([]);
  });

  it('keeps working while the service is away: last good configuration, and the choice stored once it is back', async () => {
    await simulate('pro');
    front.country = 'DE';
    const opened = await open();
    await until('pro', async () => {
      await opened.reload();
      return (await metaOf(opened)).tier === 'pro';
    });
    front.away = true;
    await opened.reload();
    expect(await metaOf(opened)).toMatchObject({
      tier: 'pro',
      region: 'DE',
      isEu: true,
      configHash: expect.stringMatching(/./),
    });
    const receipt = await submit(opened, { analytics: true });
    expect(receipt).toMatchObject({ stored: false, status: 0 });
    await opened.reload();
    await metaOf(opened);
    // Its visit is sent just after, and must not reach a service that is back.
    await opened.waitForLoadState('networkidle');
    front.away = false;
    front.requests.length = 0;
    await opened.reload();
    await until('delivered', async () => (await records()).length === 1);
    expect(await records()).toMatchObject([{ id: receipt.id, analytics: true, action: 'custom' }]);
    await until('forgotten', () =>
      opened.evaluate((id) => localStorage.getItem(`serviceMeta:${id}:queue`) === '[]', project.id),
    );
    const counted = `POST /v1/projects/${project.id}/visits 204`;
    await until('counted', () => front.requests.includes(counted));
    front.requests.length = 0;
    await opened.reload();
    await metaOf(opened);
    await until('counted again', () => front.requests.includes(counted));
    await opened.waitForLoadState('networkidle');
    expect(front.requests.filter((request) => request.startsWith('POST'))).toEqual([counted]);
    expect(await records()).toHaveLength(1);
  });

  it.each([500, 503, 429, 408])(
    'keeps a choice that is answered %i, and sends it with the next page',
    async (status) => {
      const opened = await open();
      await metaOf(opened);
      front.refusal = status;
      const { id, ...receipt } = await submit(opened, { analytics: true });
      expect(receipt).toMatchObject({ stored: false, status });
      expect(await records()).toEqual([]);
      front.refusal = null;
      await opened.reload();
      await until('delivered', async () => (await records()).length === 1);
      expect(await records()).toMatchObject([{ id }]);
    },
  );

  it('keeps the newest 20 of the choices that wait', async () => {
    const opened = await open();
    await metaOf(opened);
    front.away = true;
    const ids: string[] = [];
    for (let n = 0; n < 22; n += 1) ids.push((await submit(opened, { analytics: n % 2 === 0 })).id);
    front.away = false;
    await opened.reload();
    await until('delivered', async () => (await records()).length === 20);
    const stored = (await records()).map((record) => record['id']);
    expect(stored.toSorted()).toEqual(ids.slice(2).toSorted());
  });

  it('sends a beacon when the page goes, and the same choice again changes nothing', async () => {
    const opened = await open();
    await metaOf(opened);
    await opened.evaluate(() => {
      window.fetch = () => Promise.reject(new TypeError('no fetch'));
    });
    const { id, stored } = await submit(opened, { marketing: true });
    expect(stored).toBe(false);
    await opened.goto('about:blank');
    await until('the beacon', async () => (await records()).length === 1);
    front.requests.length = 0;
    await opened.goto(`http://www.example.com:${site.port}/`);
    await until('sent again', () => front.requests.includes(`POST /v1/projects/${project.id}/consents 200`));
    expect(await records()).toMatchObject([{ id, marketing: true }]);
  });

  it('works where storage is blocked', async () => {
    await context.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get() {
          throw new DOMException('blocked', 'SecurityError');
        },
      });
    });
    const opened = await open();
    expect(await metaOf(opened)).toMatchObject({ tier: 'lite' });
    expect(await submit(opened, { analytics: true })).toMatchObject({ stored: true });
    // Queued choices are kept while the page lives, and sent once the service is back.
    front.away = true;
    const { id, ...receipt } = await submit(opened, { marketing: true });
    expect(receipt).toMatchObject({ stored: false, status: 0 });
    front.away = false;
    await opened.evaluate(() => window.dispatchEvent(new Event('online')));
    await until('delivered', async () => (await records()).some((record) => record['id'] === id));
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
  });

  it('works with an older configuration, or a broken one, in storage', async () => {
    await context.addInitScript((id) => {
      localStorage.setItem(`serviceMeta:${id}:configuration`, '{"tier":"pro"}');
      localStorage.setItem(`serviceMeta:${id}:queue`, '{"not":"a list"}');
      localStorage.setItem(`serviceMeta:${id}:choice`, 'not json');
    }, project.id);
    const opened = await open();
    await metaOf(opened);
    expect(await submit(opened, {})).toMatchObject({ stored: true });
    front.away = true;
    await opened.reload();
    expect(await metaOf(opened)).toMatchObject({ tier: 'pro', projectId: project.id });
    expect(await opened.evaluate(() => window.problems)).toEqual([]);
  });

  it('works under a strict content security policy with a nonce', async () => {
    const nonce = 'c2VjcmV0';
    pages['/'] = {
      html: `<!doctype html><title>strict</title>${loaderTag(`nonce="${nonce}"`)}`,
      headers: {
        'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; connect-src ${front.url}; require-trusted-types-for 'script'; base-uri 'none'`,
      },
    };
    const messages: string[] = [];
    const opened = await context.newPage();
    opened.on('console', (message) => messages.push(message.text()));
    await opened.goto(`http://www.example.com:${site.port}/`);
    expect(await metaOf(opened)).toMatchObject({ tier: 'lite', projectId: project.id });
    expect(await submit(opened, { analytics: true })).toMatchObject({ stored: true });
    expect(messages.filter((message) => /security policy/i.test(message))).toEqual([]);
  });
});

describe('what a visitor wrote stands ahead of an asynchronous loader (DOM clobbering)', () => {
  const DEFAULT = [['consent', 'default', { ...DENIED, wait_for_update: 500 }]];

  it.each([
    '<a id="serviceConsent"></a>',
    '<form id="serviceConsent"></form>',
    '<iframe name="serviceConsent"></iframe>',
    '<a id="dataLayer"></a>',
    '<form id="dataLayer"><input name="push"></form>',
    '<a id="serviceMeta"></a>',
    '<img name="currentScript" src="/comments/loader.js">',
    '<img name="querySelector">',
    '<img name="dispatchEvent">',
    '<a id="addEventListener"></a><a id="fetch"></a><a id="navigator"></a><a id="crypto"></a>',
  ])('%s', async (comment) => {
    pages['/'] = page(`${comment}${loaderTag('async')}`);
    const opened = await open();
    await opened.waitForLoadState('load');
    const outcome = await opened.evaluate(async () => {
      const own = (name: string): unknown => Object.getOwnPropertyDescriptor(window, name)?.value;
      const consent = own('serviceConsent') as { ready: Promise<Meta>; submit(choice: unknown): unknown };
      const layer = own('dataLayer') as ArrayLike<unknown>[] | undefined;
      const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), 5_000));
      const meta = await Promise.race([consent?.ready ?? null, late]);
      return {
        meta,
        pushed: layer?.map((entry) => Array.from(entry)) ?? null,
        receipt: consent ? await consent.submit({ analytics: true }) : null,
        told: window.events.length,
        problems: window.problems,
      };
    });
    expect(outcome).toMatchObject({
      meta: { projectId: project.id, configHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      pushed: DEFAULT,
      receipt: { stored: true },
      problems: [],
    });
    expect(outcome.told).toBe(1);
  });

  it('as a module it does nothing, rather than take the address of a script of somebody else', async () => {
    const foreign = page('');
    pages['/third-party/loader.js'] = { html: '', headers: { 'content-type': 'text/javascript' } };
    pages['/third-party/config.json'] = {
      html: JSON.stringify({ tier: 'enterprise', features: {}, regionRules: [], consentUrl: '/stolen' }),
      headers: { 'content-type': 'application/json' },
    };
    pages['/'] = {
      ...foreign,
      html: `${foreign.html}<script src="/third-party/loader.js"></script>${loaderTag('type="module" crossorigin')}`,
    };
    const warnings: string[] = [];
    const opened = await context.newPage();
    opened.on('console', (message) => warnings.push(message.text()));
    await opened.goto(`http://www.example.com:${site.port}/`, { waitUntil: 'networkidle' });
    const globals = await opened.evaluate(() => [
      typeof window.serviceConsent,
      typeof window.serviceMeta,
      window.problems.length,
    ]);
    expect(globals).toEqual(['undefined', 'undefined', 0]);
    expect(warnings.filter((text) => text.includes('type=module'))).toHaveLength(1);
  });
});

describe('Google Consent Mode v2', () => {
  it('is denied by default, first of all, and follows the choice', async () => {
    pages['/'] = page(`${loaderTag()}<script>dataLayer.push(['js'])</script>`);
    const opened = await open();
    await metaOf(opened);
    await submit(opened, { analytics: true });
    expect(await dataLayer(opened)).toEqual([
      ['consent', 'default', { ...DENIED, wait_for_update: 500 }],
      ['js'],
      ['consent', 'update', { ...DENIED, analytics_storage: 'granted' }],
      ['service_consent_update'],
    ]);
    // The next page knows the choice at once.
    await opened.reload();
    expect((await dataLayer(opened)).slice(0, 2)).toEqual([
      ['consent', 'default', { ...DENIED, wait_for_update: 500 }],
      ['consent', 'update', { ...DENIED, analytics_storage: 'granted' }],
    ]);
  });

  it('is granted without a choice where the region’s rule says opt-out', async () => {
    await simulate('business');
    await configure({
      regionRules: [
        { regions: ['US'], mode: 'opt_out' },
        { regions: ['EU'], mode: 'opt_in' },
      ],
    });
    front.country = 'US';
    const american = await open();
    await metaOf(american);
    expect((await dataLayer(american)).at(-2)).toEqual(['consent', 'update', GRANTED]);
    await submit(american, {});
    expect((await dataLayer(american)).at(-2)).toEqual(['consent', 'update', DENIED]);
    await context.clearCookies();
    front.country = 'FR';
    const other = await browser.newContext();
    const french = await other.newPage();
    await french.goto(`http://www.example.com:${site.port}/`);
    await metaOf(french);
    expect(await dataLayer(french)).toHaveLength(1);
    await other.close();
  });
});

describe('Global Privacy Control', () => {
  beforeEach(() =>
    context.addInitScript(() => {
      Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
    }),
  );

  it('opts out once, where the configuration honours it', async () => {
    const opened = await open();
    await until('recorded', async () => (await records()).length === 1);
    expect(await records()).toMatchObject([
      { analytics: false, marketing: false, preferences: false, action: 'opt_out', extra: { gpc: true } },
    ]);
    await opened.reload();
    await metaOf(opened);
    await opened.waitForLoadState('networkidle');
    expect(await records()).toHaveLength(1);
  });

  it('does nothing where it does not', async () => {
    await configure({ honorGlobalPrivacyControl: false });
    const opened = await open();
    await metaOf(opened);
    await opened.waitForLoadState('networkidle');
    expect(await records()).toEqual([]);
  });
});

describe('a configuration that cannot be read', () => {
  const HOSTILE: unknown[] = [
    null,
    true,
    0,
    -1,
    1e308,
    '',
    'x',
    '(',
    'http://[',
    [],
    [[]],
    [null],
    [{}],
    ['x', 1],
    {},
    { toString: 1, valueOf: 1 },
    { length: 1 },
  ];
  interface PollResult {
    ready: boolean;
    mode: string;
    granted: boolean;
    problems: string[];
    submitted: boolean;
  }

  /** Opens each page in a frame of one page, one after another, and makes a choice on it. */
  const look = async (opened: Page, addresses: string[]): Promise<PollResult[]> => {
    // A document that shares the choice over subdomains leaves a cookie, which is a choice on all pages after it.
    await opened.exposeFunction('clearCookies', () => opened.context().clearCookies());
    return opened.evaluate(async (all) => {
      interface Site {
        serviceConsent: {
          ready: Promise<unknown>;
          mode: string;
          choice: unknown;
          open(): Promise<void>;
          submit(choice: object): Promise<{ id: string | null }>;
        };
        problems: string[];
        dataLayer: ArrayLike<unknown>[];
      }
      interface Frame {
        src: string;
        onload: () => void;
        contentWindow: Site;
        remove(): void;
      }
      const { document, clearCookies } = globalThis as unknown as {
        document: { createElement(name: string): Frame; body: { append(frame: Frame): void } };
        clearCookies(): Promise<void>;
      };
      const seen: PollResult[] = [];
      for (const address of all) {
        const frame = document.createElement('iframe');
        frame.src = address;
        const loaded = new Promise<void>((done) => (frame.onload = done));
        document.body.append(frame);
        await loaded;
        const { serviceConsent, problems, dataLayer } = frame.contentWindow;
        const late = new Promise((done) => setTimeout(done, 5_000, 'late'));
        const ready = (await Promise.race([serviceConsent.ready, late])) !== 'late';
        // The last but one where an event follows it.
        const last = Array.from(dataLayer).findLast((entry) => entry[2])?.[2] as Record<string, string>;
        const granted = Object.values(last).includes('granted');
        const { mode } = serviceConsent;
        await serviceConsent.open();
        const { id } = await serviceConsent.submit({ analytics: true });
        const submitted = id !== null && serviceConsent.choice !== null;
        seen.push({ ready, mode, granted, problems: [...problems], submitted });
        frame.remove();
        await clearCookies();
      }
      return seen;
    }, addresses);
  };

  /** Every member of the document with every hostile value, one at a time. */
  const mutations = (document: Record<string, unknown>): [string, unknown][] => {
    const places: string[][] = [];
    const walk = (value: unknown, path: string[]): void => {
      if (path.length > 0) places.push(path);
      if (path.length < 4 && typeof value === 'object' && value !== null)
        for (const key of Object.keys(value)) walk((value as Record<string, unknown>)[key], [...path, key]);
    };
    walk(document, []);
    return places.flatMap((path) =>
      HOSTILE.map((value): [string, unknown] => {
        const copy = structuredClone(document);
        const holder = path
          .slice(0, -1)
          .reduce<Record<string, unknown>>((within, key) => within[key] as Record<string, unknown>, copy);
        holder[path.at(-1) ?? ''] = value;
        return [`${path.join('.')} = ${JSON.stringify(value)}`, copy];
      }),
    );
  };

  /** Without these nothing may be granted before the visitor has answered. */
  const NEEDED = /^(regionRules|texts)(\.0)? = (?!\[\]$)|^regionRules\.0\.(mode = |regions = (?!\[))/;

  it('grants nothing, throws nothing, and still takes a choice, whichever member is wrong', async () => {
    await configure({
      defaultMode: 'opt_out',
      banner: { enabled: true },
      services: [
        {
          name: 'a',
          provider: 'b',
          category: 'analytics',
          cookies: [{ name: 'c', duration: 'd', purpose: 'e' }],
        },
      ],
    });
    const at = `${service.baseUrl}/cdn/${project.id}`;
    const document = (await (await fetch(`${at}/config.json`)).json()) as Record<string, unknown>;
    document['regionRules'] = [{ regions: ['US'], mode: 'notice' }];
    document['region'] = 'US';
    const whole = [null, [], 5, 'text', {}].map((value): [string, unknown] => [
      `texts = ${JSON.stringify(value)}, in the place of the document`,
      value,
    ]);
    const rule: [string, unknown] = ['regionRules = [{}]', { ...document, regionRules: [{}] }];
    const seed = Number(process.env['FUZZ_SEED'] ?? 7);
    const drawn = fc.sample(fc.constantFrom(...mutations(document)), { seed, numRuns: MUTATIONS });
    const tried: [string, unknown][] = [['as published', document], rule, ...whole, ...drawn];

    // From the page's origin, so that the page gets every error; each has its own storage.
    const names = ['loader.js', String(document['bannerScript'])];
    const scripts = await Promise.all(names.map(async (name) => (await fetch(`${at}/${name}`)).text()));
    const script = { 'content-type': 'text/javascript' };
    const addresses = tried.map(([, tryDocument], n) => {
      names.forEach((name, of) => (pages[`/${n}/${name}`] = { html: scripts[of] ?? '', headers: script }));
      pages[`/${n}/config.json`] = { html: JSON.stringify(tryDocument) };
      pages[`/${n}/`] = page(`<script data-project-id="${newId()}" src="/${n}/loader.js"></script>`);
      return `/${n}/`;
    });
    pages['/'] = { html: '<!doctype html><title>all</title><body>' };
    const seen = await look(await open(), addresses);
    expect(seen[0]).toMatchObject({ mode: 'notice', granted: true });
    for (const [n, [name]] of tried.entries()) {
      const { mode = '', granted, ...rest } = seen[n] ?? {};
      expect([name, rest]).toEqual([name, { ready: true, problems: [], submitted: true }]);
      expect(['opt_in', 'opt_out', 'notice', 'none']).toContain(mode);
      expect([name, granted]).toEqual([name, mode !== 'opt_in']);
      if (NEEDED.test(name)) expect([name, mode]).toEqual([name, 'opt_in']);
    }
  });
});
