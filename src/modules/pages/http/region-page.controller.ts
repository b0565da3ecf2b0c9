import { createHash } from 'node:crypto';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { getDomain } from 'tldts';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { Public } from '../../../platform/http/public.decorator.js';
import { BRAND } from '../../../platform/identity/brand.js';
import { escapeHtml } from '../../../platform/identity/escape-html.js';
import { MESSAGE_LANGUAGES, type MessageLanguage, translator } from '../../../platform/messages/messages.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import {
  type Cell,
  type ServiceSettings,
  serviceSettings,
} from '../../../platform/settings/service.settings.js';
import { brandLink, ICON_LINK, PAGE_STYLE } from './page-frame.js';

const COOKIE = 'cell';
const COOKIE_MAX_AGE_MS = 400 * 24 * 60 * 60_000;

/** The page on which a person chooses the cell of their account; absent without `CELLS` (docs/cells.md). */
@ApiExcludeController()
@Controller('region')
export class RegionPageController {
  constructor(@InjectSettings(serviceSettings) private readonly settings: ServiceSettings) {}

  /**
   * Redirects to the cell that this browser remembers; without one, or with `?choose`, returns the page.
   *
   * @throws DomainError `not_found`: this installation is the only one.
   */
  @Get()
  @Public()
  ask(@Query('choose') choose: unknown, @Req() request: Request, @Res() response: Response): void {
    const { cells } = this.settings;
    if (cells.length === 0) throw new DomainError('not_found', 'Not found.');
    const remembered = cells.find(({ name }) => name === cookieIn(request.headers.cookie));
    response.vary('Accept-Language').vary('Cookie');
    response.setHeader('Cache-Control', 'no-store');
    if (remembered && choose === undefined) return response.redirect(`${remembered.origin}/`);
    const language = (request.acceptsLanguages([...MESSAGE_LANGUAGES]) || 'en') as MessageLanguage;
    response.set({ 'Content-Language': language, 'Content-Security-Policy': CONTENT_SECURITY_POLICY });
    response.type('html').send(regionPage(cells, remembered, language));
  }

  /** Remembers a cell and redirects to it. @throws DomainError `not_found` for a name that is none. */
  @Get(':name')
  @Public()
  choose(@Param('name') name: string, @Req() request: Request, @Res() response: Response): void {
    const { cells } = this.settings;
    const cell = cells.find((each) => each.name === name);
    if (!cell) throw new DomainError('not_found', 'Not found.');
    const domain = commonDomain(cells);
    response.cookie(COOKIE, cell.name, {
      ...(domain !== null && { domain }),
      path: '/region',
      maxAge: COOKIE_MAX_AGE_MS,
      sameSite: 'lax',
      httpOnly: true,
      secure: request.secure || cell.origin.startsWith('https:'),
    });
    response.setHeader('Cache-Control', 'no-store');
    response.redirect(`${cell.origin}/`);
  }
}

/**
 * The longest domain that all cells are below, for one cookie at all of them and at the entry page;
 * null: they are not below one that can be registered.
 */
export function commonDomain(cells: readonly Cell[]): string | null {
  const [first = [], ...others] = cells.map(({ origin }) => new URL(origin).hostname.split('.').toReversed());
  const end = first.findIndex((label, at) => others.some((labels) => labels[at] !== label));
  const common = first
    .slice(0, end === -1 ? first.length : end)
    .toReversed()
    .join('.');
  return getDomain(common, { allowPrivateDomains: true }) === null ? null : common;
}

function cookieIn(header = ''): string | undefined {
  const pairs = header.split(';').map((pair) => pair.trim().split('=', 2));
  return pairs.find(([name]) => name === COOKIE)?.[1];
}

const STYLE = `${PAGE_STYLE}
.top > div, main { max-width: 520px; margin: 0 auto; padding: 0 20px; }
main { padding-top: 56px; padding-bottom: 56px; }
h1 { font-size: 26px; line-height: 34px; font-weight: 680; letter-spacing: -0.022em; }
h1 + p { margin-top: 8px; font-size: 16px; line-height: 24px; color: var(--text-2); }
ul { display: grid; gap: 12px; margin: 28px 0; padding: 0; list-style: none; }
li a { display: grid; gap: 2px; padding: 16px 20px; border: 1px solid var(--line-strong); border-radius: 10px; background: var(--card); box-shadow: var(--shadow); text-decoration: none; }
li a:hover, li a[aria-current] { border-color: var(--accent); }
li strong { font-size: 16px; line-height: 24px; font-weight: 620; }
li span, .hint { font-size: 13px; color: var(--text-2); overflow-wrap: anywhere; }
`;

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "font-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function regionPage(cells: readonly Cell[], remembered: Cell | undefined, language: MessageLanguage): string {
  const t = translator(language, 'pages');
  const items = cells.map(({ name, origin }) => {
    const current = name === remembered?.name ? ' aria-current="true"' : '';
    const title = escapeHtml(regionName(name, language));
    return `<li><a href="/region/${name}"${current}><strong>${title}</strong><span>${escapeHtml(new URL(origin).host)}</span></a></li>`;
  });
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${t('region.title')} – ${BRAND}</title>
${ICON_LINK}
<style>${STYLE}</style>
</head>
<body>
<header class="top"><div>${brandLink('/region?choose')}</div></header>
<main>
<h1>${t('region.title')}</h1>
<p>${t('region.intro')}</p>
<ul>
${items.join('\n')}
</ul>
<p class="hint">${t('region.hint')}</p>
</main>
</body>
</html>
`;
}

/** `European Union` for `eu`; a name that is no code of a region, as given. */
function regionName(name: string, language: MessageLanguage): string {
  if (!/^[a-z]{2}$/.test(name)) return name;
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  return names.of(name.toUpperCase()) ?? name.toUpperCase();
}
