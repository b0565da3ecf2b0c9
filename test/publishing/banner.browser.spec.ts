import { VisitCounter } from '../../src/modules/visits/application/visit-counter.js';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { requireExtra } from '../support/programs/extras.js';
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

const AXE = readFileSync(requireExtra.resolve('axe-core/axe.min.js'), 'utf8');
const NONCE = 'c2VjcmV0';
const COUNTER = {
  name: 'Counter',
  provider: 'Example Ltd',
  category: 'analytics',
  policyUrl: 'https://example.com/privacy',
  cookies: [{ name: '_c_*', duration: '13 months', purpose: 'Counts <b>visits</b>.' }],
};

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
  project = await createTestProject(service, { tier: 'business' });
  Object.assign(front, { country: null, region: null, away: false, refusal: null, requests: [] });
  context = await browser.newContext();
  pages['/'] = sitePage();
});
afterEach(() => context.close());

/** What runs inside a page knows these. */
declare const window: {
  problems: string[];
  came?: number;
  ran: string[];
  dataLayer: ArrayLike<unknown>[];
  serviceConsent: Consent;
  axe: { run(): Promise<Axe> };
};
declare const document: {
  cookie: string;
  body: object | null;
  querySelector(selector: string): { show?: unknown; shadowRoot: ShadowRoot } | null;
  querySelectorAll(selector: string): Iterable<Box>;
  activeElement: { id: string };
};
interface ShadowRoot {
  activeElement: { className: string; textContent: string } | null;
  querySelectorAll(selector: string): Iterable<Box>;
  elementFromPoint(x: number, y: number): object | null;
}
/** The compared properties of an element. */
interface Box {
  className: string;
  click(): void;
  contains(other: object | null): boolean;
  scrollIntoView(options: { block: 'start' }): void;
  getBoundingClientRect(): { left: number; right: number; top: number; width: number; height: number };
}
interface Consent {
  ready: Promise<{ configHash: string }>;
  choice: Record<string, unknown> | null;
  submit(choice: unknown): Promise<unknown>;
  open(): Promise<void>;
}
interface Axe {
  violations: { id: string; nodes: { html: string }[] }[];
}

/** A site under the strictest policies with which our origin is allowed. */
const sitePage = ({ body = '', head = '', lang = 'en', policy = '' } = {}): SitePage => ({
  html: `<!doctype html><html lang="${lang}"><head><title>A shop</title>
    <script src="/page.js"></script>${head}
    <script src="${front.url}/cdn/${project.id}/loader.js"></script></head>
    <body><main><h1>A shop</h1><p>Everything for tea.</p><a href="#end">To the end</a></main>${body}</body></html>`,
  headers: {
    'content-security-policy':
      policy ||
      `default-src 'self' ${front.url}; require-trusted-types-for 'script'; trusted-types serviceConsent`,
  },
});
pages['/page.js'] = {
  html: `window.problems = []; window.ran = [];
    addEventListener('error', (event) => problems.push(String(event.message)));
    addEventListener('unhandledrejection', (event) => problems.push(String(event.reason)));
    addEventListener('securitypolicyviolation', (event) => problems.push(event.violatedDirective + ' ' + event.blockedURI));`,
  headers: { 'content-type': 'text/javascript' },
};
pages['/counter.js'] = { html: `ran.push('counter');`, headers: { 'content-type': 'text/javascript' } };
pages['/map'] = { html: 'a map' };

const configure = async (configuration: object): Promise<void> => {
  const body = { banner: { enabled: true }, ...configuration };
  const response = await project.request('editor', 'PUT', '/configuration', body);
  expect(await response.json()).not.toHaveProperty('errors');
  const version = Number(/\d+/.exec(response.headers.get('etag') ?? '')?.[0]);
  await until('published', async () => {
    const view = (await (await project.request('viewer', 'GET', '/configuration')).json()) as {
      lastPublication: { configurationVersion: number } | null;
    };
    return view.lastPublication?.configurationVersion === version;
  });
};
const open = async (path = '/'): Promise<Page> => {
  const opened = await context.newPage();
  await opened.goto(`http://www.example.com:${site.port}${path}`);
  return opened;
};
/** Holds the answers to requests for this address back, until what it returns is called. */
const hold = async (address: string): Promise<() => void> => {
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await context.route(address, async (route) => {
    await held;
    await route.continue();
  });
  return release;
};
const button = (opened: Page, name: string) => opened.getByRole('button', { name, exact: true });
const records = (): Promise<Record<string, unknown>[]> =>
  service.database.query('select * from consent_record where project_id = $1 order by id', [project.id]);
const recorded = (count: number): Promise<Record<string, unknown>[]> =>
  until('recorded', async () => {
    const all = await records();
    return all.length === count ? all : null;
  });
/** The focused element in the banner; null: the focus is on the page. */
const focusedIn = (opened: Page): Promise<{ className: string; textContent: string } | null> =>
  opened.evaluate(() => {
    const focused = document.querySelector('#consent-banner')?.shadowRoot.activeElement;
    return focused ? { className: focused.className, textContent: focused.textContent.trim() } : null;
  });
