import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
/** Chromium without its windows: opening a page takes half as long. */
export const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Debian's Chromium. Every host name is this machine, so that a test may use any; `hosts` has other rules.
 * `keepsPages`: going back restores a page from the back/forward cache, as in people's browsers and unlike in
 * Playwright's.
 */
export function launchBrowser({ keepsPages = false, hosts = 'MAP * 127.0.0.1' } = {}): Promise<Browser> {
  return chromium.launch({
    // The shell keeps no pages.
    executablePath: keepsPages ? CHROMIUM : HEADLESS_SHELL,
    ignoreDefaultArgs: keepsPages ? ['--disable-back-forward-cache'] : [],
    args: [...QUIET, `--host-resolver-rules=${hosts}`],
  });
}

export interface TestServer {
  port: number;
  close(): Promise<void>;
}

async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** A page of a customer's site. */
export interface SitePage {
  html: string;
  headers?: Record<string, string>;
  /** How long the response takes. */
  delayMs?: number;
}

/** A customer's website on a free port; `pages` may be changed while it runs. */
export async function startSite(pages: Record<string, SitePage>): Promise<TestServer> {
  return serve((request, response) => {
    const page = pages[(request.url ?? '').split('?')[0] ?? ''];
    if (!page) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      ...page.headers,
    });
    if (page.delayMs === undefined) response.end(page.html);
    else setTimeout(() => response.end(page.html), page.delayMs);
  });
}

/** A proxy in front of the service, like a CDN: it sets the country header and may be unavailable. */
export interface Front extends TestServer {
  /** As the browser sees the service. */
  url: string;
  /** Sent to the service. */
  country: string | null;
  /** Sent to the browser, as an edge does in front of a bucket. */
  region: string | null;
  away: boolean;
  /** Status with which consents are refused, before the service hears of them. */
  refusal: number | null;
  /** `METHOD path status` of every request. */
  requests: string[];
  /** `Cookie` headers that arrived. */
  cookies: string[];
}

export async function startFront(serviceUrl: string): Promise<Front> {
  const target = new URL(serviceUrl);
  const front: Front = {
    port: 0,
    url: '',
    country: null,
    region: null,
    away: false,
    refusal: null,
    requests: [],
    cookies: [],
    close: async () => {},
  };
  const server = await serve((request, response) => {
    if (front.away) {
      request.socket.destroy();
      return;
    }
    if (front.refusal !== null && request.method === 'POST') {
      // The page is of another origin.
      response.writeHead(front.refusal, { 'access-control-allow-origin': '*' }).end();
      return;
    }
    if (request.headers.cookie !== undefined) front.cookies.push(request.headers.cookie);
    const headers = { ...request.headers, ...(front.country !== null && { 'cf-ipcountry': front.country }) };
    const onward = httpRequest(
      { host: target.hostname, port: target.port, method: request.method, path: request.url, headers },
      (answer) => {
        front.requests.push(`${request.method} ${request.url} ${answer.statusCode}`);
        response.writeHead(answer.statusCode ?? 502, {
          ...answer.headers,
          ...(front.region !== null && { 'x-service-region': front.region }),
        });
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  return Object.assign(front, server, { url: `http://127.0.0.1:${server.port}` });
}
