import { createHash } from 'node:crypto';
import { BRAND } from '../../../platform/identity/brand.js';
import { escapeHtml } from '../../../platform/identity/escape-html.js';
import { type MessageLanguage, translator } from '../../../platform/messages/messages.js';
import {
  CATALOGUE,
  CURRENCY,
  NOT_LIMITED_BY_TIER,
  type TierEntry,
  type TierFeatures,
} from '../../licensing/domain/catalogue.js';
import { TIERS } from '../../licensing/domain/tier.js';
import { brandLink, ICON_LINK } from './page-frame.js';
import { PRICING_STYLE } from './pricing-style.js';

/** The languages of the page, each under its own name; the first is the fallback. */
export const PRICING_LANGUAGES = { en: 'English', de: 'Deutsch' } as const satisfies Record<
  MessageLanguage,
  string
>;
export type PricingLanguage = keyof typeof PRICING_LANGUAGES;

/** Features of the plans, in the order of the page. */
const FEATURES = [
  'consentForwarding',
  'export',
  'analytics',
  'geoTargeting',
  'scheduledScans',
  'customDomains',
  'pagesPerScan',
] as const satisfies (keyof TierFeatures | 'pagesPerScan')[];
type FeatureName = (typeof FEATURES)[number];

/** The locale of amounts, and the sentences; plan names and amounts come from the catalogue. */
interface PricingWords {
  locale: string;
  t: ReturnType<typeof translator<'pages'>>;
  hasCustomDomains: boolean;
}

/** What the operator has set up. */
export interface PricingOptions {
  /** Empty: the plan by agreement is left out. */
  contactUrl: string;
  /** Where they are not set up, the page says so beside their name. */
  hasCustomDomains: boolean;
}

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

/** Path of the page in one language, independent of the browser's languages. */
const pricingPath = (language: PricingLanguage): string => `/pricing/${language}`;

