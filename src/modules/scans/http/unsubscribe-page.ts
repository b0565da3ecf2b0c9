import { createHash } from 'node:crypto';
import { BRAND, MARK } from '../../../platform/identity/brand.js';
import { escapeHtml } from '../../../platform/identity/escape-html.js';
import { translator } from '../../../platform/messages/messages.js';

export const UNSUBSCRIBE_LANGUAGES = ['en', 'de'] as const;
type Language = (typeof UNSUBSCRIBE_LANGUAGES)[number];

/** `ask`: with the project's name; empty: the member is no longer in the project. */
export type UnsubscribeState = { kind: 'ask'; project: string } | { kind: 'done' } | { kind: 'invalid' };

const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 Inter,system-ui,sans-serif;margin:0;padding:12vh 16px 16px;color:#15181d;background:#f7f8fa}
main{max-width:28rem;margin:0 auto;padding:28px;background:#fff;border:1px solid #e5e8ec;border-radius:10px}
h1{font-size:20px;line-height:28px;margin:0 0 12px}p{margin:0 0 20px;overflow-wrap:anywhere}p:last-child{margin:0}
.brand{font-weight:650;margin:0 0 16px}
button{font:600 15px/20px inherit;font-family:inherit;padding:10px 18px;border:0;border-radius:7px;background:${MARK.color};color:#fff;cursor:pointer}
button:focus-visible{outline:2px solid ${MARK.color};outline-offset:2px}
@media(prefers-color-scheme:dark){body{color:#eceff4;background:#0b0d11}main{background:#161a21;border-color:#252b35}}`;

/** The page runs no script and requests nothing; its form posts to itself. */
export const UNSUBSCRIBE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page of an unsubscribe link. */
export function unsubscribePage(language: Language, state: UnsubscribeState): string {
  const t = translator(language, 'pages');
  const project = state.kind === 'ask' ? state.project : '';
  const kind = state.kind === 'ask' && project === '' ? 'left' : state.kind;
  const text = kind === 'ask' ? t('unsubscribe.ask', { project }) : t(`unsubscribe.${kind}`);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${t('unsubscribe.title')} – ${BRAND}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="brand">${BRAND}</p>
<h1>${t('unsubscribe.title')}</h1>
<p>${escapeHtml(text)}</p>
${kind === 'ask' ? `<form method="post"><button>${t('unsubscribe.button')}</button></form>` : ''}
</main>
</body>
</html>
`;
}
