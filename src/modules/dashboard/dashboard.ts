import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { Request, RequestHandler, Response } from 'express';
import { DASHBOARD_FOLDER } from '../../platform/http/dashboard-build.js';
import { setNotFoundPage } from '../../platform/http/problem.filter.js';

/**
 * The addresses of the dashboard's pages. A list, so that an unknown address stays a 404 for people and
 * programs alike; people see the dashboard's page for it. The dashboard itself interprets the rest of a page's address.
 */
export const PAGES = [
  '/',
  '/sign-in',
  '/sign-up',
  '/forgotten-password',
  '/confirm-email',
  '/new-password',
  '/confirm-new-email',
  '/accept-invitation',
  '/device',
  '/new-project',
  '/new-organization',
  '/projects',
  '/account',
  '/projects/:projectId',
  '/projects/:projectId/consents',
  '/projects/:projectId/*page',
  '/organizations/:organizationId',
  '/organizations/:organizationId/members',
  '/organizations/:organizationId/settings',
  '/organizations/:organizationId/audit',
];

/** For dashboard developers. */
export const STYLEGUIDE = '/styleguide';

/** Replaced by the response's nonce in the built page. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__';
const NONCE_BYTES = 16;
/** Replaced by whether the page may offer development-only features. */
const ENVIRONMENT_PLACEHOLDER = '__ENVIRONMENT__';
/** Replaced by how this visitor gets a mail. */
const MAIL_PLACEHOLDER = '__MAIL__';
/** The names of built files contain the hash of their content. */
const ASSET_MAX_AGE_SECONDS = 31_536_000;
const ASSET = /^\/[\w.-]+\.(js|css|svg)$/;
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

interface DashboardOptions {
  production: boolean;
  /** Empty: this installation is the only one. */
  cell: string;
  /** How the visitor gets a mail: from a mail server, in the inbox of development, or only from the operator. */
  mailsShown: (request: IncomingMessage) => Promise<'server' | 'inbox' | 'none'>;
}

/** Serves the dashboard: its page under each of its addresses, and the files that the page loads. */
export function mountDashboard(app: NestExpressApplication, options: DashboardOptions): void {
  const { production } = options;
  app.use('/assets', chooseEncoding, assets());
  const html = readHtml(options);
  const preloads = readPreloads();
  const send = (page: string, status?: number) => sendPage(page, { ...options, status });
  const router = express.Router();
  for (const path of production ? PAGES : [...PAGES, STYLEGUIDE])
    router.get(path, send(html.replace('</head>', `${preloads[path] ?? ''}</head>`)));
  router.get(PREVIEW_FRAME, previewFrame());
  app.use(router);
  setNotFoundPage(app, send(html, 404));
}

function readHtml({ production, cell }: DashboardOptions): string {
  const file = join(DASHBOARD_FOLDER, 'index.html');
  if (!existsSync(file)) throw new Error('The dashboard is not built. Run "npm run build".');
  const environment = production ? 'production' : 'development';
  const named = cell === '' ? '' : `<meta name="cell" content="${cell}">`;
  return readFileSync(file, 'utf8')
    .replace(ENVIRONMENT_PLACEHOLDER, environment)
    .replace('</head>', `${named}</head>`);
}

/** Links and scripts for the first requests of a page, by its address (dashboard/page-preloads.ts). */
function readPreloads(): Record<string, string> {
  const file = join(DASHBOARD_FOLDER, 'preloads.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
}

function sendPage(
  html: string,
  { production, mailsShown, status = 200 }: DashboardOptions & { status?: number | undefined },
): RequestHandler {
  return async (request, response) => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.setHeader('Content-Security-Policy', contentSecurityPolicy(nonce, production));
    // Each response has its own nonce.
    response.setHeader('Cache-Control', 'no-store');
    const page = html
      .replaceAll(NONCE_PLACEHOLDER, nonce)
      .replace(MAIL_PLACEHOLDER, await mailsShown(request));
    response.status(status).type('html').send(page);
  };
}

/** Only own files, and the inline scripts of this response. */
function contentSecurityPolicy(nonce: string, production: boolean): string {
  const own = `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    `script-src ${own}`,
    `style-src ${own}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(production ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
}

/** Redirects a request to the compressed file beside the plain one. */
function chooseEncoding(request: Request, response: Response, next: () => void): void {
  response.vary('Accept-Encoding');
  if (!ASSET.test(request.path)) return next();
  const accepted = request.acceptsEncodings(['br', 'gzip', 'identity']);
  const [encoding, ending] = ENCODINGS.find(([name]) => name === accepted) ?? [];
  if (ending === undefined || !existsSync(join(DASHBOARD_FOLDER, 'assets', `${request.path}${ending}`)))
    return next();
  response.setHeader('Content-Encoding', encoding);
  response.type(request.path.slice(request.path.lastIndexOf('.')));
  request.url = `${request.path}${ending}`;
  next();
}

function assets(): RequestHandler {
  return express.static(join(DASHBOARD_FOLDER, 'assets'), {
    index: false,
    redirect: false,
    immutable: true,
    maxAge: ASSET_MAX_AGE_SECONDS * 1000,
  });
}

/** The built script; the same path for compiled files and, in tests, for sources. */
const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'dist', 'loader', 'preview.js');

export const PREVIEW_FRAME = '/preview-frame';

/** A minimal page of a site, as the background of a banner. */
const STYLE = `
  html { color-scheme: light; background: #fff; --ink: #e3e8ee }
  html.dark { color-scheme: dark; background: #12161b; --ink: #2a323c }
  body { margin: 0; padding: 32px; font-family: sans-serif }
  .scenery i { display: block; height: 14px; margin: 0 0 14px; border-radius: 4px; background: var(--ink) }
  .scenery i:first-child { width: 40%; height: 30px }
  .scenery i:nth-child(4n) { width: 70%; margin-bottom: 34px }
`;

/**
 * The document in which the dashboard shows the real banner. Its origin is opaque even when it is opened
 * directly: it cannot reach cookies or the dashboard, and it can send nothing.
 */
function previewFrame(): RequestHandler {
  if (!existsSync(SCRIPT)) throw new Error('The preview is not built. Run "npm run build".');
  const script = readFileSync(SCRIPT, 'utf8');
  return (_request, response) => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self' data:; ` +
        "base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts",
    );
    response.setHeader('Cache-Control', 'no-store');
    // Browsers cannot key an opaque origin, and warn about the header in the console.
    response.removeHeader('Origin-Agent-Cluster');
    response
      .type('html')
      .send(
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Preview</title>` +
          `<meta name="viewport" content="width=device-width, initial-scale=1">` +
          `<style nonce="${nonce}">${STYLE}</style></head>` +
          `<body><div class="scenery" aria-hidden="true">${'<i></i>'.repeat(16)}</div>` +
          `<script nonce="${nonce}">${script}</script></body></html>`,
      );
  };
}
