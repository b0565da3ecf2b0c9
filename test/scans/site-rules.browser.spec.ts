import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Json } from '../support/people/json.js';
import { type ScanService, startScanService } from '../support/programs/scan-service.js';

/** How long a redirect takes. */
const HELD_MS = 1_500;
const SKIP = { skipStates: ['reject', 'accept', 'signal'] };

let site: Server;
let service: ScanService;
let robots: (response: ServerResponse) => void;
/** Paths of pages with the time of their request. */
let visits: { path: string; at: number }[];

beforeAll(async () => {
  site = createServer((request, response) => serve(request.url ?? '', response));
  await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
  service = await startScanService({
    SCANNER_ALLOWED_PRIVATE_TARGETS: new URL(at('/')).host,
    SCANNER_STATE_PAGES: '1',
    SCANNER_DWELL_SECONDS: '1',
  });
});
afterAll(async () => {
  await service?.stop();
  site?.closeAllConnections();
  site?.close();
});
beforeEach(() => {
  visits = [];
});

function at(path: string): string {
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`;
}

function serve(path: string, response: ServerResponse): void {
  if (path === '/favicon.ico') return void response.writeHead(404).end();
  if (path === '/robots.txt') return robots(response);
  if (path === '/sitemap.xml.gz') {
    const urls = ['/from-sitemap', '/private/from-sitemap'].map(
      (each) => `<url><loc>${at(each)}</loc></url>`,
    );
    return void response.end(gzipSync(`<urlset>${urls.join('')}</urlset>`));
  }
  if (path === '/sitemap.xml') return void response.writeHead(404).end();
  visits.push({ path, at: Date.now() });
  if (path === '/held') {
    setTimeout(() => response.writeHead(302, { location: '/landing' }).end(), HELD_MS);
    return;
  }
  response.setHeader('content-type', 'text/html');
  response.end(`<!doctype html>${service.loaderTag}<a href="/linked">a</a><a href="/private/linked">b</a>`);
}

/** A scan that has ended, with the status or the reason of each page by its path. */
async function scan(given: Json = {}): Promise<{ scan: Json; pages: Record<string, unknown> }> {
  const scanned = await service.scan({ ...SKIP, urls: [at('/')], ...given });
  const pages = (scanned['pageList'] as Json[]).map(({ url, status, reason }) => [
    String(url).slice(at('').length),
    (reason as Json | null)?.['code'] ?? status,
  ]);
  return { scan: scanned, pages: Object.fromEntries(pages) as Record<string, unknown> };
}

const text = (content: string) => (response: ServerResponse) => void response.end(content);
const gaps = (): number[] => visits.slice(1).map((visit, index) => visit.at - (visits[index]?.at ?? 0));

it('names pages that robots.txt denies, takes pages of sitemaps, and waits as asked', async () => {
  robots = text(
    `User-agent: *\nDisallow: /\n\nUser-agent: Service-Scanner\nDisallow: /private\nCrawl-delay: 2\nSitemap: /sitemap.xml.gz`,
  );
  const { scan: scanned, pages } = await scan();
  expect(scanned).toMatchObject({ status: 'completed', reason: null });
  expect(pages).toEqual({
    '/': 'visited',
    '/linked': 'visited',
    '/private/linked': 'robots_denied',
    '/from-sitemap': 'visited',
    '/private/from-sitemap': 'robots_denied',
  });
  // Sitemaps are read once the first page has verified the host; the state before a choice follows the crawl.
  expect(visits.map(({ path }) => path)).toEqual(['/', '/linked', '/from-sitemap', '/']);
  expect(Math.min(...gaps())).toBeGreaterThanOrEqual(1_700);
});

it('counts the pause from the last request of a page, also between the crawl and a state', async () => {
  robots = text('User-agent: *\nCrawl-delay: 2');
  await scan({ urls: ['/held', '/linked'].map(at) });
  const pages = visits.filter(({ path }) => path !== '/private/linked');
  expect(pages.map(({ path }) => path)).toEqual(['/held', '/landing', '/linked', '/held', '/landing']);
  const afterRedirect = [2, 3].map((index) => (pages[index]?.at ?? 0) - (pages[index - 1]?.at ?? 0));
  expect(Math.min(...afterRedirect)).toBeGreaterThanOrEqual(1_900);
});

it('ignores robots.txt of a verified host on request', async () => {
  robots = text('User-agent: *\nDisallow: /private');
  const { pages } = await scan({ ignoreRobots: true });
  expect(pages).toMatchObject({ '/private/linked': 'visited' });
  expect(Math.min(...gaps())).toBeGreaterThanOrEqual(700);
});

it('visits nothing where robots.txt denies everything, or the server fails to return it', async () => {
  robots = text('User-agent: *\nDisallow: /');
  expect(await scan()).toMatchObject({
    scan: { status: 'partial', reason: { code: 'robots_denied' } },
    pages: { '/': 'robots_denied' },
  });
  robots = (response) => void response.writeHead(503).end();
  expect(await scan()).toMatchObject({
    scan: { status: 'partial', reason: { code: 'robots_denied' } },
    pages: { '/': 'robots_unavailable' },
  });
  expect(visits).toEqual([]);
});
