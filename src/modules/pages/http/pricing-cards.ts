import { escapeHtml } from '../../../platform/identity/escape-html.js';
import {
  CATALOGUE,
  CURRENCY,
  NOT_LIMITED_BY_TIER,
  type TierEntry,
} from '../../licensing/domain/catalogue.js';
import { TIERS } from '../../licensing/domain/tier.js';
import { icon } from './pricing-parts.js';
import type { PricingTexts } from './pricing-texts.js';

type FeatureName = keyof PricingTexts['features'];

/** Every plan with its price, its button, and its additions to the plan below it. */
export function planCards(texts: PricingTexts, contactUrl: string): string {
  return TIERS.map((tier, index) => {
    const lower = TIERS[index - 1];
    return planCard(CATALOGUE[tier], { texts, contactUrl, lower: lower ? CATALOGUE[lower] : null });
  }).join('\n');
}

function planCard(
  entry: TierEntry,
  { texts, contactUrl, lower }: { texts: PricingTexts; contactUrl: string; lower: TierEntry | null },
): string {
  const { tier, name } = entry;
  return `<section class="plan" id="${tier}" aria-labelledby="${tier}-name">
<h2 id="${tier}-name">${name}</h2>
<p class="audience">${texts.audience[tier]}</p>
${price(entry, texts)}
${action(entry, texts, contactUrl)}
<div>
<h3>${lower ? texts.everythingIn(lower.name) : texts.included}</h3>
<ul>
${addedItems(entry, lower, texts).join('\n')}
</ul>
</div>
</section>`;
}

function price({ price: { monthly, yearly } }: TierEntry, texts: PricingTexts): string {
  const lines = (amount: string, unit: string, note: string): string =>
    `<div><p class="amount">${amount}${unit && ` <small>${unit}</small>`}</p>\n<p class="note">${note}</p></div>`;
  if (monthly === null || yearly === null) return lines(texts.custom, '', texts.customNote);
  if (monthly.perMonth === 0 && yearly.perMonth === 0) return lines(texts.free, '', texts.freeNote);
  const money = (minor: number): string => formatAmount(minor, texts.locale);
  const note = texts.billedYearly({ month: money(yearly.perMonth), year: money(yearly.perYear) });
  return lines(money(monthly.perMonth), texts.perMonth, note);
}

/**
 * Sign-up creates a project on the lowest plan; a plan without a price needs an agreement with the
 * operator.
 */
function action({ name, price: { monthly } }: TierEntry, texts: PricingTexts, contactUrl: string): string {
  if (monthly !== null) {
    const kind = monthly.perMonth > 0 ? 'button primary' : 'button';
    return `<a class="${kind}" href="/sign-up" aria-label="${texts.signUpFor(name)}">${texts.signUp}</a>`;
  }
  if (contactUrl === '') return '<div></div>';
  return `<a class="button" href="${escapeHtml(contactUrl)}">${texts.contactUs}</a>`;
}

/** The features of a plan that the plan below lacks. */
function addedItems(entry: TierEntry, lower: TierEntry | null, texts: PricingTexts): string[] {
  const added = (Object.keys(texts.features) as FeatureName[]).filter((name) => adds(name, entry, lower));
  const everywhere = lower ? [] : [texts.noLimitOn(notLimitedNames(texts))];
  return [...everywhere, ...added.map((name) => itemText(name, entry, texts))].map(includedItem);
}

function notLimitedNames({ locale, notLimitedNames: names }: PricingTexts): string {
  return new Intl.ListFormat(locale).format(NOT_LIMITED_BY_TIER.map((name) => names[name]));
}

const includedItem = (text: string): string =>
  `<li><span class="yes">${icon('check')}</span><span>${text}</span></li>`;

function adds(name: FeatureName, entry: TierEntry, lower: TierEntry | null): boolean {
  if (name === 'pagesPerScan') return entry.limits.pagesPerScan !== lower?.limits.pagesPerScan;
  return entry.features[name] !== false && entry.features[name] !== lower?.features[name];
}

function itemText(name: FeatureName, { limits, features }: TierEntry, texts: PricingTexts): string {
  if (name === 'pagesPerScan') return texts.pagesPerScan(limits.pagesPerScan);
  if (name === 'geoTargeting' && features.geoTargeting === 'global') return texts.oneRule;
  return texts.features[name];
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
