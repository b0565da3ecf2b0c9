import { createHash } from 'node:crypto';
import { BRAND } from '../../shared/brand.js';
import { CATALOGUE, CURRENCY, isPlanned, NOT_LIMITED_BY_TIER, type TierEntry } from '../domain/catalogue.js';
import { TIERS } from '../domain/tier.js';
import { PRICING_LANGUAGES, PRICING_TEXTS, type PricingLanguage } from './pricing-texts.js';

const STYLE = `
:root { color-scheme: light dark; --text: #1d2733; --page: #f3f5f7; --card: #fff; --line: #c6ced6; --quiet: #55616d; --accent: #30507a; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6ebf0; --page: #14181d; --card: #1d232a; --line: #46515c; --quiet: #a9b5c1; --accent: #8ab4ea; --on: #10151b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { margin: 0 0 .5rem; } h2 { margin: 0 0 .75rem; }
.tiers { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); margin: 1.5rem 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1.25rem; }
.price { margin: 0; font-size: 1.5rem; font-weight: 600; }
.note { margin: 0; color: var(--quiet); }
dl { margin: 1rem 0 0; } dt { color: var(--quiet); } dd { margin: 0 0 .5rem; }
a { color: var(--accent); }
a.act { display: inline-block; background: var(--accent); color: var(--on); padding: .6rem 1.2rem; border-radius: .4rem; text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;

/** The page runs no script and loads nothing: its own style is all that it may use. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Texts = (typeof PRICING_TEXTS)[PricingLanguage];

/** Path of the page in one language, independent of the browser's languages. */
const pricingPath = (language: PricingLanguage): string => `/pricing/${language}`;

const LANGUAGES = Object.keys(PRICING_LANGUAGES) as PricingLanguage[];

/** The pricing page (spec §2.5), made once from the catalogue that `/v1/pricing` answers too, and its policy. */
export function pricingPage(language: PricingLanguage): { html: string; contentSecurityPolicy: string } {
  const texts = PRICING_TEXTS[language];
  const notLimited = NOT_LIMITED_BY_TIER.map((name) => texts.notLimitedNames[name]).join(', ');
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title} – ${BRAND}</title>
<meta name="description" content="${texts.description}">
${LANGUAGES.map((each) => `<link rel="alternate" hreflang="${each}" href="${pricingPath(each)}">`).join('\n')}
<link rel="alternate" hreflang="x-default" href="/pricing">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${texts.title}</h1>
<p>${texts.intro(CURRENCY)}</p>
<div class="tiers">
${TIERS.map((tier) => cardOf(CATALOGUE[tier], texts)).join('\n')}
</div>
<p>${texts.notLimited(notLimited)}</p>
<p><a class="act" href="/sign-up">${texts.signUp}</a></p>
<nav>${LANGUAGES.filter((each) => each !== language)
    .map(
      (each) =>
        `<a href="${pricingPath(each)}" lang="${each}" hreflang="${each}">${PRICING_LANGUAGES[each]}</a>`,
    )
    .join(' ')}</nav>
</main>
</body>
</html>
`;
  return { html, contentSecurityPolicy: CONTENT_SECURITY_POLICY };
}

function cardOf({ tier, name, price, limits, features }: TierEntry, texts: Texts): string {
  const names = Object.keys(texts.features) as (keyof typeof texts.features)[];
  const facts = [
    [
      titleOf('pagesPerScan', texts.pagesPerScan, texts),
      limits.pagesPerScan === null ? texts.byAgreement : String(limits.pagesPerScan),
    ],
    ...names.map((name) => [titleOf(name, texts.features[name], texts), valueOf(features[name], texts)]),
  ];
  return `<section id="${tier}" aria-labelledby="${tier}-name">
<h2 id="${tier}-name">${name}</h2>
${priceOf(price, texts)}
<dl>
${facts.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('\n')}
</dl>
</section>`;
}

function titleOf(name: Parameters<typeof isPlanned>[0], title: string, texts: Texts): string {
  return isPlanned(name) ? `${title} (${texts.planned})` : title;
}

function valueOf(feature: boolean | keyof Texts['geoTargeting'], texts: Texts): string {
  if (typeof feature === 'boolean') return feature ? texts.yes : texts.no;
  return texts.geoTargeting[feature];
}

function priceOf({ monthly, yearly }: TierEntry['price'], texts: Texts): string {
  if (monthly === null || yearly === null) return `<p class="price">${texts.byAgreement}</p>`;
  if (monthly.perMonth === 0 && yearly.perMonth === 0) return `<p class="price">${texts.free}</p>`;
  const money = (minor: number): string => amountOf(minor, texts.locale);
  return [
    `<p class="price">${texts.perMonth(money(monthly.perMonth))}</p>`,
    `<p class="note">${texts.billedMonthly}</p>`,
    `<p class="price">${texts.perMonth(money(yearly.perMonth))}</p>`,
    `<p class="note">${texts.billedYearly(money(yearly.perYear))}</p>`,
  ].join('\n');
}

/** Minor units as an amount of money. */
function amountOf(minor: number, locale: string): string {
  const digits = minor % 100 === 0 ? 0 : 2;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: CURRENCY,
    minimumFractionDigits: digits,
  }).format(minor / 100);
}
