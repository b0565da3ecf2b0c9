// Banner: the time from the response to the second request after the loader's (configuration, then
// banner) until our banner is on the screen, in Chromium, on a page of another origin. Counted up
// to the second frame after it was shown, when the first is certainly painted. And how long a click
// on Accept keeps the page from painting (INP), compared with other banners, each on a separate
// page.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { clickAccept, otherBanners, startPages } from './support/accept.mjs';
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';
import { scaledCount } from './support/scale.mjs';

const LOADS = scaledCount(30, 3);
const WARM_UP_LOADS = 3;
const VISIBLE_MS = 100;
const CLICKS = scaledCount(30, 2);
const INP_MS = 50;
const CHROMIUM = '/usr/bin/chromium';
const PUBLISHED_DEADLINE_MS = 15_000;

export const deadlineMs = 480_000;
export const title = 'Our banner: from the end of its second request to the screen, and a click on Accept';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const service = await startService(scope, database, { environment: { RUN_WORKER: 'true' } });
  const [project] = await database.makeProjects(1);
  if (!project) throw new Error('a project was asked for');
  await publish(service.baseUrl, project.id, await database.makeApiKey(project.id, 'editor'));
  const site = await startSite(scope, `${service.baseUrl}/cdn/${project.id}/loader.js`);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  scope.defer(() => browser.close());
  const loads = [];
  for (let load = 0; load < WARM_UP_LOADS + LOADS; load++) {
    const seen = await look(browser, site);
    if (load >= WARM_UP_LOADS) loads.push(seen);
  }
  const clicks = await acceptEach(scope, browser, site);
  const figures = (/** @type {'shownMs' | 'opaqueMs'} */ name) => loads.map((load) => load[name]);
  const ms = { digits: 0, unit: ' ms' };
  return {
    database: await database.facts(),
    rows: [
      row({
        what: `on the screen, median of ${LOADS} first visits`,
        ours: figures('shownMs'),
        target: { atMost: VISIBLE_MS },
        ...ms,
      }),
      row({
        what: 'on the screen, p95',
        ours: [percentile(figures('shownMs'), 95)],
        target: { atMost: VISIBLE_MS },
        ...ms,
      }),
      row({ what: 'faded in, median', ours: figures('opaqueMs'), ...ms }),
      ...clicks.others.map(({ name, durations }) =>
        row({
          what: `INP of Accept, processor slowed down 4 times, beside ${name}`,
          ours: clicks.ours,
          baseline: durations,
          target: { atMost: INP_MS },
          ...ms,
        }),
      ),
      row({
        what: 'INP of Accept, p95',
        ours: [percentile(clicks.ours, 95)],
        target: { atMost: INP_MS },
        ...ms,
      }),
    ],
    raw: { loads, clicks },
  };
}

/** Turns our banner on, and waits until it is served. @param {string} baseUrl @param {string} projectId @param {string} key */
async function publish(baseUrl, projectId, key) {
  const saved = await fetch(`${baseUrl}/v1/projects/${projectId}/configuration`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ banner: { enabled: true } }),
  });
  if (!saved.ok) throw new Error(`the configuration was answered ${saved.status}: ${await saved.text()}`);
  const deadlineMs = performance.now() + PUBLISHED_DEADLINE_MS;
  while (performance.now() < deadlineMs) {
    const served = await fetch(`${baseUrl}/cdn/${projectId}/config.json`);
    if (served.ok && (await served.json()).banner?.enabled) return;
    await sleep(50);
  }
  throw new Error('the configuration was not published');
}

/** A page of a customer. @param {import('./support/scope.mjs').Scope} scope @param {string} loader */
async function startSite(scope, loader) {
  const html = `<!doctype html><html lang="en"><head><title>A shop</title><script async src="${loader}"></script></head>
    <body><h1>A shop</h1><p>Everything for tea.</p></body></html>`;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' }).end(html);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(undefined)));
  scope.defer(() => server.close());
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
}

/**
 * One first visit, with an empty cache.
 * @param {import('playwright-core').Browser} browser
 * @param {string} site
 * @returns {Promise<{ requests: number, shownMs: number, opaqueMs: number }>}
 */
async function look(browser, site) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    await page.goto(site);
    await page.waitForFunction('window.opaqueAt !== undefined');
    const seen = await page.evaluate(`({
      shownAt, opaqueAt,
      ends: performance.getEntriesByType('resource')
        .filter(({ name }) => /\\/(config\\.json|banner-[^/]*\\.js)$/.test(name)).map(({ responseEnd }) => responseEnd),
    })`);
    const { shownAt, opaqueAt, ends } = /** @type {{ shownAt: number, opaqueAt: number, ends: number[] }} */ (
      seen
    );
    if (ends.length !== 2) throw new Error(`the banner took ${ends.length} requests`);
    const lastEnd = Math.max(...ends);
    return { requests: ends.length, shownMs: shownAt - lastEnd, opaqueMs: opaqueAt - lastEnd };
  } finally {
    await context.close();
  }
}

/**
 * Clicks Accept of each banner in turns, so that what else the machine does affects all of them.
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {import('playwright-core').Browser} browser
 * @param {string} site
 */
async function acceptEach(scope, browser, site) {
  const candidates = otherBanners();
  const pages = await startPages(scope, candidates);
  /** @type {number[]} */
  const ours = [];
  const others = candidates.map(({ name }) => ({ name, durations: /** @type {number[]} */ ([]) }));
  for (let click = 0; click < CLICKS; click++) {
    ours.push(await clickAccept(browser, site, '#consent-banner .first .answer'));
    for (const [index, { accept }] of candidates.entries())
      others[index]?.durations.push(await clickAccept(browser, `${pages}${index}`, accept));
  }
  return { ours, others };
}

/** In the page: looks at each frame whether the banner can be seen in it; the frame after is when it has been painted. */
const WATCH = `(() => {
  const frame = () => {
    const box = document.querySelector('#consent-banner')?.shadowRoot.querySelector('.first');
    const style = box && getComputedStyle(box);
    const area = box?.getBoundingClientRect();
    const isShown = style && style.visibility === 'visible' && Number(style.opacity) > 0 &&
      area.height > 0 && area.top < innerHeight && area.bottom > 0;
    if (isShown && window.shownAt === undefined) requestAnimationFrame(() => { window.shownAt ??= performance.now(); });
    if (isShown && Number(style.opacity) === 1 && window.shownAt !== undefined) window.opaqueAt ??= performance.now();
    if (window.opaqueAt === undefined) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})()`;
