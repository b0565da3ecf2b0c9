// How long a click on Accept keeps the page from painting (INP: from the input to the next frame,
// Event Timing), on a processor slowed down four times, for our banner and for others, each on a
// separate page.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const SLOWDOWN = 4;
/** The browser reports interactions from this duration on; a shorter one counts as this long. */
const REPORTED_MIN_MS = 16;
/** Reports follow the frame. */
const REPORT_WAIT_MS = 400;

const require = createRequire(import.meta.url);
/** @param {string} name */
const file = (name) => readFileSync(require.resolve(name), 'utf8');

/**
 * @typedef {{ name: string, head: string, accept: string }} Candidate
 */

/** Other banners with all that they need in the page, as their documentation starts them. @returns {Candidate[]} */
export function otherBanners() {
  const texts = { title: 'Cookies', description: 'May we use cookies?' };
  const cookieConsent = {
    // Otherwise it does not show itself to an automated browser.
    hideFromBots: false,
    categories: { necessary: { readOnly: true }, analytics: {}, marketing: {}, preferences: {} },
    language: {
      default: 'en',
      translations: {
        en: {
          consentModal: {
            ...texts,
            acceptAllBtn: 'Accept all',
            acceptNecessaryBtn: 'Reject all',
            showPreferencesBtn: 'Customize',
          },
          preferencesModal: { title: 'Cookies', sections: [] },
        },
      },
    },
  };
  const klaro = {
    acceptAll: true,
    mustConsent: false,
    services: ['analytics', 'marketing', 'preferences'].map((name) => ({ name, purposes: [name] })),
  };
  return [
    {
      name: 'vanilla-cookieconsent 3.1.0',
      head:
        `<style>${file('vanilla-cookieconsent/dist/cookieconsent.css')}</style>` +
        `<script>${file('vanilla-cookieconsent/dist/cookieconsent.umd.js')}</script>` +
        `<script>addEventListener('DOMContentLoaded', () => CookieConsent.run(${JSON.stringify(cookieConsent)}))</script>`,
      accept: '#cc-main .cm__btn[data-role="all"]',
    },
    {
      name: 'klaro 0.7.22',
      head: `<script>var klaroConfig = ${JSON.stringify(klaro)}</script><script defer src="/klaro.js"></script>`,
      accept: '.klaro .cm-btn-success',
    },
  ];
}

/**
 * A site with one page for each candidate.
 * @param {import('./scope.mjs').Scope} scope
 * @param {Candidate[]} candidates
 * @returns {Promise<string>}
 */
export async function startPages(scope, candidates) {
  const klaro = file('klaro/dist/klaro.js');
  const server = createServer((request, response) => {
    if (request.url === '/klaro.js')
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(klaro);
    const head = candidates[Number(request.url?.slice(1))]?.head ?? '';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
      .end(`<!doctype html><html lang="en"><head><title>A shop</title>${head}</head>
        <body><h1>A shop</h1><p>Everything for tea.</p></body></html>`);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(undefined)));
  scope.defer(() => server.close());
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
}

/**
 * The duration of the longest part of one click on Accept, in a new browser profile.
 * @param {import('playwright-core').Browser} browser
 * @param {string} address
 * @param {string} accept
 */
export async function clickAccept(browser, address, accept) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(OBSERVE);
    await page.goto(address);
    const button = page.locator(accept).first();
    await button.waitFor();
    // The page's remaining work belongs to its start.
    await page.waitForTimeout(REPORT_WAIT_MS);
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    await button.click();
    await page.waitForTimeout(REPORT_WAIT_MS * SLOWDOWN);
    const durations = /** @type {number[]} */ (await page.evaluate('interactions'));
    return Math.max(REPORTED_MIN_MS, ...durations);
  } finally {
    await context.close();
  }
}

/** In the page: the durations of all parts of interactions. */
const OBSERVE = `(() => {
  window.interactions = [];
  const keep = (list) => list.getEntries().forEach(({ interactionId, duration }) => interactionId && interactions.push(duration));
  new PerformanceObserver(keep).observe({ type: 'event', durationThreshold: ${REPORTED_MIN_MS}, buffered: true });
})()`;
