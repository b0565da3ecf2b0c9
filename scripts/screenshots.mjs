// Makes the pictures of docs/images: npm run screenshots. Starts the service with an empty data folder, fills the demo
// project as "npm run ops -- demo records" does, opens each page in Debian's Chromium, and follows the one
// path from signing up to the first record with its delivery and its proof. Needs chromium.
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { SHOP_HEAD, SHOP_STYLE, SHOP_WINDOW } from '../dist/standalone/demo/demo-page.js';
import { startDemoService } from './demo-service.mjs';

const FOLDER = join('docs', 'images');
const CHROMIUM = '/usr/bin/chromium';
/** What loads does so within this; a picture of less is none. */
const SETTLE_MS = 1_200;
const DESKTOP = { width: 1280, height: 720 };
/** High enough for a record, its delivery and the shown banner in one picture. */
const TALL = { width: 1280, height: 1100 };
/** All of it. */
const PRICING = { width: 1280, height: 800 };
/** Size of the small pictures of the main path, shown side by side. */
const LAPTOP = { width: 1024, height: 640 };
const PHONE = { width: 375, height: 800 };
/** Pictures are in the repository for good: a larger one is a mistake. */
const PICTURE_BYTES_MAX = 250_000;
const PASSWORD = 'correct horse battery';

/** Mail goes through the outbox. */
const MAIL_DEADLINE_MS = 10_000;
const MAIL_POLL_MS = 200;
/** Records are sealed every half minute, and covered by the public log in the one after it. */
const SEALED_DEADLINE_MS = 180_000;
const SEALED_POLL_MS = 3_000;

/** A scan of the demo shop in five states takes a minute, on a busy machine several. */
const SCAN_DEADLINE_MS = 600_000;
const SCAN_POLL_MS = 1_000;

/** An endpoint is held after five failures in five seconds. */
const HELD_DEADLINE_MS = 60_000;
const HELD_POLL_MS = 500;

/** A page of the demo project, and the picture's name. */
const PAGES = [
  ['', 'overview'],
  ['/consents', 'consents'],
  ['/deliveries', 'deliveries'],
  ['/analytics', 'analytics'],
  ['/scans', 'scans'],
  ['/cookies', 'cookies'],
  ['/banner', 'banner'],
  ['/install', 'install'],
  ['/settings/consent/records-and-archive', 'records-and-archive'],
  ['/settings/privacy', 'privacy'],
  ['/settings/project', 'project'],
  ['/settings/plan', 'plan'],
  ['/settings/members', 'members'],
  ['/settings/api-keys', 'api-keys'],
  ['/settings/audit', 'audit'],
];

const demo = await startDemoService();
const { base, dataDir } = demo;
let browser;
try {
  mkdirSync(FOLDER, { recursive: true });
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * 127.0.0.1'],
  });
  await takePages(demo.link);
  await takeOnePath();
  listPictures();
} finally {
  await browser?.close();
  await demo.stop();
}

/** Until nothing loads: the page has its title, there is no skeleton, and every picture is there. */
function loaded(page) {
  return page.waitForFunction(
    () =>
      document.querySelector('h1') !== null &&
      document.querySelectorAll('[aria-busy=true], .mantine-Skeleton-root').length === 0 &&
      [...document.images].every(({ complete }) => complete),
  );
}

async function take(page, name, part = page) {
  await loaded(page);
  // The preview is a separate page.
  if (await page.locator('iframe[title="Banner preview"]').isVisible())
    await page.frameLocator('iframe[title="Banner preview"]').locator('#consent-banner .first').waitFor();
  await page.waitForTimeout(SETTLE_MS);
  // What the first answers led to.
  await loaded(page);
  await part.screenshot({ path: join(FOLDER, `${name}.png`) });
}

