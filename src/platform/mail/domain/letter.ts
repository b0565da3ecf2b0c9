import { BRAND, MARK } from '../../identity/brand.js';
import { escapeHtml } from '../../identity/escape-html.js';
import { translator } from '../../messages/messages.js';
import type { MailLanguage } from './mail-language.js';

/** The text of a mail: sentences, and at most one link, which is a button. */
export interface Letter {
  subject: string;
  paragraphs: (string | { label: string; url: string })[];
  /** Why the recipient gets it. */
  reason: string;
  /** Turns off mails of its kind, without a session. */
  unsubscribe?: { label: string; url: string };
}

/** A rendered mail. */
export interface RenderedLetter {
  subject: string;
  text: string;
  html: string;
  /** For mail clients that show an unsubscribe button (RFC 8058). */
  unsubscribeUrl?: string;
}

/** Longest name in a mail: enough to recognize a project or a person, too short for a message. */
const NAME_CHARACTERS_MAX = 40;
/**
 * Character sequences that mail clients turn into links: a scheme, a slash, an @, and a dot between
 * two characters of a name.
 */
const LINK_PARTS = /[a-z][a-z0-9+.-]*:\/\/|[/\\@:"]|\.(?=\S)/giu;
const SUBJECT_CHARACTERS_MAX = 200;
/** Line breaks and other invisible control characters, including direction marks. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const FONT = 'Inter,-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif';
/**
 * Mail clients partly ignore style sheets, so each element has its light colors; the sheet has the
 * dark ones.
 */
const DARK_STYLE = `:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #0b0d11 !important; }
  .card { background: #161a21 !important; border-color: #252b35 !important; }
  .text, .brand { color: #eceff4 !important; }
  .quiet { color: #a3adbd !important; }
}`;
const TEXT = `margin:0 0 16px;font:15px/24px ${FONT};color:#15181d`;
const QUIET = `margin:0 0 16px;font:13px/20px ${FONT};color:#586273`;

/** Plain text and HTML from one letter; names of people and projects are always escaped. */
export function renderLetter(letter: Letter, language: MailLanguage = 'en'): RenderedLetter {
  const { subject, paragraphs, reason, unsubscribe } = letter;
  const line = subject.replace(CONTROLS, ' ').slice(0, SUBJECT_CHARACTERS_MAX);
  const text = paragraphs.map((part) => (typeof part === 'string' ? part : `${part.label}:\n${part.url}`));
  const footer = [
    `-- \n${BRAND}\n${reason}`,
    ...(unsubscribe ? [`${unsubscribe.label}:\n${unsubscribe.url}`] : []),
  ];
  return {
    subject: line,
    text: `${[...text, ...footer].join('\n\n')}\n`,
    html: renderHtml(line, letter, language),
    ...(unsubscribe && { unsubscribeUrl: unsubscribe.url }),
  };
}

/**
 * Tables and attributes, because mail clients support little else; no images, and no addresses that
 * are not in the letter.
 */
function renderHtml(
  title: string,
  { paragraphs, reason, unsubscribe }: Letter,
  language: MailLanguage,
): string {
  const body = paragraphs.map((part) =>
    typeof part === 'string'
      ? `<p class="text" style="${TEXT}">${escapeHtml(part)}</p>`
      : button(part, language),
  );
  return [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${DARK_STYLE}</style></head>`,
    '<body class="page" style="margin:0;padding:0;background:#f7f8fa">',
    '<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f7f8fa"><tr><td align="center" style="padding:32px 16px">',
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px">',
    `<tr><td style="padding:0 4px 16px">${wordmark()}</td></tr>`,
    '<tr><td class="card" style="padding:28px 28px 12px;background:#ffffff;border:1px solid #e5e8ec;border-radius:10px">',
    `<h1 class="text" style="margin:0 0 16px;font:650 20px/28px ${FONT};color:#15181d">${escapeHtml(title)}</h1>`,
    ...body,
    '</td></tr>',
    `<tr><td style="padding:16px 4px 0"><p class="quiet" style="${QUIET}">${escapeHtml(reason)}${unsubscribe ? ` ${quietLink(unsubscribe)}` : ''}</p></td></tr>`,
    '</table></td></tr></table>',
    '</body></html>',
    '',
  ].join('\n');
}

function quietLink({ label, url }: { label: string; url: string }): string {
  return `<a class="quiet" href="${escapeHtml(url)}" style="color:#586273">${escapeHtml(label)}</a>`;
}

/** Many clients draw no SVG, so the mark is a colored cell with a check. */
function wordmark(): string {
  return (
    '<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>' +
    `<td align="center" width="26" height="26" style="width:26px;height:26px;background:${MARK.color};border-radius:7px;font:700 15px/26px ${FONT};color:${MARK.checkColor}" aria-hidden="true">&#10003;</td>` +
    `<td class="brand" style="padding-left:9px;font:650 16px/26px ${FONT};color:#15181d">${BRAND}</td></tr></table>`
  );
}

function button({ label, url }: { label: string; url: string }, language: MailLanguage): string {
  const href = escapeHtml(url);
  return (
    `<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td style="padding:4px 0 20px"><a href="${href}" ` +
    `style="display:inline-block;padding:10px 18px;background:${MARK.color};border-radius:7px;font:600 15px/20px ${FONT};color:#ffffff;text-decoration:none">${escapeHtml(label)}</a></td></tr></table>\n` +
    `<p class="quiet" style="${QUIET}">${translator(language, 'mails')('mails.copyLink')}<br><a class="quiet" href="${href}" style="color:#586273;word-break:break-all">${href}</a></p>`
  );
}

/**
 * A name chosen by a user, for a mail: on one line, short, and without text that mail clients turn
 * into links. Templates put it in quotation marks.
 */
export function nameInMail(name: string): string {
  const line = name.replace(CONTROLS, ' ').replace(LINK_PARTS, ' ').replace(/\s+/g, ' ').trim();
  return line.length <= NAME_CHARACTERS_MAX ? line : `${line.slice(0, NAME_CHARACTERS_MAX - 1).trimEnd()}…`;
}
