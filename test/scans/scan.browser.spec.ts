import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/programs/free-port.js';
import type { Json } from '../support/people/json.js';
import { childrenOf } from '../support/programs/processes.js';
import { type ScanService, startScanService } from '../support/programs/scan-service.js';
import { until } from '../support/until.js';

const SCAN_DEADLINE_MS = 100_000;

let site: Server;
let plainPort: number;
let service: ScanService;
/** Requests of the site, by path. */
const visits = new Map<string, number>();
/** Responses that are held back until the test sends them. */
const held: ServerResponse[] = [];

beforeAll(async () => {
  site = createServer((request, response) => {
    const path = request.url ?? '';
    visits.set(path, (visits.get(path) ?? 0) + 1);
    serve(path, response);
  });
  await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
  plainPort = await freePort();
  service = await startScanService({
    // The whole browser.
    SCANNER_CHROMIUM: '',
    SCANNER_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${sitePort()},127.0.0.1:${plainPort}`,
    SCANNER_PAGE_SECONDS: '12',
    SCANNER_STATE_PAGES: '1',
    SCANNER_DWELL_SECONDS: '1',
  });
});
afterAll(async () => {
  await service?.stop();
  site?.closeAllConnections();
  site?.close();
});

function sitePort(): number {
  return (site.address() as AddressInfo).port;
}

const at = (path: string): string => `http://127.0.0.1:${sitePort()}${path}`;

function html(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html>${service.loaderTag}<body>${body}`);
}

/** A site with every way in which a page fails. */
function serve(path: string, response: ServerResponse): void {
  switch (path) {
    case '/':
      return html(
        response,
        ['hang', 'missing', 'file.pdf', 'leave', 'dialogs', 'slow/1', 'slow/2']
          .map((name) => `<a href="/${name}">${name}</a>`)
          .join(''),
      );
    case '/hang':
      return;
    case '/file.pdf':
      response.setHeader('content-type', 'application/pdf');
      return void response.end('%PDF-1.4');
    case '/leave':
      return void response.writeHead(302, { location: 'http://93.184.216.34.example.org/' }).end();
    case '/dialogs':
      return html(response, '<script>alert(1); confirm(2); open("/popup")</script>');
    case '/held/1':
    case '/held/2':
    case '/held/3':
      return void held.push(response);
    default:
      response.statusCode = 404;
      return html(response, 'Not found');
  }
}

/** The crawl and the state before a choice; `states.browser.spec.ts` has the others. */
const SKIP = { skipStates: ['reject', 'accept', 'signal'] };

const scan = (urls?: string[]): Promise<Json> => service.scan({ ...SKIP, ...(urls && { urls }) });

const pagesOf = (scanned: Json): Json[] => scanned['pageList'] as Json[];

async function countRecords(): Promise<unknown[]> {
  const { items } = await service.call<{ items: unknown[] }>('GET', '/consents');
  const { items: hosts } = await service.call<{ items: unknown[] }>('GET', '/analytics/last-seen');
  return [items.length, hosts];
}

describe('the demo shop', () => {
  it('is scanned without an address, and what it does before consent is found', async () => {
    const before = await countRecords();
    const scanned = await scan();
    expect(scanned).toMatchObject({ status: 'completed', reason: null });
    const pages = pagesOf(scanned);
    expect(pages[0]).toMatchObject({
      url: `${service.baseUrl}/demo/shop`,
      status: 'visited',
      loaderFound: true,
    });
    // Three of six products, and the others are named as left out.
    const products = pages.filter(({ url }) => String(url).includes('/product/'));
    expect(products.map(({ status }) => status).toSorted()).toEqual([
      'skipped',
      'skipped',
      'skipped',
      'visited',
      'visited',
      'visited',
    ]);
    const items = await service.items(scanned);
    const first = items.filter(({ page }) => page === 1);
    const cookies = new Map(
      first.filter(({ kind }) => kind === 'cookie').map((item) => [item['name'], item]),
    );
    expect(cookies.get('shop_session')).toMatchObject({ httpOnly: true, setBy: 'response', expiresAt: null });
    expect(cookies.get('campaign')).toMatchObject({ setBy: 'response', valueLength: 6, sameSite: 'Lax' });
    expect(cookies.get('_visits')).toMatchObject({ setBy: 'script', thirdParty: false });
    expect(cookies.get('_ads_id')).toMatchObject({ setBy: 'script' });
    expect(first).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'local_storage', name: 'shop_last_seen', valueLength: 10 }),
        expect.objectContaining({ kind: 'session_storage', name: 'shop_test_group', valueLength: 1 }),
        expect.objectContaining({
          kind: 'request',
          name: '/demo/shop/pixel.gif?page',
          host: service.baseUrl.replace('http://127.0.0.1', 'localhost'),
          thirdParty: true,
          type: 'image',
        }),
        expect.objectContaining({ kind: 'request', name: '/demo/shop/collect?visitor', type: 'ping' }),
      ]),
    );
    expect(items.find(({ name, page }) => name === 'campaign' && page === 2)).toMatchObject({
      sent: true,
      setBy: null,
    });
    // No value leaves the page that set it.
    expect(JSON.stringify(items)).not.toMatch(/a1b2c3d4e5f6|spring|visitor=42/);
    expect(await countRecords()).toEqual(before);
  });
});

describe('pages that fail', () => {
  it('are named with their reason, and the scan ends as partial', async () => {
    const scanned = await scan([at('/')]);
    expect(scanned).toMatchObject({ status: 'partial', reason: { code: 'pages_failed' } });
    const reasons = new Map(
      pagesOf(scanned).map(({ url, reason, status }) => [
        String(url).slice(at('').length),
        (reason as Json | null)?.['code'] ?? status,
      ]),
    );
    expect(Object.fromEntries(reasons)).toMatchObject({
      '/': 'visited',
      '/hang': 'timeout',
      '/missing': 'http_error',
      '/file.pdf': 'not_html',
      '/leave': 'redirected_outside',
      '/dialogs': 'visited',
    });
    expect(scanned['refused']).toEqual({ downloads: expect.any(Number), popups: 1, dialogs: 2 });
    for (const count of visits.values()) expect(count).toBeLessThanOrEqual(2);
  });
});

it('resumes a scan whose scanner was killed, and visits no page more than twice', async () => {
  const urls = [at('/held/1'), at('/held/2'), at('/held/3')];
  const id = await service.request({ ...SKIP, urls });
  const answer = (): void => {
    for (const response of held.splice(0)) html(response, 'held');
  };
  await until('the first page is requested', () => held.length > 0, SCAN_DEADLINE_MS);
  answer();
  await until('the second page is requested', () => held.length > 0, SCAN_DEADLINE_MS);
  const killed = childrenOf(service.pid).get('scanner-program.js') ?? 0;
  process.kill(killed, 'SIGKILL');
  held.length = 0;
  await until('another scanner requests the page', () => held.length > 0, SCAN_DEADLINE_MS);
  const answering = setInterval(answer, 50);
  const scanned = await service.ended(id);
  clearInterval(answering);
  expect(scanned).toMatchObject({ status: 'completed' });
  expect(pagesOf(scanned).map(({ status }) => status)).toEqual(['visited', 'visited', 'visited']);
  // The state before a choice visits the first page again.
  expect(['/held/1', '/held/2', '/held/3'].map((path) => visits.get(path))).toEqual([2, 2, 1]);
});

it('loads one page a day of a host without the loader, and clicks nothing there', async () => {
  const loads: string[] = [];
  const plain = createServer(({ url = '' }, response) => {
    loads.push(url);
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><a href="/two">two</a>
      <div role="dialog"><p>We use cookies.</p><button onclick="fetch('/clicked')">Reject all</button></div>`);
  });
  await new Promise<void>((ready) => plain.listen(plainPort, '127.0.0.1', ready));
  try {
    const url = `http://127.0.0.1:${plainPort}/`;
    const first = await service.scan({ urls: [url] });
    expect(first).toMatchObject({ status: 'partial', reason: { code: 'unverified_host' } });
    expect(pagesOf(first).map(({ status }) => status)).toEqual(['visited', 'skipped']);
    const states = (first['states'] as Json[]).map(({ state, status, reason, pages }) => [
      state,
      status,
      (reason as Json)['code'],
      pages,
    ]);
    expect(states).toEqual([
      ['before', 'tested', 'unverified_host', [1]],
      ...['reject', 'accept', 'withdraw', 'signal'].map((state) => [
        state,
        'not_tested',
        'unverified_host',
        [],
      ]),
    ]);
    expect(pagesOf(await scan([url])).map(({ status }) => status)).toEqual(['skipped']);
    expect(loads.filter((path) => path === '/' || path === '/clicked')).toEqual(['/']);
  } finally {
    plain.close();
  }
});

it('ends a running scan on request', async () => {
  const id = await service.request({ urls: [at('/held/1'), at('/held/2')] });
  await until('a page is requested', () => held.length > 0, SCAN_DEADLINE_MS);
  expect(await service.call('POST', `/scans/${id}/cancel`)).toMatchObject({ status: 'canceled' });
  // The next scan begins: the scanner is free again.
  for (const response of held.splice(0)) response.destroy();
  expect(await scan([at('/missing')])).toMatchObject({ status: 'partial' });
});
