import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { SitePage } from '../support/programs/browser.js';
import { BannerSite } from '../support/people/banner-site.js';
import { until } from '../support/until.js';

const NONCE = 'c2VjcmV0';
/** A script and a frame that are blocked until consent. */
const TRACKERS = `<script type="text/plain" data-category="analytics" data-src="/tracker.js" nonce="${NONCE}"></script>
  <iframe data-category="marketing" data-src="/video" title="A film" width="480" height="270"></iframe>`;
const TRACKER_PATHS = ['/tracker.js', '/video'];
const TAILWIND_RESET = `*,::before,::after{box-sizing:border-box;border:0 solid;margin:0;padding:0}
  button{font:inherit;color:inherit;background:transparent;border-radius:0}iframe{display:block;vertical-align:middle}
  ul{list-style:none}a{color:inherit;text-decoration:inherit}`;
const HOSTILE = `*{color:#fff!important;background:#fff!important;font-size:6px!important;visibility:hidden!important;
  transform:scale(.1)!important;pointer-events:none!important} div{display:none!important}`;

const PHONE = { viewport: { width: 375, height: 667 }, hasTouch: true, isMobile: true };
/** An application that draws its elements after it has changed the address. */
const SINGLE_PAGE = `<script nonce="${NONCE}">
  const later = [...document.querySelectorAll('[data-category]')];
  for (const element of later) element.remove();
  setTimeout(() => {
    history.pushState({}, '', '#products');
    document.querySelector('main').innerHTML = '<h1>Products</h1>';
    document.body.append(...later);
  }, 100);
</script>`;
const DENIED_BY_DEFAULT = `<script nonce="${NONCE}">
  window.dataLayer = [];
  function gtag() { dataLayer.push(arguments); }
  gtag('consent', 'default', { ad_storage: 'denied', analytics_storage: 'denied', ad_user_data: 'denied' });
</script>`;

interface Kind {
  head?: string;
  body?: string;
  /** Attributes of `<html>`. */
  html?: string;
  headers?: Record<string, string>;
  options?: Parameters<BannerSite['begin']>[0];
  /** Names of the two buttons; absent: English. */
  names?: [accept: string, reject: string];
  /** Shown in a frame of another page. */
  embedded?: boolean;
}

const strictPolicy = (front: string): string =>
  `default-src 'self' ${front}; script-src 'nonce-${NONCE}' ${front}; require-trusted-types-for 'script'; ` +
  `trusted-types serviceConsent`;

const KINDS: [string, Kind | ((front: string) => Kind)][] = [
  ['plain', {}],
  ['in German', { html: 'lang="de"', names: ['Alle akzeptieren', 'Alle ablehnen'] }],
  ['in Arabic, which the banner lacks', { html: 'lang="ar" dir="rtl"' }],
  ['on a phone', { options: PHONE }],
  [
    'in German on a phone',
    { html: 'lang="de"', names: ['Alle akzeptieren', 'Alle ablehnen'], options: PHONE },
  ],
  ['in the dark', { options: { colorScheme: 'dark' } }],
  ['of one address, whose elements come and go', { body: SINGLE_PAGE }],
  ['of Tag Manager, denied by default', { head: DENIED_BY_DEFAULT }],
  ['with the reset of Tailwind', { head: `<style>${TAILWIND_RESET}</style>` }],
  ['with hostile styles', { head: `<style>${HOSTILE}</style>` }],
  [
    'covered by the highest z-index',
    { body: '<div style="position:fixed;inset:0;z-index:2147483647;background:#fff"></div>' },
  ],
  [
    'with a nonce and Trusted Types',
    (front) => ({ headers: { 'content-security-policy': strictPolicy(front) } }),
  ],
  [
    'with strict-dynamic',
    (front) => ({
      headers: {
        'content-security-policy': `script-src 'nonce-${NONCE}' 'strict-dynamic'; connect-src ${front}; object-src 'none'`,
      },
    }),
  ],
  [
    'whose scripts fail',
    { head: `<script>throw new Error('before')</script>`, body: `<script>nothing.there()</script>` },
  ],
  [
    'with polluted prototypes',
    {
      head: `<script>Object.prototype.extra = 1; Object.prototype.analytics = true;
        Array.prototype.last = function () { return this.at(-1); };</script>`,
    },
  ],
  [
    'with an open dialog',
    {
      body: `<dialog id="open"><p>Sale</p></dialog><script>document.querySelector('#open').showModal()</script>`,
    },
  ],
  [
    'with a sticky footer',
    {
      body: '<footer style="position:fixed;bottom:0;left:0;right:0;height:72px;background:#eee;z-index:999">Offers</footer>',
    },
  ],
  ['embedded in a frame', { embedded: true }],
];