const problems = (opened: Page): Promise<string[]> => opened.evaluate(() => window.problems);
/** Headings and controls that the visitor cannot see or tap, or that overflow. */
const outOfReach = (opened: Page, layer: string): Promise<string[]> =>
  opened.evaluate((selector) => {
    const { innerWidth } = window as unknown as { innerWidth: number };
    const banner = document.querySelector('#consent-banner')?.shadowRoot;
    const isReached = (element: Box): boolean => {
      element.scrollIntoView({ block: 'start' });
      const { left, right, top, width, height } = element.getBoundingClientRect();
      const there = banner?.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20));
      return left >= 0 && right <= innerWidth && element.contains(there ?? null);
    };
    return [...(banner?.querySelectorAll(`${selector} :is(h2, button, input, summary, code)`) ?? [])]
      .filter((element) => element.getBoundingClientRect().width > 0 && !isReached(element))
      .map(({ className }) => className);
  }, layer);
/** Findings of axe, run by the browser itself: the page's policies are not for it. */
const findings = async (opened: Page): Promise<string[]> => {
  const session = await opened.context().newCDPSession(opened);
  await session.send('Runtime.evaluate', { expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html).join(' '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(String(result.value)) as string[];
};

describe('our banner', () => {
  it('asks, records what was on the screen, and comes from the cache once it is answered', async () => {
    await configure({ policyUrl: 'https://example.com/policy', services: [COUNTER] });
    const opened = await open();
    await opened.evaluate(() => {
      (window as unknown as EventTarget).addEventListener('serviceConsent:choice', (event) =>
        window.ran.push(JSON.stringify((event as unknown as { detail: object }).detail)),
      );
    });
    await button(opened, 'Accept all').click();
    const [record] = await recorded(1);
    await until('the page heard of it', async () => (await opened.evaluate(() => window.ran.length)) === 1);
    const told = JSON.parse((await opened.evaluate(() => window.ran))[0] ?? '') as object;
    expect(told).toMatchObject({ id: record?.['id'], stored: true, status: 201 });
    const { configHash } = await opened.evaluate(() => window.serviceConsent.ready);
    expect(record).toMatchObject({
      analytics: true,
      marketing: true,
      preferences: true,
      action: 'accept_all',
      config_hash: configHash,
      language: 'en',
      surface: 'banner',
    });
    expect(await problems(opened)).toEqual([]);
    const paths = front.requests.map((request) => request.replace(/-[0-9a-f]{16}\.js/, '-hash.js'));
    expect(paths.filter((path) => path.startsWith('GET'))).toEqual([
      `GET /cdn/${project.id}/loader.js 200`,
      `GET /cdn/${project.id}/config.json 200`,
      `GET /cdn/${project.id}/banner-hash.js 200`,
    ]);
    // Sent behind the answer to the choice; its own may still be on its way.
    await until('counted as chosen', () =>
      front.requests.some((request) => /POST .*visits 204/.test(request)),
    );
    front.requests.length = 0;
    await opened.reload();
    await button(opened, 'Privacy settings').waitFor();
    await until('counted', () => front.requests.length === 2);
    expect(front.requests).toEqual([
      `GET /cdn/${project.id}/config.json 304`,
      `POST /v1/projects/${project.id}/visits 204`,
    ]);
  });

  it('records a choice of a visitor who leaves with the click, before anything is drawn again', async () => {
    await configure({});
    const opened = await open();
    await button(opened, 'Accept all').waitFor();
    await opened.evaluate(() => {
      const [accept] =
        document.querySelector('#consent-banner')?.shadowRoot.querySelectorAll('.answer') ?? [];
      // As on a page that the browser does not draw.
      Object.assign(window, { requestAnimationFrame: () => 0 });
      accept?.click();
      (window as unknown as { location: string }).location = '/map';
    });
    await opened.waitForURL('**/map');
    const [record] = await recorded(1);
    expect(record).toMatchObject({ action: 'accept_all', surface: 'banner' });
  });

  it('counts each visit once, with what became of the banner, and behind the answer to a consent', async () => {
    const posted = (): string[] =>
      front.requests
        .filter((request) => request.startsWith('POST'))
        .map((request) => request.replace(/^.*\/projects\/[^/]+\//, ''));
    const counts = async (): Promise<unknown> => {
      await service.app.get(VisitCounter, { strict: false }).flush();
      const [row] = await service.database.query(
        `select sum(visits)::int as visits, sum(chosen)::int as chosen, sum(ignored)::int as ignored from site_visit
         where project_id = $1 and dimension = 'hostname' and name = 'www.example.com'`,
        [project.id],
      );
      return row;
    };
    await configure({});
    const left = await open();
    await button(left, 'Accept all').waitFor();
    expect(posted()).toEqual([]);
    await left.goto('about:blank');
    await until('ignored', () => posted().length === 1);
    expect(await counts()).toEqual({ visits: 1, chosen: 0, ignored: 1 });

    front.requests.length = 0;
    const opened = await open();
    await button(opened, 'Accept all').click();
    await until('counted', () => posted().length === 2);
    expect(posted()).toEqual(['consents 201', 'visits 204']);
    // Another choice is not another visit, and leaving the page is not one either.
    await button(opened, 'Privacy settings').click();
    await button(opened, 'Reject all').last().click();
    await recorded(2);
    await opened.goto('about:blank');
    await opened.waitForLoadState('networkidle');
    expect(posted()).toEqual(['consents 201', 'visits 204', 'consents 201']);
    expect(await counts()).toEqual({ visits: 2, chosen: 1, ignored: 1 });

    await configure({ siteAnalytics: false });
    front.requests.length = 0;
    const silent = await open();
    await button(silent, 'Privacy settings').waitFor();
    await silent.goto('about:blank');
    await silent.waitForLoadState('networkidle');
    expect(posted().filter((request) => request.startsWith('visits'))).toEqual([]);
  });

  it.each([
    ['light', 'en', 1280],
    ['dark', 'de', 375],
  ] as const)('has no finding of axe on either layer: %s, %s, %d px', async (colorScheme, lang, width) => {
    await context.close();
    context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width, height: 720 },
    });
    const presets = (await (
      await project.request('viewer', 'GET', '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da')
    ).json()) as {
      texts: { language: string; rejectAll: string; choose: string; acceptAll: string }[];
    };
    const controller = { controllerName: 'Example <b>Ltd</b>', controllerContact: 'privacy@example.com' };
    expect((await project.request('editor', 'PATCH', '', controller)).status).toBe(200);
    await configure({ texts: presets.texts, services: [COUNTER], policyUrl: 'https://example.com/policy' });
    pages['/'] = sitePage({ lang });
    const words = presets.texts.find(({ language }) => language === lang);
    const opened = await open();
    const [accept, reject] = [button(opened, words?.acceptAll ?? ''), button(opened, words?.rejectAll ?? '')];
    await accept.waitFor();
    expect(await findings(opened)).toEqual([]);
    // Equally easy: as large, as high up, in the same colours.
    const look = (of: typeof accept) =>
      of.evaluate((element) => {
        const view = element.ownerDocument.defaultView as unknown as {
          getComputedStyle(of: unknown): { color: string; backgroundColor: string; fontSize: string };
        };
        const { color, backgroundColor, fontSize } = view.getComputedStyle(element);
        const { width: wide, height } = element.getBoundingClientRect();
        return { color, backgroundColor, fontSize, wide: Math.round(wide), height: Math.round(height) };
      });
    expect(await look(reject)).toEqual(await look(accept));
    expect((await look(reject)).height).toBeGreaterThanOrEqual(24);
    await button(opened, words?.choose ?? '').click();
    await opened.locator('.second summary').click();
    await opened.getByText('Counts <b>visits</b>.').waitFor();
    const named = opened.locator('.controller');
    expect(await named.textContent()).toMatch(
      /^(Controller|Verantwortlicher): Example <b>Ltd<\/b>, privacy@example\.com$/,
    );
    expect(await named.locator('a').getAttribute('href')).toBe('mailto:privacy@example.com');
    expect(await findings(opened)).toEqual([]);
    expect(await problems(opened)).toEqual([]);
  });

  it.each([
    ['box', 375, 667, '100%'],
    ['bar', 375, 667, '200%'],
    ['box', 320, 256, '100%'],
  ] as const)(
    'keeps the longest words and every button within reach: %s, %d × %d px, text at %s',
    async (layout, width, height, fontSize) => {
      await context.close();
      context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width, height } });
      const presets = (await (
        await project.request(
          'viewer',
          'GET',
          '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
        )
      ).json()) as {
        texts: { categories: object[] }[];
      };
      const [english] = presets.texts;
      const category = { title: 'x'.repeat(200), description: 'y '.repeat(1_000) };
      await configure({
        banner: { enabled: true, layout },
        services: [{ ...COUNTER, name: 'z'.repeat(200), provider: 'z'.repeat(200) }],
        texts: [
          {
            ...english,
            title: 'x'.repeat(200),
            description: 'y '.repeat(1_000),
            acceptAll: `a${'x'.repeat(79)}`,
            rejectAll: `r${'x'.repeat(79)}`,
            choose: 'c '.repeat(40),
            save: 's '.repeat(40),
            categories: english?.categories.map((each) => ({ ...each, ...category })),
          },
        ],
      });
      pages['/'] = sitePage({ head: '<link rel="stylesheet" href="/zoom.css">' });
      pages['/zoom.css'] = {
        html: `html { font-size: ${fontSize} }`,
        headers: { 'content-type': 'text/css' },
      };
      const opened = await open();
      for (const layer of ['.first', '.second']) {
        await opened.locator(layer).waitFor();
        if (layer === '.second') await opened.locator('summary').click();
        expect([layer, await outOfReach(opened, layer)]).toEqual([layer, []]);
        expect(await findings(opened)).toEqual([]);
        if (layer === '.first') await opened.locator('.first button').last().click();
      }
      expect(await problems(opened)).toEqual([]);
    },
  );

  it('comes as soon as there is a body, where a slow script in the head holds it up', async () => {
    await configure({});
    pages['/'] = sitePage({ body: '<p id="end"></p>' });
    pages['/'].html = pages['/'].html.replace('</head>', '<script src="/slow.js"></script></head>');
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await context.route('**/slow.js', async (route) => {
      await held;
      await route.fulfill({ contentType: 'text/javascript', body: '' });
    });
    const opened = await context.newPage();
    await opened.goto(`http://www.example.com:${site.port}/`, { waitUntil: 'commit' });
    await until('our banner is there, and no body', () =>
      opened.evaluate(
        () => document.body === null && document.querySelector('[src*="/banner-"]')?.show !== undefined,
      ),
    );
    release();
    await button(opened, 'Reject all').click();
    expect(await recorded(1)).toMatchObject([{ action: 'reject_all', surface: 'banner' }]);
    expect(await problems(opened)).toEqual([]);
  });

  it('opens one second layer, whole, for clicks ahead of the configuration and while it is loading', async () => {
    await configure({ services: [COUNTER] });
    const loadConfiguration = await hold('**/config.json');
    const loadBanner = await hold('**/banner-*.js');
    const opened = await open();
    const click = () => opened.evaluate(() => void window.serviceConsent.open());
    await click();
    await click();
    const asked = opened.waitForRequest('**/banner-*.js');
    loadConfiguration();
    await asked;
    await click();
    loadBanner();
    await opened.locator('.second').waitFor();
    expect(await opened.locator('.second summary').count()).toBe(1);
    expect(await opened.locator('.second .switch').count()).toBe(4);
    // Beneath it the first layer asks on.
    await opened.keyboard.press('Escape');
    await opened.locator('.second').waitFor({ state: 'hidden' });
    await button(opened, 'Reject all').first().click();
    expect(await recorded(1)).toMatchObject([{ action: 'reject_all', surface: 'banner' }]);
    // The link, twice, with a choice that it shows the number of.
    await button(opened, 'Privacy settings').dblclick();
    await opened.locator('.second').waitFor();
    expect(await opened.locator('.consent').count()).toBe(1);
    expect(await opened.locator('.second summary').count()).toBe(1);
    expect(front.requests.filter((request) => request.includes('/banner-'))).toHaveLength(1);
    expect(await problems(opened)).toEqual([]);
  });

  it('is loaded anew by whoever asks for it, where its script did not come', async () => {
    await configure({});
    const failures: ((route: Route) => Promise<void>)[] = [
      (route) => route.abort(),
      (route) => route.fulfill({ status: 503 }),
      // Something in between that answers in its own way, and may not be kept.
      (route) =>
        route.fulfill({
          headers: { 'content-type': 'text/javascript', 'cache-control': 'no-store' },
          body: '',
        }),
      (route) => route.continue(),
    ];
    let loads = 0;
    await context.route('**/banner-*.js', (route) => failures[loads++]?.(route));
    // Who asks while it is still coming waits with the others.
    await context.addInitScript({
      content: `for (const type of ['load', 'error']) document.addEventListener(type, ({ target }) => {
        if (target.src?.includes('/banner-')) window.came = (window.came ?? 0) + 1;
      }, true);`,
    });
    const opened = await open();
    const came = (count: number) =>
      until('came, or did not', () => opened.evaluate((wanted) => window.came === wanted, count));
    const visits = () => front.requests.filter((request) => /POST .*visits 204/.test(request)).length;
    await until('counted', () => visits() === 1);
    for (let click = 1; click < failures.length; click += 1) {
      await came(click);
      expect(loads).toBe(click);
      await opened.evaluate(() => void window.serviceConsent.open());
      await until('asked for again', () => loads === click + 1);
    }
    await button(opened, 'Save settings').click();
    expect(await recorded(1)).toMatchObject([{ action: 'reject_all', surface: 'link' }]);

    // The next page, with a choice: a file that failed once is loaded when requested again.
    loads = 0;
    await opened.reload();
    await came(1);
    expect(loads).toBe(1);
    loads = failures.length - 1;
    await opened.evaluate(() => void window.serviceConsent.open());
    await opened.locator('.second').waitFor();
    expect(await problems(opened)).toEqual([]);
    await opened.goto('about:blank');
    await opened.waitForLoadState('networkidle');
    expect(visits()).toBe(2);
  });

  it('goes on asking where its second layer is opened from the page, and closed again', async () => {
    await configure({});
    const opened = await open();
    await button(opened, 'Accept all').waitFor();
    await opened.evaluate(() => void window.serviceConsent.open());
    await opened.locator('.second').waitFor();
    await opened.keyboard.press('Escape');
    await opened.locator('.second').waitFor({ state: 'hidden' });
    await button(opened, 'Reject all').first().click();
    expect(await recorded(1)).toMatchObject([{ action: 'reject_all', surface: 'banner' }]);
  });

  it('is used by the keyboard alone, which it lets go on into the page', async () => {
    // With its animation it takes the focus twice, at the beginning and at the end.
    await context.close();
    context = await browser.newContext({ reducedMotion: 'reduce' });
    await configure({});
    const opened = await open();
    await button(opened, 'Accept all').waitFor();
    await until(
      'it has the focus',
      async () => (await focusedIn(opened))?.className.includes('first') ?? false,
    );
    const order: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      await opened.keyboard.press('Tab');
      order.push((await focusedIn(opened))?.textContent ?? '');
    }
    expect(order).toEqual(['Accept all', 'Reject all', 'Customize']);
    await opened.keyboard.press('Enter');
    await opened.getByRole('dialog', { name: 'Privacy settings' }).waitFor();
    await opened.keyboard.press('Escape');
    // Back where the visitor was.
    await until(
      'the first layer has the focus',
      async () => (await focusedIn(opened))?.textContent === 'Customize',
    );
    await opened.keyboard.press('Shift+Tab');
    await opened.keyboard.press('Enter');
    const [record] = await recorded(1);
    expect(record).toMatchObject({ action: 'reject_all', surface: 'banner', analytics: false });
  });

  it('lets scripts and frames wait, and clears the cookies of what is withdrawn', async () => {
    await configure({ services: [COUNTER], categories: ['analytics', 'marketing'] });
    pages['/'] = sitePage({
      head: `<script type="text/plain" data-category="analytics" data-src="/counter.js" data-site="7"></script>`,
      body: `<iframe title="A map" data-category="marketing" data-src="/map"></iframe>`,
    });
    pages['/tea/green'] = pages['/'];
    const opened = await open('/tea/green');
    await button(opened, 'Customize').click();
    expect(await opened.evaluate(() => window.ran)).toEqual([]);
    await opened.getByRole('switch', { name: 'Analytics' }).click();
    await button(opened, 'Save settings').click();
    expect(await recorded(1)).toMatchObject([{ analytics: true, marketing: false, surface: 'preferences' }]);
    await until('the script ran', async () => (await opened.evaluate(() => window.ran.length)) === 1);
    expect(await opened.locator('script[data-site="7"]').getAttribute('src')).toBe('/counter.js');
    expect(await opened.locator('iframe').getAttribute('src')).toBeNull();

    await opened.evaluate(() => {
      const cookies = ['_c_1=a;path=/', '_c_2=b;path=/;domain=example.com', '_c_3=c', '_c_4=d;path=/tea/'];
      for (const cookie of [...cookies, 'basket=full;path=/']) document.cookie = cookie;
    });
    expect(await opened.evaluate(() => document.cookie.split(';').length)).toBe(5);
    await button(opened, 'Privacy settings').click();
    const consentId = String((await opened.evaluate(() => window.serviceConsent.choice))?.['id']);
    await opened.getByText(consentId).waitFor();
    const [download] = await Promise.all([
      opened.waitForEvent('download'),
      button(opened, 'Download receipt').click(),
    ]);
    const receipt = JSON.parse(readFileSync(await download.path(), 'utf8')) as Record<string, unknown>;
    expect(receipt).toMatchObject({
      id: consentId,
      projectId: project.id,
      analytics: true,
      marketing: false,
    });
    await button(opened, 'Withdraw consent').dblclick();
    const [, withdrawn] = await recorded(2);
    expect(withdrawn).toMatchObject({ action: 'withdraw', analytics: false, surface: 'link' });
    expect(await opened.evaluate(() => document.cookie)).toBe('basket=full');
    await opened.locator('.second').waitFor({ state: 'hidden' });
    await opened.waitForLoadState('networkidle');
    expect(await records()).toHaveLength(2);
    expect(await problems(opened)).toEqual([]);
  });

  it('loads a frame once, and leaves alone what waits for nothing', async () => {
    await configure({});
    pages['/'] = sitePage({
      body: `<iframe title="A map" data-category="marketing" data-src="/map"></iframe>
        <img alt="Tea" data-category="marketing" src="/map"><script src="/last.js"></script>`,
    });
    const loads = (): number => maps.length;
    const maps: string[] = [];
    let release: () => void = () => {};
    let held: Promise<void> | null = null;
    await context.route('**/last.js', async (route) => {
      await held;
      await route.fulfill({ contentType: 'text/javascript', body: '' });
    });
    context.on('request', (request) => request.frame().parentFrame() && maps.push(request.url()));
    const opened = await open();
    await button(opened, 'Accept all').click();
    await until('the frame is there', () => loads() === 1);
    await button(opened, 'Privacy settings').click();
    await button(opened, 'Save settings').click();
    await recorded(2);
    expect(await opened.locator('img').getAttribute('src')).toBe('/map');

    // The choice is there before the page is.
    held = new Promise((resolve) => (release = resolve));
    const again = opened.reload();
    await until('the frame is there again', () => loads() === 2);
    release();
    await again;
    await button(opened, 'Privacy settings').waitFor();
    await opened.waitForLoadState('networkidle');
    expect(loads()).toBe(2);
  });

  it('takes no dismissed notice for consent, and keeps a refusal until there is another answer', async () => {
    const granted = (opened: Page) =>
      opened.evaluate(async () => {
        await window.serviceConsent.ready;
        const states = window.dataLayer.findLast((entry) => entry[2])?.[2] as
          Record<string, string> | undefined;
        return [...new Set(Object.values(states ?? {}))];
      });
    await configure({ defaultMode: 'notice' });
    const opened = await open();
    await button(opened, 'Got it').click();
    await recorded(1);
    await opened.reload();
    expect(await granted(opened)).toEqual(['granted']);
    expect(await button(opened, 'Got it').isVisible()).toBe(false);

    await configure({ defaultMode: 'opt_in' });
    await opened.reload();
    expect(await granted(opened)).toEqual(['denied']);
    expect(await opened.evaluate(() => window.serviceConsent.choice)).toBeNull();
    await button(opened, 'Reject all').click();
    await recorded(2);

    // Asked again, and nothing is granted until then, though everything would be without a choice.
    const services = [{ name: 'Counter', provider: 'Example Ltd', category: 'analytics' }];
    await configure({ defaultMode: 'opt_out', policyVersion: '2', services });
    await opened.reload();
    await button(opened, 'Do not sell or share my personal information').waitFor();
    expect(await granted(opened)).toEqual(['denied']);
    expect(await problems(opened)).toEqual([]);
  });

  it('asks no more where another tab has answered, or a later page before she came back', async () => {
    await configure({});
    pages['/two'] = sitePage();
    const choice = (opened: Page) => opened.evaluate(() => window.serviceConsent.choice);
    const first = await open();
    await button(first, 'Accept all').waitFor();
    await button(await open(), 'Accept all').click();
    await button(first, 'Accept all').waitFor({ state: 'hidden' });
    expect(await choice(first)).toMatchObject({ analytics: true });
    await recorded(1);

    const keeping = await launchBrowser({ keepsPages: true });
    const opened = await keeping.newPage();
    await opened.goto(`http://www.example.com:${site.port}/`);
    await button(opened, 'Reject all').waitFor();
    await opened.evaluate(() => window.ran.push('the same page'));
    await opened.goto(`http://www.example.com:${site.port}/two`);
    await button(opened, 'Reject all').click();
    await recorded(2);
    await opened.goBack({ waitUntil: 'commit' });
    await button(opened, 'Reject all').waitFor({ state: 'hidden' });
    expect(await opened.evaluate(() => window.ran)).toEqual(['the same page']);
    expect(await choice(opened)).toMatchObject({ analytics: false });
    await keeping.close();
    expect(await records()).toHaveLength(2);
  });

  it('runs no waiting script that has not the page’s nonce', async () => {
    await configure({});
    const waiting = (attributes: string, text: string): string =>
      `<script type="text/plain" data-category="analytics" data-site="7" ${attributes}>ran.push('${text}')</script>`;
    pages['/'] = {
      html: `<!doctype html><title>strict</title><script nonce="${NONCE}">window.ran = []</script>
        <script nonce="${NONCE}" src="${front.url}/cdn/${project.id}/loader.js"></script><body>
        ${waiting(`nonce="${NONCE}"`, 'own')}${waiting('', 'injected')}`,
      headers: {
        'content-security-policy': `default-src 'none'; script-src 'nonce-${NONCE}' 'strict-dynamic'; connect-src ${front.url}; require-trusted-types-for 'script'`,
      },
    };
    const opened = await open();
    await button(opened, 'Accept all').click();
    await until('it ran', async () => (await opened.evaluate(() => window.ran.length)) > 0);
    expect(await opened.evaluate(() => window.ran)).toEqual(['own']);
    // The attribute is empty where a policy came with the page; copied, it takes the nonce away in some browsers.
    expect(await opened.locator('[data-site="7"]').first().getAttribute('nonce')).toBeNull();
  });

  it('asks again for another policy, other categories, and after the months', async () => {
    await configure({ categories: ['analytics'] });
    const opened = await open();
    await button(opened, 'Accept all').click();
    await recorded(1);
    const choice = () =>
      opened.evaluate(async () => (await window.serviceConsent.ready, window.serviceConsent.choice));
    const again = async (): Promise<void> => {
      await opened.reload();
      expect(await choice()).toBeNull();
      await button(opened, 'Accept all').click();
      await until('answered', async () => (await choice()) !== null);
    };
    await opened.reload();
    expect(await choice()).toMatchObject({ analytics: true, marketing: false });
    await configure({ categories: ['analytics'], policyVersion: '2' });
    await again();
    await configure({ categories: ['analytics', 'marketing'], policyVersion: '2' });
    await again();
    const key = `serviceMeta:${project.id}:choice`;
    await opened.evaluate((name) => {
      const store = (window as unknown as { localStorage: Record<string, string> }).localStorage;
      const kept = JSON.parse(store[name] ?? '') as { at: number };
      // A day more than the year.
      store[name] = JSON.stringify({ ...kept, at: kept.at - 366.3 * 86_400_000 });
    }, key);
    await again();
    expect(await problems(opened)).toEqual([]);
  });

  it('honours Global Privacy Control where the rule is opt-out, and says so; asks where it is opt-in', async () => {
    await configure({ regionRules: [{ regions: ['US-CA'], mode: 'opt_out' }] });
    await context.addInitScript(() => {
      Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
    });
    front.region = 'US-CA';
    const opened = await open();
    await opened.getByText('we have opted you out.').waitFor();
    expect(await recorded(1)).toMatchObject([
      {
        action: 'opt_out',
        surface: 'signal',
        language: 'en',
        extra: {
          gpc: true,
          region: 'US-CA',
          theme: 'light',
          device: 'desktop',
          modes: { analytics: 'opt_out', marketing: 'opt_out', preferences: 'opt_out' },
        },
      },
    ]);
    await button(opened, 'Got it').click();
    await opened.reload();
    await button(opened, 'Privacy settings').waitFor();
    expect(await records()).toHaveLength(1);

    front.region = 'US-NV';
    const other = await browser.newContext();
    await other.addInitScript(() => {
      Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
    });
    const asked = await other.newPage();
    await asked.goto(`http://www.example.com:${site.port}/`);
    await button(asked, 'Reject all').waitFor();
    expect(await records()).toHaveLength(1);
    await other.close();
  });

  it('only tells where the rule says so, and speaks the language of the page, of the browser, or its own', async () => {
    const presets = (await (
      await project.request('viewer', 'GET', '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da')
    ).json()) as {
      texts: Record<string, unknown>[];
    };
    const english = presets.texts[0] ?? {};
    const arabic = {
      ...english,
      language: 'ar',
      title: 'اختيارك',
      labels: { acknowledge: 'فهمت', settingsLink: 'الخصوصية' },
    };
    // The default language is not the first.
    await configure({
      defaultMode: 'notice',
      texts: [arabic, ...presets.texts.slice(0, 2)],
      confirmMissingTexts: true,
    });
    const links: (string | null)[][] = [];
    for (const [lang, locale, text, dir] of [
      ['ar-EG', 'en-US', 'فهمت', 'rtl'],
      ['cs', 'de-AT', 'Verstanden', 'ltr'],
      ['cs', 'pl-PL', 'Got it', 'ltr'],
    ] as const) {
      const own = await browser.newContext({ locale });
      pages['/'] = sitePage({ lang });
      const opened = await own.newPage();
      await opened.goto(`http://www.example.com:${site.port}/`);
      await button(opened, text).waitFor();
      expect(await opened.locator('#consent-banner .frame').getAttribute('dir')).toBe(dir);
      expect(await button(opened, 'Reject all').isVisible()).toBe(false);
      await button(opened, text).click();
      const link = opened.locator('#consent-settings-link .frame');
      links.push([await link.getAttribute('lang'), await link.textContent()]);
      // A context that is closed takes what it has not sent yet with it.
      await recorded(links.length);
      await own.close();
    }
    const all = await records();
    expect(links).toEqual([
      ['ar', 'الخصوصية'],
      ['de', 'Datenschutzeinstellungen'],
      ['en', 'Privacy settings'],
    ]);
    expect(all.map(({ language, action, analytics }) => [language, action, analytics])).toEqual([
      ['ar', 'dismiss', true],
      ['de', 'dismiss', true],
      ['en', 'dismiss', true],
    ]);
  });

  it('works in a frame without storage', async () => {
    await configure({});
    pages['/outer'] = {
      html: `<!doctype html><title>outer</title><iframe sandbox="allow-scripts" src="/" width="800" height="600"></iframe>`,
    };
    const opened = await open('/outer');
    const frame = opened.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Reject all' }).click();
    expect(await recorded(1)).toMatchObject([{ action: 'reject_all', surface: 'banner' }]);
  });

  it('counts the visit where the page’s policy lets no banner load', async () => {
    await configure({});
    pages['/'] = sitePage({
      policy: `default-src 'self' ${front.url}; script-src 'self' ${front.url}/cdn/${project.id}/loader.js`,
    });
    await open();
    await until('counted', () => front.requests.some((request) => /POST .*visits 204/.test(request)));
    expect(front.requests.filter((request) => request.includes('banner'))).toEqual([]);
  });

  it('does not show where the site brings its own', async () => {
    await configure({ banner: { enabled: false } });
    const opened = await open();
    await opened.evaluate(() => window.serviceConsent.ready);
    await opened.waitForLoadState('networkidle');
    expect(front.requests.filter((request) => request.includes('banner'))).toEqual([]);
    expect(await opened.locator('#consent-banner').count()).toBe(0);
  });
});

