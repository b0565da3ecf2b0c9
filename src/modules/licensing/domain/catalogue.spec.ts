import { expect, it } from '@jest/globals';
import {
  ANALYTICS_TIERS,
  CATALOGUE,
  EXPORT_TIERS,
  FORWARDING_TIERS,
  GEO_TARGETING_TIERS,
  NOT_LIMITED_BY_TIER,
  SCHEDULED_SCAN_TIERS,
  SOLD_TIERS,
  tiersWith,
} from './catalogue.js';
import { TIERS } from './tier.js';

it.each([
  ['lite', 'Lite', 0, 0],
  ['pro', 'Pro', 700, 500],
  ['business', 'Business', 1500, 1200],
] as const)(
  'spec §2.3: %s is named %s and costs %d cents a month, or %d billed yearly',
  (tier, name, monthly, yearly) => {
    expect(CATALOGUE[tier]).toMatchObject({
      tier,
      name,
      price: {
        currency: 'USD',
        monthly: { perMonth: monthly, perYear: monthly * 12 },
        yearly: { perMonth: yearly, perYear: yearly * 12 },
      },
    });
  },
);

it('spec §2.3: enterprise costs what is agreed', () => {
  expect(CATALOGUE.enterprise).toMatchObject({ name: 'Enterprise', price: { monthly: null, yearly: null } });
});

it.each([
  ['lite', 30],
  ['pro', 100],
  ['business', 350],
  ['enterprise', null],
] as const)('spec §8: %s scans %j pages', (tier, pagesPerScan) => {
  expect(CATALOGUE[tier].limits.pagesPerScan).toBe(pagesPerScan);
});

it.each([
  ['scheduled scans', SCHEDULED_SCAN_TIERS, ['business', 'enterprise']],
  ['geo-targeting', GEO_TARGETING_TIERS, ['business', 'enterprise']],
  ['export', EXPORT_TIERS, ['pro', 'business', 'enterprise']],
  ['analytics', ANALYTICS_TIERS, ['business', 'enterprise']],
  ['custom domains', tiersWith((features) => features.customDomains), [...TIERS]],
  ['consent forwarding', FORWARDING_TIERS, ['pro', 'business', 'enterprise']],
])('spec §8: %s', (_, tiers, expected) => {
  expect(tiers).toEqual(expected);
});

it('spec §8: names what no tier limits', () => {
  expect(NOT_LIMITED_BY_TIER).toEqual([
    'domainCount',
    'consentRecordsPerMonth',
    'teamInvites',
    'customerApi',
    'webhooks',
  ]);
});

it('sells what has a price above zero', () => {
  expect(SOLD_TIERS).toEqual(TIERS.filter((tier) => (CATALOGUE[tier].price.monthly?.perMonth ?? 0) > 0));
});
