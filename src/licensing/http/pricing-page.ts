import { createHash } from 'node:crypto';
import { BRAND } from '../../shared/brand.js';
import {
  CATALOGUE,
  CURRENCY,
  NOT_LIMITED_BY_TIER,
  type TierEntry,
  type TierFeatures,
} from '../domain/catalogue.js';
import { TIERS } from '../domain/tier.js';

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

const FEATURES: Record<keyof TierFeatures, { name: string; value(features: TierFeatures): string }> = {
  consentForwarding: {
    name: 'Forwarding of every record to your endpoint',
    value: ({ consentForwarding }) => yesNo(consentForwarding),
  },
  export: { name: 'Export as CSV and PDF', value: (features) => yesNo(features.export) },
  analytics: { name: 'Consent and site analytics', value: ({ analytics }) => yesNo(analytics) },
  geoTargeting: {
    name: 'Geo-targeting',
    value: ({ geoTargeting }) => (geoTargeting === 'full' ? 'Rules by region' : 'One rule for the world'),
  },
  scheduledScans: { name: 'Scheduled scans', value: ({ scheduledScans }) => yesNo(scheduledScans) },
  customDomains: { name: 'Custom domains', value: ({ customDomains }) => yesNo(customDomains) },
};

const NOT_LIMITED: Record<(typeof NOT_LIMITED_BY_TIER)[number], string> = {
  domainCount: 'domains',
  consentRecordsPerMonth: 'records a month',
  teamInvites: 'invitations to the team',
  customerApi: 'the API',
  webhooks: 'webhooks',
};

/** The pricing page (spec §2.5), made once from the catalogue that `/v1/pricing` answers too, and its policy. */
export function pricingPage(): { html: string; contentSecurityPolicy: string } {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pricing – ${BRAND}</title>
<meta name="description" content="What each tier brings, billed by the month or by the year.">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Pricing</h1>
<p>All prices in ${CURRENCY}, for one project. The tier can be changed at any time.</p>
<div class="tiers">
${TIERS.map((tier) => cardOf(CATALOGUE[tier])).join('\n')}
</div>
<p>No tier limits ${NOT_LIMITED_BY_TIER.map((name) => NOT_LIMITED[name]).join(', ')}: fair use is the same for all.</p>
<p><a class="act" href="/sign-up">Sign up</a></p>
</main>
</body>
</html>
`;
  return { html, contentSecurityPolicy: CONTENT_SECURITY_POLICY };
}

function cardOf({ tier, name, price, limits, features }: TierEntry): string {
  const facts = [
    ['Pages in a scan', limits.pagesPerScan === null ? 'By agreement' : String(limits.pagesPerScan)],
    ...Object.values(FEATURES).map((feature) => [feature.name, feature.value(features)]),
  ];
  return `<section id="${tier}" aria-labelledby="${tier}-name">
<h2 id="${tier}-name">${name}</h2>
${priceOf(price)}
<dl>
${facts.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('\n')}
</dl>
</section>`;
}

function priceOf({ monthly, yearly }: TierEntry['price']): string {
  if (monthly === null || yearly === null) return '<p class="price">By agreement</p>';
  if (monthly.perMonth === 0 && yearly.perMonth === 0) return '<p class="price">Free</p>';
  return [
    `<p class="price">${money(monthly.perMonth)} a month</p>`,
    '<p class="note">billed monthly</p>',
    `<p class="price">${money(yearly.perMonth)} a month</p>`,
    `<p class="note">billed yearly, ${money(yearly.perYear)}</p>`,
  ].join('\n');
}

/** Minor units as an amount of money. */
function money(minor: number): string {
  const digits = minor % 100 === 0 ? 0 : 2;
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: CURRENCY,
    minimumFractionDigits: digits,
  }).format(minor / 100);
}

const yesNo = (claim: boolean): string => (claim ? 'Yes' : 'No');
