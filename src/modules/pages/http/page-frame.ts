import { findAsset } from '../../../platform/http/dashboard-build.js';
import { BRAND, MARK } from '../../../platform/identity/brand.js';

const FONT = findAsset('inter-latin-wght-normal', '.woff2');
const FONT_FACE =
  FONT === null
    ? ''
    : `@font-face { font-family: 'Inter Variable'; font-weight: 100 900; font-display: swap; src: url(${FONT}) format('woff2'); }`;

/** The colors of the dashboard's tokens (dashboard/src/app/tokens.css), for pages that load no style sheet, and its typeface. */
export const PAGE_TOKENS = `
${FONT_FACE}
:root { color-scheme: light dark; --page: #f7f8fa; --card: #fff; --line: #e5e8ec; --line-strong: #d3d8df; --text: #15181d; --text-2: #586273;
  --accent: #3d5afe; --accent-soft: #eef1ff; --accent-text: #2a43d4; --good: #0f7654; --shadow: 0 1px 2px rgb(16 24 40 / 6%); }
@media (prefers-color-scheme: dark) { :root { --page: #0b0d11; --card: #161a21; --line: #252b35; --line-strong: #353d4a; --text: #eceff4; --text-2: #a3adbd;
  --accent: #7086ff; --accent-soft: #1b2344; --accent-text: #a5b3ff; --good: #4cc38a; --shadow: none; } }
`;

/** The brand and buttons. */
export const PAGE_PARTS = `
.brand { display: flex; align-items: center; gap: 9px; margin-right: auto; font-size: 15px; font-weight: 650; letter-spacing: -0.01em; text-decoration: none; }
.button { display: inline-flex; align-items: center; justify-content: center; min-height: 36px; padding: 6px 14px; border: 1px solid var(--line-strong); border-radius: 7px;
  background: var(--card); box-shadow: var(--shadow); font-weight: 550; text-decoration: none; }
.button:hover { background: var(--page); }
.button.primary { background: #3d5afe; border-color: #3d5afe; color: #fff; } .button.primary:hover { background: #2a43d4; border-color: #2a43d4; }
.button.quiet { border-color: transparent; background: none; box-shadow: none; color: var(--text-2); }
`;

/** A whole page of ours. */
export const PAGE_STYLE = `${PAGE_TOKENS}
* { box-sizing: border-box; margin: 0; }
body { font: 14px/20px 'Inter Variable', system-ui, sans-serif; font-feature-settings: 'cv11', 'ss03'; -webkit-font-smoothing: antialiased; color: var(--text); background: var(--page); }
a { color: inherit; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top > div { display: flex; align-items: center; gap: 8px; min-height: 60px; }
${PAGE_PARTS}`;

const ICON = findAsset('icon', '.svg');
export const ICON_LINK = ICON === null ? '' : `<link rel="icon" href="${ICON}" type="image/svg+xml">`;

/** The mark and the brand, which lead to `href`. */
export function brandLink(href: string): string {
  const { size, radius, color, check, checkColor, checkWidth } = MARK;
  return `<a class="brand" href="${href}"><svg width="24" height="24" viewBox="0 0 ${size} ${size}" aria-hidden="true"><rect width="${size}" height="${size}" rx="${radius}" fill="${color}"/><path d="${check}" fill="none" stroke="${checkColor}" stroke-width="${checkWidth}" stroke-linecap="round" stroke-linejoin="round"/></svg>${BRAND}</a>`;
}
