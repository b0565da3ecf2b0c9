import type { IncomingMessage } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { sendProblem } from '../platform/http/problem.filter.js';
import { escapeHtml } from '../platform/identity/escape-html.js';
import { filedMails, type FiledMail } from '../platform/mail/infrastructure/mail-files.js';

/**
 * Mails contain one-time links, so no page of another site may read them, even with a name that
 * resolves to this machine.
 */
export const requireLoopback: RequestHandler = (request, response, next) => {
  if (isLoopbackHost(request.headers.host)) next();
  else
    sendProblem(request, response, {
      status: 403,
      code: 'host_not_allowed',
      detail: 'Open this page under a loopback name such as localhost or 127.0.0.1.',
    });
};

/**
 * `GET /demo/mail` of a development server without the demo, for requests that `isOpenTo` allows; others get 404.
 */
export function mountFirstMails(
  app: NestExpressApplication,
  mailFolder: string,
  isOpenTo: (request: IncomingMessage) => Promise<boolean>,
): void {
  const sendMails = mailPage(mailFolder);
  const router = express.Router();
  router.get('/mail', async (request, response, next) => {
    if (!(await isOpenTo(request))) return next();
    response.setHeader('Cache-Control', 'no-store');
    await sendMails(request, response, next);
  });
  app.use('/demo', router);
}

/** Whether a request comes from this machine itself, under one of its own names and not through a proxy. */
export function isLocal({ headers, socket }: IncomingMessage): boolean {
  if ('x-forwarded-for' in headers || 'forwarded' in headers) return false;
  return isLoopbackHost(headers.host) && isLoopbackAddress(socket.remoteAddress ?? '');
}

const LINK = /https?:\/\/\S+/g;

/** The mails of development, newest first; as JSON if the request accepts it. */
export function mailPage(folder: string): RequestHandler {
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
  return isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
}

function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
