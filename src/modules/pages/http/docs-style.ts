import { PAGE_PARTS, PAGE_STYLE, PAGE_TOKENS } from './page-frame.js';

/** The head of every page of the documentation. */
const HEAD = `
.docs-top { position: sticky; top: 0; z-index: 2; background: var(--card); border-bottom: 1px solid var(--line); }
.docs-top > div { display: flex; align-items: center; gap: 4px 20px; min-height: 56px; padding: 0 24px; font-weight: 500; color: var(--text-2); }
.docs-top .brand { margin: 0; color: var(--text); }
.docs-top .section { padding-left: 12px; border-left: 1px solid var(--line-strong); font-weight: 450; }
.docs-top nav { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; margin-left: auto; }
.docs-top nav a { padding: 6px 0; text-decoration: none; color: var(--text-2); } .docs-top nav a:hover, .docs-top nav [aria-current] { color: var(--text); }
.docs-top nav .button { padding: 6px 14px; color: var(--text); }
.skip { position: absolute; left: -999px; } .skip:focus { left: 12px; top: 12px; z-index: 3; padding: 6px 12px; background: var(--card); }
@media (max-width: 720px) { .docs-top { position: relative; } .docs-top > div { flex-wrap: wrap; padding: 10px 16px; } .docs-top nav { width: 100%; margin: 0; gap: 4px 16px; } .docs-top nav .button { position: absolute; top: 8px; right: 16px; } }
`;

/**
 * The viewer's variables in our colors and type. Our own rules apply to the head only: the viewer has
 * classes with the same names.
 */
export const REFERENCE_STYLE = `${PAGE_TOKENS}
body { margin: 0; background: var(--card); }
.docs-top, .skip { font: 14px/20px 'Inter Variable', system-ui, sans-serif; font-feature-settings: 'cv11', 'ss03'; -webkit-font-smoothing: antialiased; color: var(--text); ${PAGE_PARTS} }
.docs-top * { box-sizing: border-box; }
${HEAD}
:root { --scalar-custom-header-height: 57px; --scalar-font: 'Inter Variable', system-ui, sans-serif; --scalar-font-code: ui-monospace, 'DejaVu Sans Mono', monospace;
  --scalar-radius: 6px; --scalar-radius-lg: 8px; --scalar-radius-xl: 10px; --scalar-page-description: 15px; --scalar-heading-1: 26px; --scalar-heading-2: 22px; }
.light-mode, .dark-mode { --scalar-background-1: var(--card); --scalar-background-2: var(--page); --scalar-background-3: var(--line); --scalar-background-accent: var(--accent-soft);
  --scalar-color-1: var(--text); --scalar-color-2: var(--text-2); --scalar-color-3: var(--text-2); --scalar-color-accent: var(--accent-text); --scalar-border-color: var(--line);
  --scalar-link-color: var(--accent-text); --scalar-link-color-hover: var(--accent-text); --scalar-color-green: var(--good); --scalar-color-red: #c62f3a; --scalar-color-orange: #9a5b00;
  --scalar-color-yellow: #9a5b00; --scalar-color-blue: #2459c9; --scalar-color-purple: #6b3fc4; --scalar-color-query: #007b80; --scalar-color-alert: #9a5b00; --scalar-color-danger: #c62f3a;
  --scalar-background-alert: #fff4e0; --scalar-background-danger: #fdecee; --scalar-button-1: #3d5afe; --scalar-button-1-hover: #2a43d4; --scalar-button-1-color: #fff;
  --scalar-tooltip-background: var(--card); --scalar-tooltip-color: var(--text); --scalar-sidebar-background-1: var(--page); --scalar-sidebar-color-1: var(--text);
  --scalar-sidebar-color-2: var(--text-2); --scalar-sidebar-border-color: var(--line); --scalar-sidebar-item-hover-background: var(--card); --scalar-sidebar-item-hover-color: var(--text);
  --scalar-sidebar-item-active-background: var(--accent-soft); --scalar-sidebar-color-active: var(--accent-text); --scalar-sidebar-indent-border: var(--line);
  --scalar-sidebar-indent-border-hover: var(--line); --scalar-sidebar-indent-border-active: var(--line); --scalar-sidebar-search-background: var(--card);
  --scalar-sidebar-search-color: var(--text-2); --scalar-sidebar-search-border-color: var(--line-strong); }
.dark-mode { --page: #0f131a; --card: #141922; --line: #262d39; --line-strong: #353d4a; --text: #eceff4; --text-2: #a3adbd; --accent-soft: #1b2344; --accent-text: #a5b3ff; --good: #4cc38a;
  --scalar-color-red: #ff7b84; --scalar-color-orange: #f1b256; --scalar-color-yellow: #f1b256; --scalar-color-blue: #7ab0ff; --scalar-color-purple: #b191f9; --scalar-color-query: #65d4cf;
  --scalar-color-alert: #f1b256; --scalar-color-danger: #ff7b84; --scalar-background-alert: #2d2312; --scalar-background-danger: #34181b; }
`;

