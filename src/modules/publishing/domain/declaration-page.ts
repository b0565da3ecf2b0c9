import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../platform/identity/escape-html.js';
import { type BannerSettings, DEFAULT_CONFIGURATION } from './configuration.js';
import { BANNER_BACKGROUNDS, contrastOf } from './contrast.js';
import type { Declaration, DeclarationRow } from './declaration.js';

/** The parts of the page besides the services. */
export interface DeclarationFrame {
  banner: Pick<BannerSettings, 'accent' | 'accentDark' | 'theme' | 'logo'> & { radius?: number };
  /** Who decides; absent in older documents. */
  controller?: { name: string | null; contact?: string | null };
  policyVersion: string;
  policyUrl: string | null;
  /** When the declaration was saved; null: never. */
  updatedAt: Date | null;
}

/**
 * Also sent as a header. The page itself allows the hashes of its styles only: the colors are each
 * site's.
 */
export const DECLARATION_POLICY = policy("'unsafe-inline'");

/** Sources of the loader, our banner and their requests, where the page has the visitor's choice. */
const SCRIPT_SOURCES = "script-src 'self'; connect-src 'self'; ";

/** The header for `withOwnChoice`. */
export const OWN_CHOICE_POLICY = SCRIPT_SOURCES + DECLARATION_POLICY;

function policy(styles: string): string {
  return `default-src 'none'; style-src ${styles}; img-src 'self'; base-uri 'none'; form-action 'none'`;
}

const STYLE = `*{box-sizing:border-box;margin:0}
body{font:15px/23px system-ui,sans-serif;color:var(--ink);background:var(--paper)}
a{color:inherit;text-underline-offset:2px}:focus-visible{outline:2px solid var(--brand);outline-offset:2px;border-radius:4px}
.w{max-width:1080px;margin:0 auto;padding-left:32px;padding-right:32px}
.top{border-bottom:1px solid var(--rule);background:var(--card)}.top .w{display:flex;flex-wrap:wrap;align-items:center;gap:6px 20px;min-height:64px;padding-top:10px;padding-bottom:10px}
.top b{font-size:19px;font-weight:700;color:var(--brand)}.top img{display:block;max-height:40px;max-width:200px}
.languages{display:flex;flex-wrap:wrap;gap:2px 14px;margin-left:auto;font-size:14px}.languages a{padding:4px 0}
.intro{padding:40px 0 24px}h1{font-size:34px;line-height:42px;letter-spacing:-.01em;color:var(--brand)}.lead{max-width:640px;margin-top:10px;font-size:17px;line-height:27px;color:var(--ink-2)}
.facts{display:grid;grid-auto-flow:column;grid-auto-columns:1fr;border:1px solid var(--rule);border-radius:var(--round);background:var(--card);font-size:14px;line-height:21px}
.facts>div{padding:16px 18px;border-inline-start:1px solid var(--rule);overflow-wrap:anywhere}.facts>div:first-child{border:0}.facts h2{margin-bottom:4px;font-size:13px;line-height:18px;font-weight:600;color:var(--ink-2)}
.there,.choice{margin-top:14px;padding:16px 18px;border-radius:var(--round);background:var(--tint);font-weight:550}.choice:empty,.choice:has(button)+.there{display:none}
.choice>div{display:grid;grid-template-columns:1fr auto;gap:4px 24px;align-items:center}.choice p{font-size:13px;line-height:18px;font-weight:600;color:var(--ink-2)}.choice ul{grid-column:1;display:flex;flex-wrap:wrap;gap:2px 20px;padding:0;list-style:none}
.choice button{grid-area:1/2/3/3;min-height:40px;padding:8px 20px;border:0;border-radius:var(--corner);font:600 15px/22px system-ui,sans-serif;color:var(--brand-on);background:var(--brand);cursor:pointer}
.cols{display:grid;grid-template-columns:190px minmax(0,1fr);gap:44px;padding:34px 0 56px;align-items:start}
.toc{position:sticky;top:24px;display:grid;gap:2px;font-size:14px}.toc a{display:flex;justify-content:space-between;gap:8px;padding:7px 10px;border-radius:7px;color:var(--ink-2);font-weight:500;text-decoration:none}.toc a:hover{background:var(--tint);color:var(--ink)}
.category{margin-bottom:34px;scroll-margin-top:16px}.category>h2{font-size:23px;line-height:31px;color:var(--brand)}.category>p{margin:2px 0 14px;color:var(--ink-2)}
.service{margin-top:12px;border:1px solid var(--rule);border-radius:var(--round);background:var(--card);overflow:hidden}
.service header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 16px;padding:14px 18px}.service h3{font-size:16px;line-height:22px;font-weight:640}.by{font-size:14px;color:var(--ink-2)}
table{width:100%;border-collapse:collapse;font-size:14px;line-height:20px}th,td{padding:9px 18px;border-top:1px solid var(--rule);text-align:start;vertical-align:top;overflow-wrap:anywhere}
thead th{font-weight:500;color:var(--ink-2);background:var(--head)}tbody th{width:26%;font:600 13px/20px ui-monospace,monospace}td:last-child,thead th:last-child{width:24%}
@supports selector(:has(*)){main>section{display:none}main>section:target,main>section:has(:target),main:not(:has(:target))>section:first-of-type,main:target>section:first-of-type{display:block}}
@media(max-width:640px){.choice>div{grid-template-columns:minmax(0,1fr)}.choice button{grid-area:auto;margin-top:10px}.w{padding-left:16px;padding-right:16px}.intro{padding:26px 0 18px}h1{font-size:28px;line-height:34px}.lead{font-size:16px;line-height:25px}
.facts{grid-auto-flow:row}.facts>div{border-inline-start:0;border-top:1px solid var(--rule);padding:12px 16px}.cols{grid-template-columns:minmax(0,1fr);gap:18px;padding:20px 0 32px}
.toc{position:static;display:flex;gap:6px;overflow-x:auto;margin:0 -16px;padding:2px 16px}.toc a{border:1px solid var(--rule);border-radius:18px;background:var(--card);white-space:nowrap}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}tbody tr{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:2px 12px;padding:11px 16px;border-top:1px solid var(--rule)}tbody th,tbody td{width:auto;padding:0;border:0}tbody td:nth-child(2){grid-row:2;grid-column:1/3}tbody td:last-child{width:auto;color:var(--ink-2);text-align:end}.service header{padding:14px 16px 12px}}
`;

