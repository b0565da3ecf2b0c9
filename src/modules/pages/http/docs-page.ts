import { createHash } from 'node:crypto';
import { findAsset } from '../../../platform/http/dashboard-build.js';
import { BRAND } from '../../../platform/identity/brand.js';
import { escapeHtml } from '../../../platform/identity/escape-html.js';
import { GUIDE_STYLE, REFERENCE_STYLE } from './docs-style.js';
import type { GuideGroup, GuideHeading } from './guides.js';
import { brandLink, ICON_LINK } from './page-frame.js';

export interface DocsPage {
  html: string;
  contentSecurityPolicy: string;
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const OWN_FILES = [
  "default-src 'none'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Guides run no script. */
const GUIDE_POLICY = [...OWN_FILES, "img-src 'self'", `style-src ${hashOf(GUIDE_STYLE)}`].join('; ');

/** The viewer's own fonts, proxy, telemetry, chat and hosted client are off: it sends requests to this service only. */
const START_VIEWER = `Scalar.createApiReference('#reference', {
  url: '/docs-json', layout: 'modern', theme: 'none', withDefaultFonts: false, telemetry: false, proxyUrl: '',
  agent: { disabled: true }, mcp: { disabled: true }, hideClientButton: true, showDeveloperTools: 'never',
  hideDarkModeToggle: true, documentDownloadType: 'none', defaultOpenFirstTag: false, modelsSectionLabel: 'Schemas', hideModels: true,
  featuredClients: ['shell/curl', 'node/fetch', 'python/requests', 'php/curl'],
});`;

/** The viewer sets style attributes and adds its style sheet as an element. */
const REFERENCE_POLICY = [
  ...OWN_FILES,
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  `script-src 'self' ${hashOf(START_VIEWER)}`,
  "style-src 'self' 'unsafe-inline'",
].join('; ');

/** The API reference: a viewer of `/docs-json`. */
export function referencePage(): DocsPage {
  const script = findAsset('api-reference', '.js');
  if (script === null) throw new Error('The API reference is not built. Run "npm run build".');
  const body = `<div id="content"><div id="reference"></div></div>
<noscript><p>The reference needs JavaScript. The same as data: <a href="/docs-json">JSON</a>, <a href="/docs-yaml">YAML</a>.</p></noscript>
<script src="${script}"></script>
<script>${START_VIEWER}</script>`;
  const html = page({ title: 'API reference', current: '/docs', style: REFERENCE_STYLE, body });
  return { html, contentSecurityPolicy: REFERENCE_POLICY };
}

/** A page of text beside the list of guides. */
export function guidePage(text: {
  title: string;
  /** Its address. */
  path: string;
  content: string;
  groups: readonly GuideGroup[];
  headings?: readonly GuideHeading[];
}): DocsPage {
  const { title, path, content, groups, headings = [] } = text;
  const link = (href: string, label: string): string =>
    `<li><a href="${href}"${href === path ? ' aria-current="page"' : ''}>${escapeHtml(label)}</a></li>`;
  const lists = groups.map(({ reader, guides }) => {
    const links = guides.map(({ name, title: label }) => link(`/docs/${name}`, label));
    return `<h2>${escapeHtml(reader)}</h2><ul>${links.join('')}</ul>`;
  });
  const contents = headings.map(({ id, text: label }) => `<li><a href="#${id}">${label}</a></li>`);
  const body = `<div class="docs">
<nav class="guides" aria-label="Guides"><div>${lists.join('\n')}</div></nav>
<main id="content">
${content}
</main>
${contents.length > 1 ? `<nav class="contents" aria-label="On this page"><div><h2>On this page</h2><ul>${contents.join('')}</ul></div></nav>` : ''}
</div>`;
  const html = page({
    title,
    current: path === '/docs/errors' ? path : '/docs/guides',
    style: GUIDE_STYLE,
    body,
  });
  return { html, contentSecurityPolicy: GUIDE_POLICY };
}

/** The guides with their subjects. */
export function guideIndex(groups: readonly GuideGroup[]): DocsPage {
  const lists = groups.map(
    ({ reader, guides }) =>
      `<h2>${escapeHtml(reader)}</h2><div class="entries">${guides
        .map(
          ({ name, title, about }) =>
            `<a href="/docs/${name}"><b>${escapeHtml(title)}</b><span>${escapeHtml(capitalized(about))}</span></a>`,
        )
        .join('')}</div>`,
  );
  const content = `<h1>Guides</h1>
<p class="lead">How to put the banner on a site, receive its records, and prove them. Every route is in the <a href="/docs">API reference</a>, every error in <a href="/docs/errors">Errors</a>. For programs: <a href="/llms.txt">llms.txt</a>.</p>
${lists.join('\n')}`;
  return guidePage({ title: 'Guides', path: '/docs/guides', content, groups });
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const SECTIONS = [
  ['/docs', 'API reference'],
  ['/docs/guides', 'Guides'],
  ['/docs/errors', 'Errors'],
  ['/docs-json', 'openapi.json'],
] as const;

function page(parts: { title: string; current: string; style: string; body: string }): string {
  const links = SECTIONS.map(
    ([href, label]) =>
      `<a href="${href}"${href === parts.current ? ' aria-current="true"' : ''}>${label}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(parts.title)} – ${BRAND}</title>
${ICON_LINK}
<style>${parts.style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="docs-top"><div>${brandLink('/')}<span class="section">Documentation</span>
<nav aria-label="Documentation">${links.join('\n')}<a class="button" href="/sign-in">Sign in</a></nav></div></header>
${parts.body}
</body>
</html>
`;
}
