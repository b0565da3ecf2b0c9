import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type FarmAddresses, type Route, text } from './technique.js';

const GIGABYTE = 1e9;
const CHUNK = Buffer.alloc(1e6, 'a');
const SITEMAP_PAGES = 100_000;

/** A page that a scan must survive. */
export interface Trap {
  name: string;
  found: string;
  /** Host and path of its start address. */
  start: [host: string, path: string];
  /** Possible results of its page: `visited`, or why it failed or was skipped. */
  outcomes: string[];
}

export const CALENDAR = 'calendar.farm.example';
export const SITEMAP = 'sitemap.farm.example';
export const BOMB = 'bomb.farm.example';
export const LOGIN = 'login.farm.example';

export const TRAPS: Trap[] = [
  {
    name: 'Infinite calendar',
    found: 'three pages of its template; the others as `same_template`',
    start: [CALENDAR, '/'],
    outcomes: ['visited'],
  },
  {
    name: 'Sitemap of 100,000 addresses',
    found: 'six addresses of its template; three of them visited',
    start: [SITEMAP, '/'],
    outcomes: ['visited'],
  },
  {
    name: 'Gzip bomb as sitemap',
    found: 'nothing: it is read up to 50 MB',
    start: [BOMB, '/'],
    outcomes: ['visited'],
  },
  {
    name: 'Gzip bomb as page (1 GB)',
    found: 'page, failed as `timeout` or `memory_limit`',
    start: [BOMB, '/bomb'],
    outcomes: ['timeout', 'memory_limit'],
  },
  {
    name: 'Dialogs without end',
    found: 'page, failed as `timeout`; the dialogs are counted',
    start: ['dialogs.farm.example', '/'],
    outcomes: ['timeout'],
  },
  {
    name: 'Image of 1 GB',
    found: 'page, failed as `too_large`',
    start: ['image.farm.example', '/'],
    outcomes: ['too_large'],
  },
  {
    name: 'Tab that crashes',
    found: 'page, failed as `crashed`',
    start: ['crash.farm.example', '/'],
    outcomes: ['crashed'],
  },
  {
    name: 'Login wall',
    found: 'only the login page; no form is filled in or sent',
    start: [LOGIN, '/account'],
    outcomes: ['visited'],
  },
  {
    name: 'robots.txt that denies everything',
    found: 'page, skipped as `robots_denied`',
    start: ['robots.farm.example', '/'],
    outcomes: ['robots_denied'],
  },
  {
    name: 'Redirects in a circle',
    found: 'page, failed as `connection_failed`',
    start: ['circle.farm.example', '/'],
    outcomes: ['connection_failed'],
  },
  {
    name: 'Page that never ends',
    found: 'page, failed as `timeout`',
    start: ['endless.farm.example', '/'],
    outcomes: ['timeout'],
  },
  {
    name: 'Downloads and pop-ups',
    found: 'page; refused ones are counted',
    start: ['popups.farm.example', '/'],
    outcomes: ['visited'],
  },
];

const page =
  (body: (farm: FarmAddresses, path: string) => string): Route =>
  (request, response, farm) =>
    text(response, 'text/html', `<!doctype html>${farm.loaderTag}<body>${body(farm, request.url ?? '')}`);

/** Each month leads to the next one and the one before. */
const calendar = page((_farm, path) => {
  const [, year = '2026', month = '1'] = /^\/(\d+)\/(\d+)$/.exec(path) ?? [];
  const at = Number(year) * 12 + Number(month) - 1;
  const link = (each: number): string => `<a href="/${Math.floor(each / 12)}/${(each % 12) + 1}">month</a>`;
  return link(at - 1) + link(at + 1);
});

export const TRAP_HOSTS: Record<string, Record<string, Route>> = {
  [CALENDAR]: { '*': calendar },
  [SITEMAP]: {
    '/sitemap.xml': (_request, response, { https }) => {
      const entries = Array.from(
        { length: SITEMAP_PAGES },
        (_, number) => `<url><loc>${https(SITEMAP, `/article/${number}`)}</loc></url>`,
      );
      text(response, 'application/xml', `<urlset>${entries.join('')}</urlset>`);
    },
    '*': page(() => 'Article'),
  },
  [BOMB]: {
    '/sitemap.xml': (_request, response) => sendBomb(response, '<urlset><url><loc>'),
    '/bomb': (_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.setHeader('content-encoding', 'gzip');
      sendBomb(response, '<!doctype html><p>');
    },
    '/': page(() => 'A page before the bomb'),
  },
  'dialogs.farm.example': { '/': page(() => '<script>for (;;) alert(1)</script>') },
  'image.farm.example': {
    '/': page(() => '<img src="/huge.bmp">'),
    '/huge.bmp': (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/bmp' });
      sendGigabyte(response, bitmapHeader());
    },
  },
  'crash.farm.example': {
    '/': page(
      () => '<script>const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length + 0.5))</script>',
    ),
  },
  [LOGIN]: {
    '/account': (_request, response) =>
      void response.writeHead(302, { 'set-cookie': 'login_cookie=1', location: '/login' }).end(),
    '/login': page(
      () =>
        '<form method="post" action="/session"><input name="user"><input type="password" name="password"><button>Accept all</button></form>',
    ),
  },
  'robots.farm.example': {
    '/robots.txt': (_request, response) => text(response, 'text/plain', 'User-agent: *\nDisallow: /'),
    '/': page(() => 'Not for scanners'),
  },
  'circle.farm.example': {
    '/': (_request, response) => void response.writeHead(302, { location: '/' }).end(),
  },
  'endless.farm.example': {
    '/': (_request, response) => {
      response.setHeader('content-type', 'text/html');
      const writing = setInterval(() => response.write('<p>more</p>'), 100);
      response.on('close', () => clearInterval(writing));
    },
  },
  'popups.farm.example': {
    '/': page(() => '<iframe src="/file.zip"></iframe><script>open("/other")</script>'),
    '/file.zip': (_request, response) => text(response, 'application/zip', 'PK'),
  },
};

/**
 * Of a small picture without compression: any bytes may follow, and the page reaches its limit of bytes, not the browser's
 * limit of memory.
 */
function bitmapHeader(): Buffer {
  const [width, height] = [16, 16];
  const header = Buffer.alloc(54);
  header.write('BM');
  header.writeUInt32LE(header.length + width * height * 3, 2);
  header.writeUInt32LE(header.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  return header;
}

/** A gigabyte in about a megabyte. */
function sendBomb(response: ServerResponse, head: string): void {
  pipeline(gigabyte(Buffer.from(head)), createGzip(), response, () => {});
}

function sendGigabyte(response: ServerResponse, head: Buffer): void {
  pipeline(gigabyte(head), response, () => {});
}

function gigabyte(head: Buffer): Readable {
  return Readable.from(chunks(head), { objectMode: false });
}

function* chunks(head: Buffer): Generator<Buffer> {
  yield head;
  for (let sent = 0; sent < GIGABYTE; sent += CHUNK.length) yield CHUNK;
}