/** A guide, the list of guides, and the pages of errors. */
export const GUIDE_STYLE = `${PAGE_STYLE}
${HEAD}
body { background: var(--card); }
.docs { display: grid; grid-template-columns: 256px minmax(0, 1fr) 232px; min-height: calc(100vh - 57px); }
.guides { padding: 16px 12px 40px; border-right: 1px solid var(--line); background: var(--page); font-size: 13px; }
.guides > div { position: sticky; top: 73px; max-height: calc(100vh - 90px); overflow-y: auto; }
.guides h2 { padding: 14px 10px 4px; font-size: 12px; line-height: 18px; font-weight: 600; } .guides h2:first-child { padding-top: 0; }
.guides ul, .contents ul { padding: 0; list-style: none; }
.guides a { display: block; padding: 5px 10px; border-radius: 6px; color: var(--text-2); line-height: 19px; text-decoration: none; } .guides a:hover { background: var(--card); color: var(--text); }
.guides a[aria-current] { background: var(--accent-soft); color: var(--accent-text); font-weight: 550; }
.contents { padding: 36px 20px; font-size: 13px; } .contents > div { position: sticky; top: 80px; max-height: calc(100vh - 100px); overflow-y: auto; }
.contents h2 { font-size: 12px; line-height: 18px; font-weight: 600; margin-bottom: 4px; } .contents a { display: block; padding: 3px 0; color: var(--text-2); text-decoration: none; } .contents a:hover { color: var(--text); }
main { max-width: 808px; padding: 30px 36px 60px; font-size: 15px; line-height: 24px; }
main h1 { font-size: 26px; line-height: 34px; font-weight: 680; letter-spacing: -0.022em; }
main h2 { margin: 34px 0 10px; padding-bottom: 6px; border-bottom: 1px solid var(--line); font-size: 19px; line-height: 28px; font-weight: 640; letter-spacing: -0.014em; scroll-margin-top: 72px; }
main h3 { margin: 24px 0 8px; font-size: 16px; line-height: 24px; font-weight: 620; scroll-margin-top: 72px; }
main p, main ul, main ol, main dl { margin: 10px 0; } main ul, main ol { padding-left: 22px; } main li { margin: 4px 0; } main li > ul { margin: 4px 0; }
main a { color: var(--accent-text); text-underline-offset: 2px; }
main code { padding: 1px 5px; border: 1px solid var(--line); border-radius: 4px; background: var(--page); font: 0.87em/1.5 ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
main pre { margin: 12px 0; padding: 12px 14px; border-radius: 8px; background: #141922; color: #d7deea; overflow-x: auto; } main pre code { padding: 0; border: 0; background: none; color: inherit; font-size: 12.5px; line-height: 20px; overflow-wrap: normal; }
main img { display: block; max-width: 100%; height: auto; margin: 14px 0; border: 1px solid var(--line); border-radius: 8px; }
main .lead { color: var(--text-2); font-size: 16px; line-height: 25px; } main .crumb { margin: 0 0 6px; font-size: 13px; line-height: 20px; }
.wide { margin: 14px 0; border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; } table { width: 100%; border-collapse: collapse; font-size: 14px; line-height: 21px; }
th, td { padding: 8px 12px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); } th { font-size: 13px; font-weight: 600; color: var(--text-2); background: var(--page); }
tr:last-child td { border-bottom: 0; } td:first-child code { white-space: nowrap; }
.entries { display: grid; gap: 10px; } .entries a { display: block; padding: 12px 16px; border: 1px solid var(--line); border-radius: 10px; color: var(--text); text-decoration: none; box-shadow: var(--shadow); } .entries a:hover { border-color: var(--line-strong); background: var(--page); }
.entries b { display: block; font-weight: 620; } .entries span { color: var(--text-2); font-size: 14px; line-height: 21px; }
.source { margin-top: 40px; padding-top: 14px; border-top: 1px solid var(--line); font-size: 13px; color: var(--text-2); }
dt { margin-top: 16px; font-weight: 620; } dd { margin: 2px 0 0; }
.status { display: inline-block; margin-left: 8px; padding: 0 8px; border: 1px solid var(--line); border-radius: 10px; background: var(--page); color: var(--text-2); font-size: 13px; line-height: 20px; font-weight: 550; letter-spacing: 0; vertical-align: 4px; }
@media (max-width: 1100px) { .docs { grid-template-columns: 232px minmax(0, 1fr); } .contents { display: none; } }
@media (max-width: 720px) { .docs { grid-template-columns: minmax(0, 1fr); } .guides { display: none; } main { padding: 22px 16px 48px; } }
`;
