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

/** The mails of development, newest first; as JSON if the request accepts it. */
export function mailPage(folder: string): RequestHandler {
  return async (request, response) => {
    const mails = await filedMails(folder);
    if (request.accepts(['html', 'json']) === 'json') response.json({ items: mails });
    else response.type('html').send(renderPage(mails));
  };
}

const STYLE = `:root{color-scheme:light dark;--page:#f7f8fa;--card:#fff;--line:#e5e8ec;--text:#15181d;--quiet:#586273}
@media(prefers-color-scheme:dark){:root{--page:#0b0d11;--card:#161a21;--line:#252b35;--text:#eceff4;--quiet:#a3adbd}
.page{background:none!important}.card{background:#161a21!important;border-color:#252b35!important}.text,.brand{color:#eceff4!important}.quiet{color:#a3adbd!important}}
*{box-sizing:border-box}body{margin:0;padding:32px 16px 64px;font:14px/20px system-ui,sans-serif;color:var(--text);background:var(--page)}
main{max-width:680px;margin:0 auto}h1{margin:0;font-size:20px;line-height:28px}main>p{margin:2px 0 20px;color:var(--quiet)}
article{margin-top:16px;overflow:hidden;background:var(--card);border:1px solid var(--line);border-radius:10px}
article>header{padding:12px 18px;border-bottom:1px solid var(--line)}h2{margin:0;font-size:15px;line-height:22px}header p{margin:0;font-size:13px;color:var(--quiet)}
.body{overflow-wrap:anywhere}`;

/** The mails as their recipients see them: our own HTML, in which names are escaped (letter.ts). */
function renderPage(mails: FiledMail[]): string {
  const shown = mails.map(({ to, subject, html, sentAt }) => {
    const body = /<body[^>]*>([^]*)<\/body>/.exec(html)?.[1] ?? '';
    const at = `<time datetime="${escapeHtml(sentAt)}">${sentAt.slice(0, 16).replace('T', ' ')} UTC</time>`;
    return `<article><header><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}, ${at}</p></header><div class="body">${body}</div></article>`;
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Inbox</title>',
    `<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>${STYLE}</style></head>`,
    '<body><main><h1>Inbox</h1><p>In development, emails are written to files and shown here, newest first.</p>',
    ...(shown.length > 0 ? shown : ['<p>No emails yet.</p>']),
    '</main></body></html>',
  ].join('\n');
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
