import { type PaidTier, type Tier, TIERS } from './tier.js';

/** Amounts in minor units of `CURRENCY` (cents). */
interface BillingPrice {
  perMonth: number;
  perYear: number;
}

/** The price of a tier; null under an interval: by agreement. */
interface TierPrice {
  currency: typeof CURRENCY;
  /** Billed every month. */
  monthly: BillingPrice | null;
  /** Billed once a year, cheaper per month (spec §2.3). */
  yearly: BillingPrice | null;
}

/** Limits of a tier; null: by agreement. */
interface TierLimits {
  pagesPerScan: number | null;
  /** Scans on demand in 24 hours. */
  scansPerDay: number;
}

/** The features of a tier (spec §8). */
export interface TierFeatures {
  scheduledScans: boolean;
  /** `global`: one configuration worldwide; `full`: rules by region. */
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
 * The only catalogue: names and prices of spec §2.3, limits and features of spec §8. The tier
 * guard, the pricing route, limits and the published configuration all read it, so that they cannot
 * disagree.
 */
export const CATALOGUE: Readonly<Record<Tier, TierEntry>> = {
  lite: {
    tier: 'lite',
    name: 'Lite',
    price: priceOf({ monthly: 0, yearlyPerMonth: 0 }),
    limits: { pagesPerScan: 30, scansPerDay: 1 },
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
    limits: { pagesPerScan: 100, scansPerDay: 5 },
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
    limits: { pagesPerScan: 350, scansPerDay: 20 },
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
    limits: { pagesPerScan: null, scansPerDay: 50 },
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

/** Largest file of an import, as sent. Defined here because the price list publishes it. */
export const IMPORT_FILE_BYTES_MAX = 1024 * 1024 * 1024;
/** Files of an import are deleted this many days after its end, or after its creation if it was never started. */
export const IMPORT_FILES_KEPT_DAYS = 7;

/** Not limited by any tier (spec §8): only fair use applies, the same for all. */
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
/** The tiers with consent and site analytics (spec §8). */
export const ANALYTICS_TIERS: readonly Tier[] = tiersWith((features) => features.analytics);
/** The tiers whose sites are scanned on a schedule (spec §8). */
export const SCHEDULED_SCAN_TIERS: readonly Tier[] = tiersWith((features) => features.scheduledScans);
/** The tiers with rules by region (spec §8). */
export const GEO_TARGETING_TIERS: readonly Tier[] = tiersWith((features) => features.geoTargeting === 'full');

/** The tiers sold in the checkout; the others are free or by agreement. */
export const SOLD_TIERS = ['pro', 'business'] as const satisfies readonly PaidTier[];

/** Prices stay fresh for five minutes, and stale for up to a day while a cache revalidates them. */
export const PRICING_CACHE_CONTROL = 'public, max-age=300, stale-while-revalidate=86400';

/** The tiers whose features meet the condition, lowest first. */
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
