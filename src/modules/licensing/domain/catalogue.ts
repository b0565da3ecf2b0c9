import { type PaidTier, type Tier, TIERS } from './tier.js';

/** Amounts in minor units of `CURRENCY` (cents). */
interface BillingPrice {
  perMonth: number;
  perYear: number;
}

/** How a tier costs; null under an interval: by agreement. */
interface TierPrice {
  currency: typeof CURRENCY;
  /** Billed every month. */
  monthly: BillingPrice | null;
  /** Billed once a year, cheaper per month (spec §2.3). */
  yearly: BillingPrice | null;
}

/** Numbers that a tier bounds; null: by agreement. */
interface TierLimits {
  pagesPerScan: number | null;
}

/** What a tier may use (spec §8). */
export interface TierFeatures {
  scheduledScans: boolean;
  /** `global`: one configuration for all the world; `full`: rules by region. */
  geoTargeting: 'global' | 'full';
  /** CSV and PDF. */
  export: boolean;
  /** Consent and site analytics. */
  analytics: boolean;
  customDomains: boolean;
  consentForwarding: boolean;
}

export interface TierEntry {
  tier: Tier;
  name: string;
  price: TierPrice;
  limits: TierLimits;
  features: TierFeatures;
}

export const CURRENCY = 'USD';

/**
 * The one catalogue: names and prices of spec §2.3, limits and features of spec §8. The tier guard, the
 * pricing route, limits and the published configuration all read it, so that they cannot disagree.
 */
export const CATALOGUE: Readonly<Record<Tier, TierEntry>> = {
  lite: {
    tier: 'lite',
    name: 'Lite',
    price: priceOf({ monthly: 0, yearlyPerMonth: 0 }),
    limits: { pagesPerScan: 30 },
    features: {
      scheduledScans: false,
      geoTargeting: 'global',
      export: false,
      analytics: false,
      customDomains: true,
      consentForwarding: false,
    },
  },
  pro: {
    tier: 'pro',
    name: 'Pro',
    price: priceOf({ monthly: 700, yearlyPerMonth: 500 }),
    limits: { pagesPerScan: 100 },
    features: {
      scheduledScans: false,
      geoTargeting: 'global',
      export: true,
      analytics: false,
      customDomains: true,
      consentForwarding: true,
    },
  },
  business: {
    tier: 'business',
    name: 'Business',
    price: priceOf({ monthly: 1500, yearlyPerMonth: 1200 }),
    limits: { pagesPerScan: 350 },
    features: {
      scheduledScans: true,
      geoTargeting: 'full',
      export: true,
      analytics: true,
      customDomains: true,
      consentForwarding: true,
    },
  },
  enterprise: {
    tier: 'enterprise',
    name: 'Enterprise',
    price: { currency: CURRENCY, monthly: null, yearly: null },
    limits: { pagesPerScan: null },
    features: {
      scheduledScans: true,
      geoTargeting: 'full',
      export: true,
      analytics: true,
      customDomains: true,
      consentForwarding: true,
    },
  },
};

/** What no tier limits (spec §8): fair use alone bounds these, the same for all. */
export const NOT_LIMITED_BY_TIER = [
  'domainCount',
  'consentRecordsPerMonth',
  'teamInvites',
  'customerApi',
  'webhooks',
] as const;

/** The tiers that may forward consent records (spec §1, §8). */
export const FORWARDING_TIERS: readonly Tier[] = tiersWith((features) => features.consentForwarding);
/** The tiers that may export records as CSV or PDF (spec §8). */
export const EXPORT_TIERS: readonly Tier[] = tiersWith((features) => features.export);
/** The tiers that see consent and site analytics (spec §8). */
export const ANALYTICS_TIERS: readonly Tier[] = tiersWith((features) => features.analytics);
/** The tiers whose sites are scanned by a schedule (spec §8). */
export const SCHEDULED_SCAN_TIERS: readonly Tier[] = tiersWith((features) => features.scheduledScans);
/** The tiers that may have rules by region (spec §8). */
export const GEO_TARGETING_TIERS: readonly Tier[] = tiersWith((features) => features.geoTargeting === 'full');

/** The tiers that the checkout sells; the others are free or by agreement. */
export const SOLD_TIERS = ['pro', 'business'] as const satisfies readonly PaidTier[];

/** The tiers whose features fulfil the condition, lowest first. */
export function tiersWith(condition: (features: TierFeatures) => boolean): Tier[] {
  return TIERS.filter((tier) => condition(CATALOGUE[tier].features));
}

function priceOf({ monthly, yearlyPerMonth }: { monthly: number; yearlyPerMonth: number }): TierPrice {
  return {
    currency: CURRENCY,
    monthly: { perMonth: monthly, perYear: monthly * 12 },
    yearly: { perMonth: yearlyPerMonth, perYear: yearlyPerMonth * 12 },
  };
}