/** The pricing page (spec §2.5), from the catalogue that `/v1/pricing` returns too, and its policy. */
export function pricingPage(
  language: PricingLanguage,
  { contactUrl, hasCustomDomains }: PricingOptions,
): { html: string; contentSecurityPolicy: string } {
  const t = translator(language, 'pages');
  const words = { t, locale: language === 'de' ? 'de-DE' : 'en-US', hasCustomDomains };
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${t('pricing.title')} – ${BRAND}</title>
<meta name="description" content="${t('pricing.description')}">
${LANGUAGES.map((each) => `<link rel="alternate" hreflang="${each}" href="${pricingPath(each)}">`).join('\n')}
<link rel="alternate" hreflang="x-default" href="/pricing">
${ICON_LINK}
<style>${PRICING_STYLE}</style>
</head>
<body>
${ICON_SYMBOLS}
${header(words)}
<main>
<div class="intro">
<h1>${t('pricing.headline')}</h1>
<p>${t('pricing.intro', { currency: CURRENCY })}</p>
</div>
<div class="plans">
${planCards(words)}
</div>
${enterpriseStrip(words, contactUrl)}
${comparisonTable(words, contactUrl)}
</main>
${footer(language, words)}
</body>
</html>
`;
  return { html, contentSecurityPolicy: CONTENT_SECURITY_POLICY };
}

function header({ t }: PricingWords): string {
  return `<header class="top"><div>
${brandLink('/')}
<a class="button quiet" href="/sign-in">${t('pricing.signIn')}</a>
<a class="button primary" href="/sign-up">${t('pricing.signUp')}</a>
</div></header>`;
}

function footer(language: PricingLanguage, { t }: PricingWords): string {
  const others = LANGUAGES.filter((each) => each !== language).map(
    (each) =>
      `<a href="${pricingPath(each)}" lang="${each}" hreflang="${each}">${PRICING_LANGUAGES[each]}</a>`,
  );
  return `<footer>
<span>${BRAND}</span>
<nav aria-label="${t('pricing.language')}">${others.join(' ')}</nav>
<a href="/docs">${t('pricing.apiDocs')}</a>
<a href="/sign-in">${t('pricing.signIn')}</a>
</footer>`;
}

/** The plans with a price, one of them recommended. */
const PRICED = TIERS.map((tier) => CATALOGUE[tier]).filter(({ price: { monthly } }) => monthly !== null);
const RECOMMENDED = 'business';

/** Every plan with a price, its button, and its additions to the plan below it. */
function planCards(words: PricingWords): string {
  return PRICED.map((entry, index) => planCard(entry, PRICED[index - 1] ?? null, words)).join('\n');
}

function planCard(entry: TierEntry, lower: TierEntry | null, words: PricingWords): string {
  const { tier, name } = entry;
  const { t } = words;
  const isRecommended = tier === RECOMMENDED;
  return `<section id="${tier}" class="plan${isRecommended ? ' recommended' : ''}" aria-labelledby="${tier}-name">
<h2 id="${tier}-name">${name}</h2>${isRecommended ? `\n<span class="badge">${t('pricing.recommended')}</span>` : ''}
<p class="audience">${t(`pricing.audience.${tier}`)}</p>
${price(entry, words)}
<a class="button${isRecommended ? ' primary' : ''}" href="/sign-up">${t('pricing.startWith', { plan: name })}</a>
<div>
<h3>${lower ? t('pricing.everythingIn', { plan: lower.name }) : t('pricing.included')}</h3>
<ul>
${addedItems(entry, lower, words).join('\n')}
</ul>
</div>
</section>`;
}

function price({ price: { monthly, yearly } }: TierEntry, { t, locale }: PricingWords): string {
  const lines = (amount: string, unit: string, note: string): string =>
    `<div><p class="amount">${amount}${unit && ` <small>${unit}</small>`}</p>\n<p class="note">${note}</p></div>`;
  if (!monthly || !yearly || monthly.perMonth === 0)
    return lines(formatAmount(0, locale), '', t('pricing.freeNote'));
  const money = (minor: number): string => formatAmount(minor, locale);
  const note = t('pricing.billedYearly', { month: money(yearly.perMonth), year: money(yearly.perYear) });
  return lines(money(monthly.perMonth), t('pricing.perMonth'), note);
}

/** The plan by agreement; it requires the operator's contact. */
function enterpriseStrip(words: PricingWords, contactUrl: string): string {
  if (contactUrl === '') return '';
  const { t } = words;
  const { enterprise, business } = CATALOGUE;
  const address = contactUrl.startsWith('mailto:') ? decodeURIComponent(new URL(contactUrl).pathname) : '';
  return `<section id="enterprise" class="enterprise" aria-labelledby="enterprise-name">
<div>
<h2 id="enterprise-name">${enterprise.name}</h2>
<p>${t('pricing.audience.enterprise')}</p>
<ul>
${addedItems(enterprise, business, words).join('\n')}
${includedItem(t('pricing.customNote'))}
</ul>
</div>
<div>
<a class="button" href="${escapeHtml(contactUrl)}">${t('pricing.contactUs')}</a>
${address === '' ? '' : `<p>${t('pricing.orWriteTo', { address: escapeHtml(address) })}</p>`}
</div>
</section>`;
}

/** The features of a plan that the plan below lacks. */
function addedItems(entry: TierEntry, lower: TierEntry | null, words: PricingWords): string[] {
  const added = FEATURES.filter((name) => adds(name, entry, lower));
  const everywhere = lower ? [] : [words.t('pricing.noLimitOn', { names: notLimitedNames(words) })];
  return [...everywhere, ...added.map((name) => itemText(name, entry, words))].map(includedItem);
}

function notLimitedNames({ locale, t }: PricingWords): string {
  return new Intl.ListFormat(locale).format(
    NOT_LIMITED_BY_TIER.map((name) => t(`pricing.notLimitedNames.${name}`)),
  );
}

const includedItem = (text: string): string =>
  `<li><span class="yes">${icon('check')}</span><span>${text}</span></li>`;

function adds(name: FeatureName, entry: TierEntry, lower: TierEntry | null): boolean {
  if (name === 'pagesPerScan') return entry.limits.pagesPerScan !== lower?.limits.pagesPerScan;
  return entry.features[name] !== false && entry.features[name] !== lower?.features[name];
}

function itemText(name: FeatureName, { limits, features }: TierEntry, words: PricingWords): string {
  const { t } = words;
  if (name === 'pagesPerScan') {
    const pages = limits.pagesPerScan;
    return pages === null ? t('pricing.pagesByAgreement') : t('pricing.pagesPerScan', { pages });
  }
  if (name === 'geoTargeting' && features.geoTargeting === 'global') return t('pricing.oneRule');
  return featureName(name, words);
}

function featureName(name: FeatureName, { t, hasCustomDomains }: PricingWords): string {
  const title = t(`pricing.features.${name}`);
  if (name !== 'customDomains' || hasCustomDomains) return title;
  return `${title} <small>(${t('pricing.notSetUp')})</small>`;
}

/** Minor units as an amount of money. */
function formatAmount(minor: number, locale: string): string {
  const digits = minor % 100 === 0 ? 0 : 2;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: CURRENCY,
    minimumFractionDigits: digits,
  }).format(minor / 100);
}

/** The plans side by side; the one by agreement requires the operator's contact. */
function comparisonTable(words: PricingWords, contactUrl: string): string {
  const { t } = words;
  const entries = contactUrl === '' ? PRICED : [...PRICED, CATALOGUE.enterprise];
  const row = (name: FeatureName): string =>
    tableRow(featureName(name, words), entries, (entry) => featureCell(name, entry, t));
  const everyPlan = NOT_LIMITED_BY_TIER.map((name) =>
    tableRow(capitalized(t(`pricing.notLimitedNames.${name}`)), entries, () => t('pricing.unlimited')),
  );
  return `<h2 class="compare-title" id="compare">${t('pricing.comparison')}</h2>
<div class="compare" role="region" aria-labelledby="compare" tabindex="0">
<table>
<thead><tr><td>${hiddenText(t('pricing.feature'))}</td>${entries.map(({ name, tier }) => `<th scope="col"${marked(tier)}>${name}</th>`).join('')}</tr></thead>
${group(t('pricing.available'), entries, FEATURES.map(row))}
${group(t('pricing.inEveryPlan'), entries, everyPlan)}
</table>
</div>
<p class="hint">${t('pricing.fairUse')}</p>
${questions(t)}`;
}

/** Frequent questions before a sign-up. */
function questions(t: PricingWords['t']): string {
  const entries = QUESTIONS.map((name) => {
    const answer = name === 'publishers' ? t('pricing.notForPublishers') : t(`pricing.answers.${name}`);
    return `<div><dt>${t(`pricing.questions.${name}`)}</dt><dd>${answer}</dd></div>`;
  });
  return `<h2 class="compare-title" id="questions">${t('pricing.questionsTitle')}</h2>
<dl class="questions">${entries.join('\n')}</dl>`;
}

const QUESTIONS = ['perVisitor', 'manySites', 'publishers', 'cancel'] as const;

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const group = (title: string, entries: TierEntry[], rows: string[]): string =>
  `<tbody><tr><th scope="rowgroup" colspan="${entries.length + 1}">${title}</th></tr>\n${rows.join('\n')}</tbody>`;

const tableRow = (title: string, entries: TierEntry[], cell: (entry: TierEntry) => string): string =>
  `<tr><th scope="row">${title}</th>${entries.map((entry) => `<td${marked(entry.tier)}>${cell(entry)}</td>`).join('')}</tr>`;

const marked = (tier: TierEntry['tier']): string => (tier === RECOMMENDED ? ' class="marked"' : '');

function featureCell(name: FeatureName, { limits, features }: TierEntry, t: PricingWords['t']): string {
  if (name === 'pagesPerScan') return String(limits.pagesPerScan ?? t('pricing.custom'));
  const value = features[name];
  if (value === 'global') return t('pricing.oneRule');
  return included(value !== false, t);
}

const included = (yes: boolean, t: PricingWords['t']): string =>
  yes
    ? `<span class="yes">${icon('check')}</span>${hiddenText(t('pricing.yes'))}`
    : `<span class="no">${icon('minus')}</span>${hiddenText(t('pricing.no'))}`;

const ICONS = { check: '<path d="M20 6 9 17l-5-5"/>', minus: '<path d="M5 12h14"/>' };

/** The drawings that `icon` refers to, once per page. */
const ICON_SYMBOLS = `<svg class="symbols" aria-hidden="true">${Object.entries(ICONS)
  .map(([name, shapes]) => `<symbol id="icon-${name}" viewBox="0 0 24 24">${shapes}</symbol>`)
  .join('')}</svg>`;

const icon = (name: keyof typeof ICONS): string =>
  `<svg class="icon" aria-hidden="true"><use href="#icon-${name}"/></svg>`;

const hiddenText = (text: string): string => `<span class="hidden">${text}</span>`;