/** Every page of the demo project, as its owner sees it on a plan with everything. */
async function takePages(link) {
  const context = await browser.newContext({
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL(/\/projects\//);
  const project = new URL(page.url()).pathname;
  await page.request.post(`${base}/v1${project}/tier/simulate`, { data: { tier: 'business' } });
  const scan = await scanDemoShop(page, project);
  for (const [path, name] of PAGES) {
    await page.goto(base + project + path);
    await take(page, name);
  }
  await takeRegions(context, project);
  await page.setViewportSize(TALL);
  await page.goto(`${base}${project}/scans/${scan}`);
  await take(page, 'scan');
  await page.goto(`${base}${project}/consents`);
  // One that was made on the first layer.
  await page
    .getByRole('row', { name: /Accepted all/ })
    .first()
    .getByRole('link', { name: /Open record/ })
    .click();
  await take(page, 'consent', page.getByRole('dialog'));
  await page.setViewportSize(DESKTOP);
  await takeEvents(page, project);
  await page.goto(`${base}/account`);
  await take(page, 'account');
  await page.goto(`${base}/projects`);
  await take(page, 'projects');
  await page.setViewportSize(PRICING);
  await page.goto(`${base}/pricing`);
  await take(page, 'pricing');
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const [path, name] of [
    ['', 'overview-dark'],
    ['/banner', 'banner-dark'],
  ]) {
    await page.goto(base + project + path);
    await take(page, name);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  for (const [path, name] of [
    ['', 'overview-phone'],
    ['/consents', 'consents-phone'],
    ['/deliveries', 'deliveries-phone'],
  ]) {
    await page.goto(base + project + path);
    await take(page, name);
  }
  await context.close();
}

/** Events of the project, with an endpoint that gets them and one that is held. */
async function takeEvents(page, project) {
  const { receiverUrl } = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8'));
  const post = async (path, data) => {
    const answer = await page.request.post(`${base}/v1${project}${path}`, { data });
    if (!answer.ok()) throw new Error(`${path} was refused: ${await answer.text()}`);
    return answer.json();
  };
  const eventTypes = ['configuration.published', 'tier.changed', 'scan.finished', 'scan.finding_opened'];
  const url = new URL('/status/200', receiverUrl).href;
  await post('/event-endpoints', { url, description: 'Scan alerts to the team', eventTypes });
  const held = await post('/event-endpoints', {
    url: 'https://hooks.shop.example/events',
    description: 'Tickets for our developers',
    eventTypes,
  });
  for (const tier of ['lite', 'pro', 'business']) await post('/tier/simulate', { tier });
  for (let waitedMs = 0; ; waitedMs += HELD_POLL_MS) {
    const { state } = await (
      await page.request.get(`${base}/v1${project}/event-endpoints/${held.id}`)
    ).json();
    if (state === 'held') break;
    if (waitedMs > HELD_DEADLINE_MS) throw new Error('the endpoint is not held');
    await page.waitForTimeout(HELD_POLL_MS);
  }
  await page.goto(`${base}${project}/settings/events`);
  await take(page, 'events');
}

/** The rules of all presets, which are not saved. */
async function takeRegions(context, project) {
  const page = await context.newPage();
  await page.setViewportSize(TALL);
  await page.goto(`${base}${project}/banner`);
  await page.getByRole('tab', { name: 'Regions' }).click();
  await page.getByRole('button', { name: 'Add presets by law' }).click();
  await take(page, 'regions');
  await page.close();
}

/** Scans the demo shop, which sets cookies before any choice. Returns the scan's id. */
async function scanDemoShop(page, project) {
  const requested = await page.request.post(`${base}/v1${project}/scans`, {
    data: { urls: [`${base}/demo/shop`] },
  });
  if (!requested.ok()) throw new Error(`the scan was refused: ${await requested.text()}`);
  const { id } = await requested.json();
  for (let waitedMs = 0; waitedMs < SCAN_DEADLINE_MS; waitedMs += SCAN_POLL_MS) {
    const { status } = await (await page.request.get(`${base}/v1${project}/scans/${id}`)).json();
    if (status === 'completed') return id;
    if (status !== 'queued' && status !== 'running') throw new Error(`the scan ended as ${status}`);
    await page.waitForTimeout(SCAN_POLL_MS);
  }
  throw new Error(`the scan has not completed within ${SCAN_DEADLINE_MS / 1_000} s`);
}

/** From signing up to the first record with its delivery and its proof, in eight pictures. */
async function takeOnePath() {
  const context = await browser.newContext({
    viewport: LAPTOP,
    reducedMotion: 'reduce',
    colorScheme: 'light',
  });
  const page = await context.newPage();
  await page.goto(`${base}/sign-in`);
  await take(page, 'sign-in');
  await page.goto(`${base}/sign-up`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Ada Example');
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.com');
  await page.locator('input[name=password]').fill(PASSWORD);
  await take(page, 'path-1-sign-up');
  await page.keyboard.press('Enter');
  await page.getByText('Check your inbox').waitFor();
  await page.goto(await mailedLink(page));
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New project' }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('My shop');
  await page.getByRole('textbox', { name: 'Domains' }).fill('shop.example.com');
  await take(page, 'path-2-site');
  await page.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const project = new URL(page.url()).pathname;
  await page.request.post(`${base}/v1${project}/tier/simulate`, { data: { tier: 'pro' } });
  await page.goto(`${base}${project}/banner`);
  await take(page, 'path-3-banner');
  await page.getByRole('button', { name: 'Review and publish' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForTimeout(SETTLE_MS);
  await page.goto(`${base}${project}/install`);
  await take(page, 'path-4-line');
  await forwardToTheDemo(page, project);
  const site = await startSite(`<script src="${base}/cdn/${project.split('/')[2]}/loader.js"></script>`);
  try {
    const visitor = await context.newPage();
    await visitor.goto(`http://shop.example.com:${site.port}/`);
    await visitor.waitForSelector('#consent-banner .first', { state: 'visible' });
    await visitor.waitForTimeout(SETTLE_MS);
    await visitor.screenshot({ path: join(FOLDER, 'path-5-visitor.png') });
    await visitor.locator('#consent-banner .first .answer >> nth=0').click();
    await visitor.close();
  } finally {
    await site.close();
  }
  await page.getByText(/^Installed. Latest record from/).waitFor();
  await page.getByText(/^Installed\. Last seen/).waitFor();
  await take(page, 'path-6-installed');
  await page.goto(`${base}${project}/consents`);
  await page
    .getByRole('link', { name: /Open record/ })
    .first()
    .click();
  await page.getByText(/returned 204/).waitFor();
  await take(page, 'path-7-record');
  const proof = page.getByRole('region', { name: 'Proof' });
  for (let waitedMs = 0; !(await proof.getByText(/Covered by the public log of all projects/).isVisible());) {
    if (waitedMs > SEALED_DEADLINE_MS) throw new Error('the record is not sealed');
    waitedMs += SEALED_POLL_MS;
    await page.reload();
    await page.waitForTimeout(SEALED_POLL_MS);
  }
  await proof.getByRole('button', { name: 'Verify in this browser' }).click();
  await proof.getByText('Proof verified in your browser').waitFor();
  await proof.getByText('It doesn’t prove who clicked.').scrollIntoViewIfNeeded();
  await take(page, 'path-8-proof');
  await context.close();
}

async function mailedLink(page) {
  for (let waitedMs = 0; waitedMs < MAIL_DEADLINE_MS; waitedMs += MAIL_POLL_MS) {
    const answer = await page.request.get(`${base}/demo/mail`);
    const [link] = /http[^\s"<]+confirm-email\?token=[\w-]+/.exec(await answer.text()) ?? [];
    if (link) return link;
    await page.waitForTimeout(MAIL_POLL_MS);
  }
  throw new Error('no mail brought a link');
}

/** The demo receiver accepts every token that it knows; the demo's own file sets the one of this walk. */
async function forwardToTheDemo(page, project) {
  const { receiverUrl } = JSON.parse(readFileSync(join(dataDir, 'dev-credentials.json'), 'utf8'));
  const token = await page.request.post(`${base}/v1${project}/forwarding/token`);
  const { bearerToken } = await token.json();
  const saved = await page.request.put(`${base}/v1${project}/forwarding`, {
    data: { enabled: true, endpointUrl: receiverUrl, authMode: 'bearer', bearerToken },
  });
  if (!saved.ok()) throw new Error(`forwarding was refused: ${await saved.text()}`);
}

/** A customer's page with the line in it. */
async function startSite(line) {
  const html = `<!doctype html><html lang="en"><head>${line}<meta name="viewport" content="width=device-width, initial-scale=1"><title>My shop</title><style>${SHOP_STYLE}</style></head><body>${SHOP_HEAD}<main>${SHOP_WINDOW}</main></body></html>`;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    port: server.address().port,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

function listPictures() {
  let total = 0;
  for (const file of readdirSync(FOLDER).sort()) {
    const { size } = statSync(join(FOLDER, file));
    total += size;
    console.log(`${String(size).padStart(8)}  ${file}`);
    if (size > PICTURE_BYTES_MAX) throw new Error(`${file} has more than ${PICTURE_BYTES_MAX} bytes`);
  }
  console.log(`${String(total).padStart(8)}  in all`);
}