let site: BannerSite;
beforeAll(async () => {
  site = await BannerSite.start();
  site.pages['/tracker.js'] = { html: '', headers: { 'content-type': 'text/javascript' } };
  site.pages['/video'] = { html: '<p>a video</p>' };
});
afterAll(() => site?.close());

function pageOf({ head = '', body = '', html = 'lang="en"', headers = {} }: Kind): SitePage {
  const loader = `${site.front.url}/cdn/${site.project.id}/loader.js`;
  return {
    html: `<!doctype html><html ${html}><head><title>A shop</title>${head}<script nonce="${NONCE}" src="${loader}"></script>
      <meta name="viewport" content="width=device-width, initial-scale=1"></head>
      <body><main><h1>A shop</h1></main>${TRACKERS}${body}</body></html>`,
    headers,
  };
}

/** Opens the page in a new browser profile; `requested` lists the trackers that it has loaded. */
async function visit(kind: Kind): Promise<{ opened: Page; requested: string[] }> {
  await site.begin(kind.options);
  const presets = await site.project.request(
    'viewer',
    'GET',
    '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
  );
  const { texts } = (await presets.json()) as { texts: object[] };
  // English and German.
  await site.configure({ texts: texts.slice(0, 2) });
  site.pages['/shop'] = pageOf(kind);
  site.pages['/'] = kind.embedded
    ? { html: '<!doctype html><title>A portal</title><iframe src="/shop" width="900" height="700"></iframe>' }
    : site.pages['/shop'];
  const requested: string[] = [];
  const opened = await site.context.newPage();
  opened.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (TRACKER_PATHS.includes(path)) requested.push(path);
  });
  await opened.goto(site.address('/'));
  return { opened, requested };
}

/** Width and height in whole pixels. */
async function sizeOf(button: Locator): Promise<number[]> {
  const box = await button.boundingBox();
  return [box?.width ?? 0, box?.height ?? 0].map(Math.round);
}

describe.each(KINDS)('a page %s', (_name, given) => {
  const setUp = async () => {
    const kind = typeof given === 'function' ? given(site.front.url) : given;
    const { opened, requested } = await visit(kind);
    const within = kind.embedded ? opened.frameLocator('iframe').first() : opened;
    const [accept, reject] = (kind.names ?? ['Accept all', 'Reject all']).map((name) =>
      within.getByRole('button', { name, exact: true }),
    );
    if (!accept || !reject) throw new Error('two buttons');
    return { opened, requested, accept, reject };
  };

  it('loads nothing before a choice and after a refusal, with two buttons alike', async () => {
    const { opened, requested, accept, reject } = await setUp();
    const [left, right] = [await sizeOf(accept), await sizeOf(reject)];
    expect(left).toEqual(right);
    expect(left[1]).toBeGreaterThanOrEqual(40);
    expect(requested).toEqual([]);
    await reject.click();
    expect(await site.recorded(1)).toMatchObject([
      { action: 'reject_all', analytics: false, marketing: false },
    ]);
    await opened.reload();
    await opened.waitForTimeout(500);
    expect(await reject.isVisible()).toBe(false);
    expect(requested).toEqual([]);
    await site.context.close();
  });

  it('loads everything after a click on accept, once', async () => {
    const { requested, accept } = await setUp();
    await accept.click();
    expect(await site.recorded(1)).toMatchObject([{ action: 'accept_all' }]);
    await until('loaded', () => requested.length >= TRACKER_PATHS.length);
    expect(requested.toSorted()).toEqual(TRACKER_PATHS);
    await site.context.close();
  });
});
