import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../platform/identity/escape-html.js';
import type { BannerText } from './banner-text.js';
import {
  type CookieTranslation,
  SERVICE_CATEGORIES,
  type ServiceCategory,
  type ServiceCookie,
  type ServiceTranslation,
  type SiteConfiguration,
} from './configuration.js';
import { type DeclarationWords, declarationWords, defaultText, knownText } from './default-texts.js';

/** The parts of a published document in the declaration; empty lists of translations are absent. */
export type DeclarationSource = Pick<
  SiteConfiguration,
  'defaultLanguage' | 'texts' | 'categories' | 'services' | 'reconsentMonths'
> & {
  banner: { enabled: boolean };
  /** Who decides about the records; absent in older documents. */
  controller?: { name: string | null };
};

/** The declaration in one language: plain text, escaped by what shows it. */
export interface Declaration {
  language: string;
  isRightToLeft: boolean;
  words: DeclarationWords;
  categories: { title: string; description: string; rows: DeclarationRow[] }[];
}

/** A cookie of a service; null: the service declares none. */
interface DeclarationRow {
  service: string;
  provider: string;
  policyUrl: string | null;
  cookie: { name: string; purpose: string; duration: string } | null;
}

/** On a site's own host with the prefix `__Host-`. */
const CHOICE_COOKIE = 'service-consent';

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)(-|$)/i;

/** One declaration for each language of the banner, the default language first. */
export function declarations(source: DeclarationSource): Declaration[] {
  const { texts, defaultLanguage } = source;
  return texts
    .toSorted((a, b) => Number(b.language === defaultLanguage) - Number(a.language === defaultLanguage))
    .map((text) => declarationIn(text, source));
}

/** Necessary services, then the services of each category that the banner offers. */
function declarationIn(text: BannerText, source: DeclarationSource): Declaration {
  const { language } = text;
  const offered = SERVICE_CATEGORIES.filter(
    (category) => category === 'necessary' || source.categories.includes(category),
  );
  return {
    language,
    isRightToLeft: RIGHT_TO_LEFT.test(language),
    words: declarationWords(language),
    categories: offered
      .map((category) => ({
        ...categoryText(category, text, source.defaultLanguage),
        rows: [
          ...(category === 'necessary' ? choiceRows(language, source) : []),
          ...serviceRows(category, language, source),
        ],
      }))
      .filter(({ rows }) => rows.length > 0),
  };
}

function serviceRows(
  category: ServiceCategory,
  language: string,
  { services }: DeclarationSource,
): DeclarationRow[] {
  return services
    .filter((service) => service.category === category)
    .flatMap((service): DeclarationRow[] => {
      const { provider, policyUrl, cookies } = service;
      const name = translation<ServiceTranslation>(service.translations, language)?.name;
      const shared = { service: name ?? service.name, provider, policyUrl };
      return cookies.length === 0
        ? [{ ...shared, cookie: null }]
        : cookies.map((cookie) => ({ ...shared, cookie: cookieIn(cookie, language) }));
    });
}

/**
 * The storage of our own banner: the choice, in the browser's storage or in a cookie (docs/first-party.md).
 */
function choiceRows(
  language: string,
  { banner, reconsentMonths, controller }: DeclarationSource,
): DeclarationRow[] {
  if (!banner.enabled) return [];
  const words = declarationWords(language);
  const duration = new Intl.NumberFormat(words.language, {
    style: 'unit',
    unit: 'month',
    unitDisplay: 'long',
  }).format(reconsentMonths);
  const cookie = { name: CHOICE_COOKIE, purpose: words.choicePurpose, duration };
  return [{ service: words.choice, provider: controller?.name ?? '–', policyUrl: null, cookie }];
}

function categoryText(
  category: ServiceCategory,
  text: BannerText,
  defaultLanguage: string,
): { title: string; description: string } {
  const known = knownText(text.language) ?? defaultText(defaultLanguage);
  if (category !== 'necessary') {
    const { title, description } = [...text.categories, ...known.categories].find(
      ({ key }) => key === category,
    ) ?? { title: category, description: '' };
    return { title, description };
  }
  const labels = { ...known.labels, ...text.labels };
  return {
    title: labels.necessaryTitle ?? category,
    description: labels.necessaryDescription ?? '',
  };
}

function cookieIn(cookie: ServiceCookie, language: string): NonNullable<DeclarationRow['cookie']> {
  const { name, purpose, duration } = cookie;
  const translated = translation<CookieTranslation>(cookie.translations, language);
  return { name, purpose: translated?.purpose ?? purpose, duration: translated?.duration ?? duration };
}

const translation = <T extends { language: string }>(
  translations: T[] | undefined,
  language: string,
): T | undefined => translations?.find((each) => each.language === language);

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