describe('beside what the page does', () => {
  const HOSTILE = `:not(html, body) { color: red !important; display: none !important; opacity: 0 !important;
      visibility: hidden !important; transform: scale(0.1) !important; font-size: 2px !important;
      position: static !important; pointer-events: none !important; filter: blur(9px) !important;
      --accent: lime !important; --bg: red !important }
    *::backdrop { background: black !important }`;
  const DIALOG = '<dialog id="news"><p>News</p><button>Close</button></dialog>';
  type Dialog = { showModal(): void; close(): void; remove(): void };
  const change = (opened: Page, how: keyof Dialog): Promise<void> =>
    opened.evaluate((method) => {
      const dialog = document.querySelector('#news') as unknown as Dialog;
      dialog[method]();
    }, how);
  /** Computed styles and boxes of everything that the layer shows. */
  const lookOf = (opened: Page, layer: string) =>
    opened.locator(`${layer}, ${layer} *`).evaluateAll((all) =>
      all.map((element) => {
        const view = element.ownerDocument.defaultView as unknown as {
          getComputedStyle(of: unknown): Record<string, string>;
        };
        const { color, backgroundColor, display, opacity, visibility, fontSize, fontFamily } =
          view.getComputedStyle(element);
        const { x, y, width, height } = element.getBoundingClientRect();
        return {
          color,
          backgroundColor,
          display,
          opacity,
          visibility,
          fontSize,
          fontFamily,
          x,
          y,
          width,
          height,
        };
      }),
    );

  beforeEach(async () => {
    await context.close();
    context = await browser.newContext({ reducedMotion: 'reduce' });
  });

  it('looks the same under styles that hide, shrink and color everything', async () => {
    await configure({ services: [COUNTER] });
    pages['/hostile.css'] = { html: HOSTILE, headers: { 'content-type': 'text/css' } };
    pages['/hostile'] = sitePage({ head: '<link rel="stylesheet" href="/hostile.css">' });
    const looks: Record<string, unknown>[] = [];
    for (const path of ['/', '/hostile']) {
      const opened = await open(path);
      await button(opened, 'Customize').waitFor();
      expect(await outOfReach(opened, '.first')).toEqual([]);
      const first = await lookOf(opened, '.first');
      await button(opened, 'Customize').click();
      await opened.locator('.second').waitFor();
      looks.push({ first, second: await lookOf(opened, '.second') });
      if (path === '/hostile') await button(opened, 'Reject all').click();
    }
    expect(looks[0]?.first).not.toEqual([]);
    expect(looks[1]).toEqual(looks[0]);
    await recorded(1);
  });

  it.each(['opened before', 'opened afterwards', 'removed while open'])(
    'is in reach beside a modal dialog: %s',
    async (order) => {
      await configure({});
      pages['/'] = sitePage({ body: DIALOG });
      const loadBanner = await hold('**/banner-*.js');
      const opened = await open();
      if (order === 'opened before') await change(opened, 'showModal');
      loadBanner();
      await button(opened, 'Reject all').waitFor();
      if (order !== 'opened before') await change(opened, 'showModal');
      await until(
        'it is inside of the dialog',
        async () => (await opened.locator('dialog#news #consent-banner').count()) === 1,
      );
      if (order === 'removed while open') await change(opened, 'remove');
      else await button(opened, 'Customize').click();
      await until('it is there', () => button(opened, 'Reject all').isVisible());
      await button(opened, 'Reject all').click();
      expect(await recorded(1)).toMatchObject([{ action: 'reject_all' }]);
      expect(await problems(opened)).toEqual([]);
    },
  );

  it('returns to the page with the dialog that it was moved to, and survives a new body', async () => {
    await configure({});
    pages['/'] = sitePage({ body: DIALOG });
    const opened = await open();
    await button(opened, 'Reject all').waitFor();
    await change(opened, 'showModal');
    await opened.locator('dialog#news #consent-banner').waitFor({ state: 'attached' });
    await change(opened, 'close');
    await opened.locator('body > #consent-banner').waitFor({ state: 'attached' });
    await opened.evaluate(() => {
      const { documentElement, body, createElement } = document as unknown as {
        documentElement: { replaceChild(next: object, last: object): void };
        body: object;
        createElement(name: string): object;
      };
      documentElement.replaceChild(createElement.call(document, 'body'), body);
    });
    await button(opened, 'Reject all').click();
    expect(await recorded(1)).toMatchObject([{ action: 'reject_all', surface: 'banner' }]);
    expect(await problems(opened)).toEqual([]);
  });

  it('leaves the focus to a field, and in a frame to the page around it', async () => {
    await configure({});
    const focused = (opened: Page) => opened.evaluate(() => document.activeElement.id);
    pages['/'] = sitePage({ body: '<input id="search" autofocus aria-label="Search">' });
    pages['/framed'] = sitePage();
    pages['/around'] = {
      html: `<!doctype html><title>around</title><input id="search" autofocus aria-label="Search">
        <iframe src="http://shop.example.com:${site.port}/framed" width="800" height="500" title="Shop"></iframe>`,
    };
    for (const path of ['/', '/around']) {
      const opened = await open(path);
      await until('the field has the focus', async () => (await focused(opened)) === 'search');
      await opened.keyboard.type('te');
      const banner = path === '/' ? opened : opened.frameLocator('iframe');
      await banner.getByRole('button', { name: 'Reject all' }).waitFor();
      await opened.keyboard.type('a');
      expect(await focused(opened)).toBe('search');
      expect(await opened.locator('#search').inputValue()).toBe('tea');
    }
    const opened = await open('/framed');
    await until('otherwise it takes it', async () => (await focused(opened)) === 'consent-banner');
  });

  it('grants nothing by what a script has put on every object', async () => {
    await configure({});
    await context.addInitScript({
      content: `Object.assign(Object.prototype, { extend() {}, analytics: true, marketing: true, action: 'accept_all' });
        Array.prototype.last = function () {};`,
    });
    const opened = await open();
    await button(opened, 'Reject all').click();
    // The banner submits after the next paint, a script at once.
    await recorded(1);
    await opened.evaluate(() => window.serviceConsent.submit({ preferences: true }));
    expect(await recorded(2)).toMatchObject([
      { action: 'reject_all', analytics: false, marketing: false, preferences: false },
      { action: 'custom', analytics: false, marketing: false, preferences: true },
    ]);
    expect(await problems(opened)).toEqual([]);
  });
});