/** The page in the site's colors, with a section for each language; the first is shown if the address names none. */
export function declarationPage(all: readonly Declaration[], frame: DeclarationFrame): string {
  const [first] = all;
  const { banner, controller } = frame;
  const colors = brandColors(banner);
  const styles = policy([STYLE, colors].map((style) => `'sha256-${sha256(style)}'`).join(' '));
  const name = escapeHtml(controller?.name ?? '');
  const brand =
    banner.logo === null ? `<b>${name}</b>` : `<img src="${escapeHtml(banner.logo)}" alt="${name}">`;
  const languages = all.map(
    ({ language }) =>
      `<a href="#${escapeHtml(language)}" hreflang="${escapeHtml(language)}" lang="${escapeHtml(language)}">${escapeHtml(ownName(language))}</a>`,
  );
  return `<!doctype html>
<html lang="${escapeHtml(first?.language ?? 'en')}"${direction(first)}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(styles)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(first?.words.title ?? '')}${name && ` – ${name}`}</title>
<style>${STYLE}</style>
<style>${colors}</style>
</head>
<body>
<header class="top"><div class="w">${brand}${all.length > 1 ? `<nav class="languages" aria-label="Language">${languages.join('')}</nav>` : ''}</div></header>
<main>
${all.map((declaration) => section(declaration, frame)).join('\n')}
</main>
</body>
</html>
`;
}

/**
 * The page for a site's own host, whose storage has the visitor's choice: the loader finds it, and the
 * declaration's script shows it with a button to change it.
 */
