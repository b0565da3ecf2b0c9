import type { RequestHandler } from 'express';
import { type FiledMail, filedMails } from '../../platform/mail/infrastructure/mail-files.js';
import { escapeHtml } from '../../platform/identity/escape-html.js';

const LINK = /https?:\/\/\S+/g;

/** `GET /demo/mail`: the mails of development, newest first; as JSON if the request accepts it. */
export function demoMail(folder: string): RequestHandler {
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
