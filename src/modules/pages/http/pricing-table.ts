import { CATALOGUE, NOT_LIMITED_BY_TIER, type TierEntry } from '../../licensing/domain/catalogue.js';
import { TIERS } from '../../licensing/domain/tier.js';
import { hiddenText, icon } from './pricing-parts.js';
import type { PricingTexts } from './pricing-texts.js';

type FeatureName = keyof PricingTexts['features'];

const ENTRIES = TIERS.map((tier) => CATALOGUE[tier]);

/** All plans side by side. */
export function comparisonTable(texts: PricingTexts): string {
  const names = Object.keys(texts.features) as FeatureName[];
  const row = (name: FeatureName): string =>
    tableRow(texts.features[name], (entry) => featureCell(name, entry, texts));
  const everyPlan = NOT_LIMITED_BY_TIER.map((name) =>
    tableRow(capitalized(texts.notLimitedNames[name]), () => included(true, texts)),
  );
  return `<h2 class="compare-title" id="compare">${texts.comparison}</h2>
<div class="compare" role="region" aria-labelledby="compare" tabindex="0">
<table>
<thead><tr><td>${hiddenText(texts.feature)}</td>${ENTRIES.map(({ name }) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
${group(texts.available, names.map(row))}
${group(texts.inEveryPlan, everyPlan)}
</table>
</div>
<p class="hint">${texts.fairUse}</p>
<p class="hint">${texts.notForPublishers}</p>`;
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const group = (title: string, rows: string[]): string =>
  `<tbody><tr><th scope="rowgroup" colspan="${ENTRIES.length + 1}">${title}</th></tr>\n${rows.join('\n')}</tbody>`;

const tableRow = (title: string, cell: (entry: TierEntry) => string): string =>
  `<tr><th scope="row">${title}</th>${ENTRIES.map((entry) => `<td>${cell(entry)}</td>`).join('')}</tr>`;

function featureCell(name: FeatureName, { limits, features }: TierEntry, texts: PricingTexts): string {
  if (name === 'pagesPerScan') return String(limits.pagesPerScan ?? texts.custom);
  const value = features[name];
  if (value === 'global') return texts.oneRule;
  return included(value !== false, texts);
}

const included = (yes: boolean, texts: PricingTexts): string =>
  yes
    ? `<span class="yes">${icon('check')}</span>${hiddenText(texts.yes)}`
    : `<span class="no">${icon('minus')}</span>${hiddenText(texts.no)}`;
