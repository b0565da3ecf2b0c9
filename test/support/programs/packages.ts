import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const VITE = resolve('node_modules', 'vite', 'bin', 'vite.js');
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };

/** Builds the packages into their folders. */
export function buildPackages(): void {
  execFileSync(process.execPath, [join('scripts', 'build-packages.mjs')], { stdio: 'inherit' });
}

/** Builds the example of a package with vite: its page into `out`, and its server into `out/server`, if it has one. */
export function buildExample(
  name: string,
  { loaderUrl, out, server }: { loaderUrl: string; out: string; server?: string },
): void {
  const build = (...args: string[]) =>
    execFileSync(process.execPath, [VITE, 'build', '--logLevel', 'error', '--emptyOutDir', ...args], {
      cwd: join('packages', name, 'example'),
      env: { ...process.env, VITE_LOADER_URL: loaderUrl },
      stdio: 'inherit',
    });
  build('--outDir', out);
  if (server !== undefined) build('--ssr', server, '--outDir', join(out, 'server'));
}

/**
 * Serves a built example. `render` renders its page for a request; absent: the built page is
 * served.
 */
export async function serveExample(
  out: string,
  render: (page: string, cookieHeader: string | undefined) => string = (page) => page,
): Promise<{ port: number; close(): Promise<void> }> {
  const page = readFileSync(join(out, 'index.html'), 'utf8');
  const server: Server = createServer((request: IncomingMessage, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const isAsset = /^\/assets\/[\w.-]+$/.test(path);
    if (!isAsset && path !== '/' && path !== '/video.html') {
      // Browsers ask for an icon, and log a 404 as an error of the page.
      response.writeHead(path === '/favicon.ico' ? 204 : 404).end();
      return;
    }
    const type = isAsset ? TYPES[extname(path)] : 'text/html; charset=utf-8';
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
    if (isAsset) response.end(readFileSync(join(out, path)));
    else response.end(path === '/' ? render(page, request.headers.cookie) : '<p>A video.</p>');
  });
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

/** The function that a built server exports. */
export async function importRender(out: string): Promise<(page: string, cookie?: string) => string> {
  const file = pathToFileURL(join(out, 'server', 'server.js')).href;
  return ((await import(file)) as { render: (page: string, cookie?: string) => string }).render;
}
