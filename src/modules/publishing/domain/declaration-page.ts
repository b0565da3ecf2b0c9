import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../platform/identity/escape-html.js';
import type { Declaration, DeclarationRow } from './declaration.js';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#15181d;background:#fff}
table{border-collapse:collapse;width:100%}caption{font-weight:600;text-align:start;padding:1rem 0 .25rem}
th,td{border:1px solid #d3d8df;padding:.5rem;text-align:start;vertical-align:top;overflow-wrap:anywhere}
.table{overflow-x:auto}@media(prefers-color-scheme:dark){body{color:#eceff4;background:#15181d}a{color:#8ab4f8}}`;

/** Of the page: no scripts, no requests. Also in the page itself, for a storage that sends no headers. */
export const DECLARATION_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The declaration as a page, with a section for each language. */
export function declarationPage(all: readonly Declaration[]): string {
  const [first] = all;
  const languages = all
    .map(({ language }) => `<a href="#${language}" hreflang="${language}" lang="${language}">${language}</a>`)
    .join(' ');
  return `<!doctype html>
<html lang="${first?.language ?? 'en'}"${direction(first)}>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(DECLARATION_POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(first?.words.title ?? '')}</title>
<style>${STYLE}</style>
<main>
${all.length > 1 ? `<p>${languages}</p>\n` : ''}${all.map(section).join('\n')}
</main>
</html>
`;
}

function section(declaration: Declaration): string {
  const { language, words, categories } = declaration;
  return `<section id="${language}" lang="${language}"${direction(declaration)}>
<h1${foreign(declaration)}>${escapeHtml(words.title)}</h1>
${categories.map((category) => table(declaration, category)).join('\n') || `<p${foreign(declaration)}>${escapeHtml(words.none)}</p>`}
</section>`;
}

function table(
  declaration: Declaration,
  { title, description, rows }: Declaration['categories'][number],
): string {
  const { service, cookie, purpose, duration } = declaration.words;
  const heads = [cookie, service, purpose, duration].map(
    (head) => `<th scope="col"${foreign(declaration)}>${escapeHtml(head)}</th>`,
  );
  return `<h2>${escapeHtml(title)}</h2>
<p>${escapeHtml(description)}</p>
<div class="table" role="region" aria-label="${escapeHtml(title)}" tabindex="0">
<table>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${rows.map(row).join('\n')}
</tbody>
</table>
</div>`;
}

function row({ service, provider, policyUrl, cookie }: DeclarationRow): string {
  const by = escapeHtml(provider);
  const linked = policyUrl === null ? by : `<a href="${escapeHtml(policyUrl)}" rel="noopener">${by}</a>`;
  const [name, purpose, duration] = [cookie?.name, cookie?.purpose, cookie?.duration].map((text) =>
    escapeHtml(text ?? '–'),
  );
  return `<tr><th scope="row">${name}</th><td>${escapeHtml(service)} (${linked})</td><td>${purpose}</td><td>${duration}</td></tr>`;
}

const direction = (declaration?: Declaration): string => (declaration?.isRightToLeft ? ' dir="rtl"' : '');

/** Words that are not there in the language of the section are English. */
const foreign = ({ language, words }: Declaration): string =>
  words.language === language ? '' : ` lang="${words.language}"`;