export function withOwnChoice(page: string): string {
  const scripts = ['loader', 'declaration'].map((name) => `<script src="${name}.js"></script>\n`).join('');
  return page
    .replace(' content="default-src', ` content="${SCRIPT_SOURCES}default-src`)
    .replace('</body>', `${scripts}</body>`);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

/** The variables of the page, from the banner's appearance. Cards are a little rounder than buttons. */
function brandColors({ accent, accentDark, theme, radius }: DeclarationFrame['banner']): string {
  const corner = radius ?? DEFAULT_CONFIGURATION.banner.radius;
  const corners = `--corner:${corner}px;--round:${corner && corner + 3}px`;
  const on = (color: string): string => (contrastOf(color, '#ffffff') >= 4.5 ? '#ffffff' : '#15181d');
  const light = `${corners};--brand:${accent};--brand-on:${on(accent)};--paper:#ffffff;--card:#ffffff;--head:#f7f8fa;--ink:#15181d;--ink-2:#565f6d;--rule:#dfe3e8;--tint:color-mix(in srgb,${accent} 8%,#ffffff)`;
  const dark = `${corners};--brand:${accentDark};--brand-on:${on(accentDark)};--paper:#12161b;--card:${BANNER_BACKGROUNDS.dark};--head:#161a21;--ink:#eceff4;--ink-2:#a3adbd;--rule:#2a323c;--tint:color-mix(in srgb,${accentDark} 12%,#12161b)`;
  if (theme === 'dark') return `:root{color-scheme:dark;${dark}}`;
  if (theme === 'light') return `:root{color-scheme:light;${light}}`;
  return `:root{color-scheme:light dark;${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`;
}

function ownName(language: string): string {
  try {
    return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  } catch {
    return language;
  }
}

function section(declaration: Declaration, frame: DeclarationFrame): string {
  const { language, words, categories } = declaration;
  const links = categories.map(
    ({ key, title, rows }) =>
      `<a href="#${escapeHtml(language)}-${key}">${escapeHtml(title)} <span>${rows.length}</span></a>`,
  );
  const listed = categories.map((category) => categorySection(declaration, category)).join('\n');
  return `<section id="${escapeHtml(language)}" lang="${escapeHtml(language)}"${direction(declaration)}>
<div class="w">
<div class="intro"${foreign(declaration)}><h1>${escapeHtml(words.title)}</h1><p class="lead">${escapeHtml(words.lead)}</p></div>
${facts(declaration, frame)}
<div class="choice" data-service-choice="${escapeHtml(language)}"></div>
<p class="there"${foreign(declaration)}>${siteLink(escapeHtml(words.changeThere), frame.policyUrl)}</p>
${
  categories.length > 0
    ? `<div class="cols"><nav class="toc" aria-label="${escapeHtml(words.title)}">${links.join('')}</nav><div>${listed}</div></div>`
    : `<p class="intro"${foreign(declaration)}>${escapeHtml(words.none)}</p>`
}
</div>
</section>`;
}

/** Who is responsible, and which version of when this is. */
function facts(declaration: Declaration, { controller, updatedAt, policyVersion }: DeclarationFrame): string {
  const { words } = declaration;
  const date =
    updatedAt &&
    new Intl.DateTimeFormat(words.language, { dateStyle: 'long', timeZone: 'UTC' }).format(updatedAt);
  const version = `${words.version} ${policyVersion}`;
  const updated = date === null ? version : `${date}, ${version}`;
  const known = [
    [words.responsible, controller?.name && escapeHtml(controller.name)],
    [words.contact, controller?.contact && contactLink(controller.contact)],
    [words.updated, escapeHtml(updated)],
  ].filter(([, value]) => value);
  return `<div class="facts"${foreign(declaration)}>${known.map(([label = '', value]) => `<div><h2>${escapeHtml(label ?? '')}</h2>${value}</div>`).join('')}</div>`;
}

/** A link to the site, where a choice can be changed. Its address comes from the policy's. */
function siteLink(label: string, policyUrl: string | null): string {
  if (policyUrl === null || !URL.canParse(policyUrl)) return label;
  return `<a href="${escapeHtml(new URL(policyUrl).origin)}/" rel="noopener">${label}</a>`;
}

/** An e-mail address or a web page as a link; a postal address as text. */
function contactLink(contact: string): string {
  const text = escapeHtml(contact);
  if (/^[^\s@/]+@[^\s@/]+$/.test(contact)) return `<a href="mailto:${text}">${text}</a>`;
  return /^https:\/\/\S+$/.test(contact) ? `<a href="${text}" rel="noopener">${text}</a>` : text;
}

function categorySection(
  declaration: Declaration,
  { key, title, description, rows }: Declaration['categories'][number],
): string {
  const byService = Map.groupBy(rows, ({ service, provider }) => `${service}\n${provider}`);
  const cards = [...byService.values()].map((of) => serviceCard(declaration, of));
  return `<section class="category" id="${escapeHtml(declaration.language)}-${key}">
<h2>${escapeHtml(title)}</h2><p>${escapeHtml(description)}</p>
${cards.join('\n')}
</section>`;
}

function serviceCard(declaration: Declaration, rows: readonly DeclarationRow[]): string {
  const { words } = declaration;
  const [{ service = '', provider = '', policyUrl = null } = {}] = rows;
  const by = escapeHtml(provider);
  const linked = policyUrl === null ? by : `<a href="${escapeHtml(policyUrl)}" rel="noopener">${by}</a>`;
  const cookies = rows.flatMap(({ cookie }) => (cookie === null ? [] : [cookie]));
  const heads = [words.cookie, words.purpose, words.duration].map(
    (head) => `<th scope="col"${foreign(declaration)}>${escapeHtml(head)}</th>`,
  );
  // Names and words may be in another language than the table.
  const lines = cookies.map(
    ({ name, purpose, duration }) =>
      `<tr><th scope="row" dir="auto">${escapeHtml(name)}</th><td dir="auto">${escapeHtml(purpose)}</td><td dir="auto">${escapeHtml(duration)}</td></tr>`,
  );
  const table = `<table><thead><tr>${heads.join('')}</tr></thead><tbody>${lines.join('\n')}</tbody></table>`;
  return `<article class="service"><header><h3 dir="auto">${escapeHtml(service)}</h3><span class="by" dir="auto">${linked}</span></header>${lines.length > 0 ? table : ''}</article>`;
}

const direction = (declaration?: Declaration): string => (declaration?.isRightToLeft ? ' dir="rtl"' : '');

/** Words that are not there in the language of the section are English. */
const foreign = ({ language, words }: Declaration): string =>
  words.language === language ? '' : ` lang="${words.language}" dir="auto"`;
