import type { NOT_LIMITED_BY_TIER, TierFeatures } from '../domain/catalogue.js';

/** The languages of the pricing page, each under its own name; the first is for whom none of them suits. */
export const PRICING_LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type PricingLanguage = keyof typeof PRICING_LANGUAGES;

/** What the pricing page says in a language; names and amounts come from the catalogue. */
interface PricingTexts {
  /** How amounts are written. */
  locale: string;
  title: string;
  description: string;
  intro(currency: string): string;
  free: string;
  byAgreement: string;
  perMonth(amount: string): string;
  billedMonthly: string;
  billedYearly(amount: string): string;
  pagesPerScan: string;
  features: Record<keyof TierFeatures, string>;
  /** Beside a limit or a feature that does not exist yet. */
  planned: string;
  yes: string;
  no: string;
  geoTargeting: Record<TierFeatures['geoTargeting'], string>;
  notLimited(names: string): string;
  notLimitedNames: Record<(typeof NOT_LIMITED_BY_TIER)[number], string>;
  signUp: string;
}

export const PRICING_TEXTS: Record<PricingLanguage, PricingTexts> = {
  en: {
    locale: 'en-US',
    title: 'Pricing',
    description: 'Plans and features, billed monthly or yearly.',
    intro: (currency) => `All prices in ${currency}, per project. Change your plan at any time.`,
    free: 'Free',
    byAgreement: 'By agreement',
    perMonth: (amount) => `${amount} per month`,
    billedMonthly: 'billed monthly',
    billedYearly: (amount) => `billed yearly, ${amount}`,
    pagesPerScan: 'Pages per scan',
    features: {
      consentForwarding: 'Consent forwarding to your endpoint',
      export: 'CSV and PDF export',
      analytics: 'Consent and site analytics',
      geoTargeting: 'Geo-targeting',
      scheduledScans: 'Scheduled scans',
      customDomains: 'Custom domains',
    },
    planned: 'planned',
    yes: 'Yes',
    no: 'No',
    geoTargeting: { full: 'Region rules', global: 'One rule worldwide' },
    notLimited: (names) => `No plan limits ${names}. The same fair-use limits apply to all.`,
    notLimitedNames: {
      domainCount: 'domains',
      consentRecordsPerMonth: 'records per month',
      teamInvites: 'team invitations',
      customerApi: 'the API',
      webhooks: 'webhooks',
    },
    signUp: 'Sign up',
  },
  de: {
    locale: 'de-DE',
    title: 'Preise',
    description: 'Tarife und Funktionen, monatlich oder jährlich abgerechnet.',
    intro: (currency) => `Alle Preise in ${currency}, pro Projekt. Sie können den Tarif jederzeit wechseln.`,
    free: 'Kostenlos',
    byAgreement: 'Nach Vereinbarung',
    perMonth: (amount) => `${amount} pro Monat`,
    billedMonthly: 'monatlich abgerechnet',
    billedYearly: (amount) => `jährlich abgerechnet, ${amount}`,
    pagesPerScan: 'Seiten pro Scan',
    features: {
      consentForwarding: 'Weiterleitung von Einwilligungen an Ihren Endpunkt',
      export: 'CSV- und PDF-Export',
      analytics: 'Statistiken zu Einwilligungen und Besuchen',
      geoTargeting: 'Regionsregeln',
      scheduledScans: 'Geplante Scans',
      customDomains: 'Eigene Domains',
    },
    planned: 'geplant',
    yes: 'Ja',
    no: 'Nein',
    geoTargeting: { full: 'Eine Regel pro Region', global: 'Eine Regel weltweit' },
    notLimited: (names) => `Kein Tarif begrenzt ${names}. Für alle gelten dieselben Fair-Use-Grenzen.`,
    notLimitedNames: {
      domainCount: 'Domains',
      consentRecordsPerMonth: 'Einträge pro Monat',
      teamInvites: 'Team-Einladungen',
      customerApi: 'die API',
      webhooks: 'Webhooks',
    },
    signUp: 'Konto anlegen',
  },
};
