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
    description: 'What each tier brings, billed by the month or by the year.',
    intro: (currency) => `All prices in ${currency}, for one project. The tier can be changed at any time.`,
    free: 'Free',
    byAgreement: 'By agreement',
    perMonth: (amount) => `${amount} a month`,
    billedMonthly: 'billed monthly',
    billedYearly: (amount) => `billed yearly, ${amount}`,
    pagesPerScan: 'Pages in a scan',
    features: {
      consentForwarding: 'Forwarding of every record to your endpoint',
      export: 'Export as CSV and PDF',
      analytics: 'Consent and site analytics',
      geoTargeting: 'Geo-targeting',
      scheduledScans: 'Scheduled scans',
      customDomains: 'Custom domains',
    },
    planned: 'planned',
    yes: 'Yes',
    no: 'No',
    geoTargeting: { full: 'Rules by region', global: 'One rule for the world' },
    notLimited: (names) => `No tier limits ${names}: fair use is the same for all.`,
    notLimitedNames: {
      domainCount: 'domains',
      consentRecordsPerMonth: 'records a month',
      teamInvites: 'invitations to the team',
      customerApi: 'the API',
      webhooks: 'webhooks',
    },
    signUp: 'Sign up',
  },
  de: {
    locale: 'de-DE',
    title: 'Preise',
    description: 'Was jeder Tarif bringt, abgerechnet im Monat oder im Jahr.',
    intro: (currency) =>
      `Alle Preise in ${currency}, für ein Projekt. Der Tarif lässt sich jederzeit wechseln.`,
    free: 'Kostenlos',
    byAgreement: 'Nach Vereinbarung',
    perMonth: (amount) => `${amount} im Monat`,
    billedMonthly: 'monatlich abgerechnet',
    billedYearly: (amount) => `jährlich abgerechnet, ${amount}`,
    pagesPerScan: 'Seiten je Scan',
    features: {
      consentForwarding: 'Weiterleitung jeder Einwilligung an Ihren Endpunkt',
      export: 'Export als CSV und PDF',
      analytics: 'Auswertung von Einwilligungen und Besuchen',
      geoTargeting: 'Regeln nach Region',
      scheduledScans: 'Geplante Scans',
      customDomains: 'Eigene Domains',
    },
    planned: 'geplant',
    yes: 'Ja',
    no: 'Nein',
    geoTargeting: { full: 'Eine Regel je Region', global: 'Eine Regel für die ganze Welt' },
    notLimited: (names) => `Kein Tarif begrenzt ${names}: Die Grenzen fairer Nutzung sind für alle gleich.`,
    notLimitedNames: {
      domainCount: 'Domains',
      consentRecordsPerMonth: 'Einträge im Monat',
      teamInvites: 'Einladungen ins Team',
      customerApi: 'die API',
      webhooks: 'Webhooks',
    },
    signUp: 'Konto anlegen',
  },
};
