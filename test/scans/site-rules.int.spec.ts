import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SiteRules } from '../../src/scanner/run/site-rules.js';
import { GuardedProxy, REQUEST_LIMIT } from '../../src/scanner/browser/guarded-proxy.js';
import { SiteFileReader } from '../../src/scanner/site/site-file.js';
import { parseExceptions } from '../../src/platform/network/address-policy.js';
import { NameResolver } from '../../src/platform/network/name-resolver.js';

let server: Server;
let proxy: GuardedProxy;
let rules: SiteRules;
/** The site's files, by path. */
let files: Record<string, string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void)>;
let requested: IncomingMessage[];

beforeAll(async () => {
  server = createServer((request, response) => {
    requested.push(request);
    const file = files[request.url ?? ''];
    if (typeof file === 'function') return file(request, response);
    response.statusCode = file === undefined ? 404 : 200;
    response.end(file);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(async () => {
  files = {};
  requested = [];
  const exceptions = parseExceptions([`127.0.0.1:${port()}`]);
  proxy = new GuardedProxy({
    resolver: new NameResolver({ timeoutMs: 1_000, servers: ['127.0.0.1:9'] }),
    exceptions,
    excludedHosts: [],
    connectTimeoutMs: 1_000,
    pageBytesMax: 50_000_000,
    requestLimit: REQUEST_LIMIT,
  });
  const reader = new SiteFileReader(proxy, {
    port: await proxy.listen(),
    userAgent: 'Mozilla Service-Scanner/1.0',
  });
  rules = new SiteRules({
    reader,
    scope: {
      domains: ['shop.example'],
      allowedTargets: exceptions.targets,
      excludedHosts: ['never.shop.example'],
      production: false,
    },
    agent: 'Service-Scanner',
    signal: new AbortController().signal,
  });
});
afterEach(() => proxy.close());

const port = (): number => (server.address() as AddressInfo).port;
const at = (path: string): string => `http://127.0.0.1:${port()}${path}`;
const paths = (): string[] => requested.map(({ url = '' }) => url);

function sitemap(urls: readonly string[]): string {
  const entries = urls.map((url) => `<url><loc>${url}</loc></url>`).join('');
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;
}

function index(urls: readonly string[]): string {
  return `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
}

describe('robots.txt', () => {
  it('is read once, by the name of the scanner', async () => {
    files['/robots.txt'] = 'User-agent: *\nDisallow: /private\nCrawl-delay: 2';
    const robots = await rules.robotsOf(at('/a'));
    expect([robots.refusalOf(at('/private/1')), robots.refusalOf(at('/a'))]).toEqual(['robots_denied', null]);
    expect(robots.delayMs).toBe(2_000);
    expect(await rules.robotsOf(at('/b'))).toBe(robots);
    expect(paths()).toEqual(['/robots.txt']);
    expect(requested[0]?.headers['user-agent']).toBe('Mozilla Service-Scanner/1.0');
  });

  it('is followed over five redirects, and not over six', async () => {
    for (const [from, to] of [1, 2, 3, 4, 5].map((step) => [step - 1, step]))
      files[from === 0 ? '/robots.txt' : `/r${from}`] = (_, response) =>
        response.writeHead(302, { location: `/r${to}` }).end();
    files['/r5'] = 'User-agent: *\nDisallow: /';
    expect((await rules.robotsOf(at('/'))).refusalOf(at('/'))).toBe('robots_denied');
  });

  it('counts as missing where redirects do not end', async () => {
    files['/robots.txt'] = (_, response) => response.writeHead(302, { location: '/robots.txt' }).end();
    expect((await rules.robotsOf(at('/'))).refusalOf(at('/'))).toBeNull();
    expect(requested).toHaveLength(6);
  });

  it('is not read where a redirect leads to a private address', async () => {
    files['/robots.txt'] = (_, response) =>
      response.writeHead(302, { location: `http://127.0.0.2:${port()}/x` }).end();
    expect((await rules.robotsOf(at('/'))).refusalOf(at('/'))).toBeNull();
    expect(paths()).toEqual(['/robots.txt']);
  });

  it('that the server fails to return allows nothing', async () => {
    files['/robots.txt'] = (_, response) => response.writeHead(500).end();
    expect((await rules.robotsOf(at('/'))).refusalOf(at('/'))).toBe('robots_unavailable');
  });

  it('is cut at 500 KiB', async () => {
    const filler = `# ${'x'.repeat(500 * 1024)}`;
    files['/robots.txt'] = `User-agent: *\nDisallow: /early\n${filler}\nDisallow: /late`;
    const robots = await rules.robotsOf(at('/'));
    expect([robots.refusalOf(at('/early')), robots.refusalOf(at('/late'))]).toEqual(['robots_denied', null]);
  });
});

describe('sitemaps', () => {
  it('are those of robots.txt, then /sitemap.xml, each once', async () => {
    files['/robots.txt'] = `Sitemap: ${at('/a.xml')}\nSitemap: /b.xml\nSitemap: ${at('/a.xml')}`;
    files['/a.xml'] = sitemap([at('/from-a')]);
    files['/b.xml'] = gzipSync(sitemap([at('/from-b')]));
    files['/sitemap.xml'] = sitemap([at('/from-usual'), at('/from-a')]);
    expect(await rules.newPages(at('/'))).toEqual([at('/from-a'), at('/from-b'), at('/from-usual')]);
    expect(await rules.newPages(at('/other'))).toEqual([]);
    expect(paths()).toEqual(['/robots.txt', '/a.xml', '/b.xml', '/sitemap.xml']);
  });

  it('name only addresses that may be scanned', async () => {
    files['/sitemap.xml'] = sitemap([
      at('/here#part'),
      'https://other.example/',
      `http://127.0.0.1:${port() === 9 ? 10 : 9}/`,
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://never.shop.example/',
      'https://www.shop.example/a?b=1&amp;c=2',
    ]);
    expect(await rules.newPages(at('/'))).toEqual([at('/here'), 'https://www.shop.example/a?b=1&c=2']);
  });

  it('are read through indexes, two levels deep and not in circles', async () => {
    files['/sitemap.xml'] = index([at('/1.xml'), at('/sitemap.xml'), 'https://other.example/s.xml']);
    files['/1.xml'] = index([at('/2.xml'), at('/1.xml')]);
    files['/2.xml'] = index([at('/3.xml')]);
    files['/3.xml'] = sitemap([at('/too-deep')]);
    expect(await rules.newPages(at('/'))).toEqual([]);
    expect(paths()).toEqual(['/robots.txt', '/sitemap.xml', '/1.xml', '/2.xml']);
  });

  it('are 50 at most', async () => {
    files['/sitemap.xml'] = index(Array.from({ length: 200 }, (_, each) => at(`/${each}.xml`)));
    await rules.newPages(at('/'));
    expect(requested).toHaveLength(1 + 50);
  });

  it('of 100,000 addresses give pages of each template', async () => {
    const products = Array.from({ length: 99_999 }, (_, each) => at(`/product/${each}`));
    files['/sitemap.xml'] = sitemap([...products, at('/terms'), at('/beyond-the-limit')]);
    const pages = await rules.newPages(at('/'));
    expect(pages).toHaveLength(7);
    expect(pages.at(-1)).toBe(at('/terms'));
  });

  it('that unpack to far more than they are do no harm', async () => {
    // 200 MB of blanks before the only address, in 200 kB.
    const blanks = Buffer.alloc(200_000_000, ' ');
    const bomb = gzipSync(
      Buffer.concat([Buffer.from('<urlset>'), blanks, Buffer.from(`<url><loc>${at('/x')}</loc></url>`)]),
    );
    files['/sitemap.xml'] = bomb;
    const before = process.memoryUsage().rss;
    expect(await rules.newPages(at('/'))).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it.each([
    [
      'entities that expand',
      `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>`,
    ],
    ['endless nesting', '<a>'.repeat(100_000)],
    ['one endless address', `<urlset><url><loc>http://${'a'.repeat(5_000_000)}</loc></url></urlset>`],
    ['noise', randomBytes(100_000)],
    ['noise after the signature of gzip', Buffer.concat([Buffer.from([0x1f, 0x8b]), randomBytes(10_000)])],
    ['an address of another element', '<urlset><other><loc>http://127.0.0.1/</loc></other></urlset>'],
    ['nothing', ''],
  ])('with %s give no pages', async (_, content) => {
    files['/sitemap.xml'] = content;
    expect(await rules.newPages(at('/'))).toEqual([]);
  });

  it('keep what precedes an error', async () => {
    files['/sitemap.xml'] = `<urlset><url><loc>${at('/first')}</loc></url><url><loc>`;
    expect(await rules.newPages(at('/'))).toEqual([at('/first')]);
  });
});
