import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { sendProblem } from '../../platform/http/problem.filter.js';
import { escapeHtml } from '../../platform/identity/escape-html.js';
import { filedMails, type FiledMail } from '../../platform/mail/infrastructure/mail-files.js';
import { DEMO_PAGE, DEMO_SCRIPT } from './demo-page.js';
import type { ReceivedRecord } from './demo-receiver.js';
import { misbehavingShop } from './misbehaving-shop.js';

interface DemoSite {
  /** The folder of mails. */
  mailFolder: string;
  /** Follows the one-time link; absent: there is none. */
  signIn?: RequestHandler;
  projectId(): string;
  /** The last requests of the receiver, newest first. */
  received(): Promise<ReceivedRecord[]>;
}

const CONTENT_SECURITY_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Serves the demo page: a small website with a real consent banner. Development only. */
export function mountDemoSite(app: NestExpressApplication, site: DemoSite): void {
  const router = express.Router();
  router.use((_request, response, next) => {
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  router.get('/', (_request, response) => {
    response.type('html').send(DEMO_PAGE.replaceAll('{projectId}', site.projectId()));
  });
  router.get('/demo.js', (_request, response) => {
    response.type('text/javascript').send(DEMO_SCRIPT);
  });
  router.get('/received', async (_request, response) => {
    const received = await site.received();
    // Without the headers, because they contain the token (spec §5.2).
    response.json(received.map(({ receivedAt, status, body }) => ({ receivedAt, status, body })));
  });
  router.use(
    '/shop',
    misbehavingShop(() => site.projectId()),
  );
  if (site.signIn) router.get('/sign-in', site.signIn);
  router.get('/mail', requireLoopbackHost, demoMail(site.mailFolder));
  app.use('/demo', router);
}

/**
 * Mails contain one-time links, so no page of another site may read them, even with a name that
 * resolves to this machine.
 */
const requireLoopbackHost: RequestHandler = (request, response, next) => {
  if (isLoopbackHost(request.headers.host)) next();
  else
    sendProblem(request, response, {
      status: 403,
      code: 'host_not_allowed',
      detail: 'Open this page under a loopback name such as localhost or 127.0.0.1.',
    });
};

const LINK = /https?:\/\/\S+/g;

/** `GET /demo/mail`: the mails of development, newest first; as JSON if the request accepts it. */
function demoMail(folder: string): RequestHandler {
  return async (request, response) => {
    const mails = await filedMails(folder);
    if (request.accepts(['html', 'json']) === 'json') response.json({ items: mails });
    else response.type('html').send(renderPage(mails));
  };
}

function renderPage(mails: FiledMail[]): string {
  const shown = mails.map(
    ({ to, subject, text, sentAt }) =>
      `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}, ${escapeHtml(sentAt)}</p><pre>${linked(text)}</pre></article>`,
  );
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Inbox</title>',
    '<style>body{font:16px/1.5 system-ui;margin:2rem auto;max-width:48rem;padding:0 1rem}',
    'article{border-top:1px solid #999}pre{white-space:pre-wrap;overflow-wrap:anywhere}</style></head>',
    '<body><h1>Inbox</h1><p>In development, emails are written to files and shown here, newest first.</p>',
    ...(shown.length > 0 ? shown : ['<p>No emails yet.</p>']),
    '</body></html>',
  ].join('\n');
}

/** Turns the links in a text into HTML links. */
function linked(text: string): string {
  let html = '';
  let end = 0;
  for (const { 0: url, index } of text.matchAll(LINK)) {
    html += `${escapeHtml(text.slice(end, index))}<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
    end = index + url.length;
  }
  return html + escapeHtml(text.slice(end));
}

/**
 * Whether a `Host` header is this machine's loopback: `localhost`, a name below it, or a loopback
 * address. Any other name may be an attacker's that resolves to 127.0.0.1 (DNS rebinding).
 */
export function isLoopbackHost(host: string | undefined): boolean {
  const url = `http://${host ?? ''}/`;
  if (!URL.canParse(url)) return false;
  const { hostname, username, password, host: whole } = new URL(url);
  if (whole === '' || username !== '' || password !== '') return false;
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
