import { createHash } from 'node:crypto';
import { findAsset } from '../../../platform/http/dashboard-build.js';
import { BRAND, MARK } from '../../../platform/identity/brand.js';
import { CURRENCY } from '../../licensing/domain/catalogue.js';
import { planCards } from './pricing-cards.js';
import { ICON_SYMBOLS } from './pricing-parts.js';
import { PRICING_STYLE } from './pricing-style.js';
import { comparisonTable } from './pricing-table.js';
import {
  PRICING_LANGUAGES,
  PRICING_TEXTS,
  type PricingLanguage,
  type PricingTexts,
} from './pricing-texts.js';

/** The page runs no script: it may use its own style, and the dashboard's typeface and icon. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PRICING_STYLE).digest('base64')}'`,
  "font-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const LANGUAGES = Object.keys(PRICING_LANGUAGES) as PricingLanguage[];
const FAVICON = findAsset('icon', '.svg');

/** Path of the page in one language, independent of the browser's languages. */
const pricingPath = (language: PricingLanguage): string => `/pricing/${language}`;

/** The pricing page (spec §2.5), from the catalogue that `/v1/pricing` returns too, and its policy. */
export function pricingPage(
  language: PricingLanguage,
  contactUrl: string,
): { html: string; contentSecurityPolicy: string } {
  const texts = PRICING_TEXTS[language];
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title} – ${BRAND}</title>
<meta name="description" content="${texts.description}">
${LANGUAGES.map((each) => `<link rel="alternate" hreflang="${each}" href="${pricingPath(each)}">`).join('\n')}
<link rel="alternate" hreflang="x-default" href="/pricing">
${FAVICON === null ? '' : `<link rel="icon" href="${FAVICON}" type="image/svg+xml">`}
<style>${PRICING_STYLE}</style>
</head>
<body>
${ICON_SYMBOLS}
${header(texts)}
<main>
<div class="intro">
<h1>${texts.title}</h1>
<p>${texts.intro(CURRENCY)}</p>
</div>
<div class="plans">
${planCards(texts, contactUrl)}
</div>
${comparisonTable(texts)}
</main>
${footer(language, texts)}
</body>
</html>
`;
  return { html, contentSecurityPolicy: CONTENT_SECURITY_POLICY };
}

function header(texts: PricingTexts): string {
  const { size, radius, color, check, checkColor, checkWidth } = MARK;
  return `<header class="top"><div>
<a class="brand" href="/"><svg width="24" height="24" viewBox="0 0 ${size} ${size}" aria-hidden="true"><rect width="${size}" height="${size}" rx="${radius}" fill="${color}"/><path d="${check}" fill="none" stroke="${checkColor}" stroke-width="${checkWidth}" stroke-linecap="round" stroke-linejoin="round"/></svg>${BRAND}</a>
<a class="button quiet" href="/sign-in">${texts.signIn}</a>
<a class="button primary" href="/sign-up">${texts.signUp}</a>
</div></header>`;
}

function footer(language: PricingLanguage, texts: PricingTexts): string {
  const others = LANGUAGES.filter((each) => each !== language).map(
    (each) =>
      `<a href="${pricingPath(each)}" lang="${each}" hreflang="${each}">${PRICING_LANGUAGES[each]}</a>`,
  );
  return `<footer>
<span>${BRAND}</span>
<nav aria-label="${texts.language}">${others.join(' ')}</nav>
<a href="/docs">${texts.apiDocs}</a>
<a href="/sign-in">${texts.signIn}</a>
</footer>`;
}
