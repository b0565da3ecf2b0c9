import type { NOT_LIMITED_BY_TIER, TierFeatures } from '../../licensing/domain/catalogue.js';
import type { Tier } from '../../licensing/domain/tier.js';

/** The languages of the pricing page, each under its own name; the first is the fallback. */
export const PRICING_LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type PricingLanguage = keyof typeof PRICING_LANGUAGES;

/** The sentences of the pricing page in a language; plan names and amounts come from the catalogue. */
export interface PricingTexts {
  /** Locale of amounts. */
  locale: string;
  title: string;
  description: string;
  intro(currency: string): string;
  audience: Record<Tier, string>;
  free: string;
  freeNote: string;
  custom: string;
  customNote: string;
  perMonth: string;
  billedYearly(prices: { month: string; year: string }): string;
  signUp: string;
  signUpFor(plan: string): string;
  signIn: string;
  contactUs: string;
  apiDocs: string;
  language: string;
  included: string;
  everythingIn(plan: string): string;
  comparison: string;
  feature: string;
  available: string;
  inEveryPlan: string;
  pagesPerScan(pages: number | null): string;
  features: Record<keyof TierFeatures | 'pagesPerScan', string>;
  oneRule: string;
  yes: string;
  no: string;
  noLimitOn(names: string): string;
  fairUse: string;
  /** Use cases that no plan supports (docs/signals.md). */
  notForPublishers: string;
  notLimitedNames: Record<(typeof NOT_LIMITED_BY_TIER)[number], string>;
}

export const PRICING_TEXTS: Record<PricingLanguage, PricingTexts> = {
  en: {
    locale: 'en-US',
    title: 'Pricing',
    description: 'Plans and features, billed monthly or yearly.',
    intro: (currency) => `Per project, in ${currency}. Change your plan at any time.`,
    audience: {
      lite: 'Collect and prove consents on any site.',
      pro: 'Send every consent to your own systems.',
      business: 'Set rules by region and follow your opt-in rates.',
      enterprise: 'Individual terms for larger organizations.',
    },
    free: 'Free',
    freeNote: 'No payment details needed',
    custom: 'Custom',
    customNote: 'Price and terms by agreement',
    perMonth: '/ month',
    billedYearly: ({ month, year }) => `or ${month} / month billed yearly (${year})`,
    signUp: 'Sign up',
    signUpFor: (plan) => `Sign up for ${plan}`,
    signIn: 'Sign in',
    contactUs: 'Contact us',
    apiDocs: 'API documentation',
    language: 'Language',
    included: 'Includes:',
    everythingIn: (plan) => `Everything in ${plan}, plus:`,
    comparison: 'Compare plans',
    feature: 'Feature',
    available: 'Features',
    inEveryPlan: 'In every plan',
    pagesPerScan: (pages) =>
      pages === null ? 'Pages per scan by agreement' : `Scans of up to ${pages} pages`,
    features: {
      consentForwarding: 'Consent forwarding to your endpoint',
      export: 'CSV and PDF export',
      analytics: 'Consent and site analytics',
      geoTargeting: 'Region rules',
      scheduledScans: 'Scheduled scans',
      customDomains: 'Custom domains',
      pagesPerScan: 'Pages per scan',
    },
    oneRule: 'One rule worldwide',
    yes: 'Included',
    no: 'Not included',
    noLimitOn: (names) => `No plan limit on ${names}`,
    fairUse: 'The same fair-use limits apply to every plan.',
    notForPublishers:
      'No plan includes IAB TCF or GPP. For personalized ads of AdSense, Ad Manager and AdMob in the European Economic Area, the United Kingdom and Switzerland, Google requires a certified consent platform with TCF.',
    notLimitedNames: {
      domainCount: 'domains',
      consentRecordsPerMonth: 'consent records per month',
      teamInvites: 'team members',
      customerApi: 'API requests',
      webhooks: 'webhooks',
    },
  },
  de: {
    locale: 'de-DE',
    title: 'Preise',
    description: 'Tarife und Funktionen, monatlich oder jährlich abgerechnet.',
    intro: (currency) => `Pro Projekt, in ${currency}. Sie können den Tarif jederzeit wechseln.`,
    audience: {
      lite: 'Einwilligungen auf jeder Website einholen und nachweisen.',
      pro: 'Jede Einwilligung an Ihre eigenen Systeme senden.',
      business: 'Regeln nach Region festlegen und Opt-in-Raten verfolgen.',
      enterprise: 'Individuelle Konditionen für größere Organisationen.',
    },
    free: 'Kostenlos',
    freeNote: 'Keine Zahlungsdaten nötig',
    custom: 'Individuell',
    customNote: 'Preis und Konditionen nach Vereinbarung',
    perMonth: '/ Monat',
    billedYearly: ({ month, year }) => `oder ${month} / Monat bei jährlicher Abrechnung (${year})`,
    signUp: 'Registrieren',
    signUpFor: (plan) => `Für ${plan} registrieren`,
    signIn: 'Anmelden',
    contactUs: 'Kontakt aufnehmen',
    apiDocs: 'API-Dokumentation',
    language: 'Sprache',
    included: 'Enthalten:',
    everythingIn: (plan) => `Alles aus ${plan}, dazu:`,
    comparison: 'Tarife vergleichen',
    feature: 'Funktion',
    available: 'Funktionen',
    inEveryPlan: 'In jedem Tarif',
    pagesPerScan: (pages) =>
      pages === null ? 'Seiten pro Scan nach Vereinbarung' : `Scans mit bis zu ${pages} Seiten`,
    features: {
      consentForwarding: 'Weiterleitung von Einwilligungen an Ihren Endpunkt',
      export: 'CSV- und PDF-Export',
      analytics: 'Analytics für Einwilligungen und Besuche',
      geoTargeting: 'Regionsregeln',
      scheduledScans: 'Geplante Scans',
      customDomains: 'Eigene Domains',
      pagesPerScan: 'Seiten pro Scan',
    },
    oneRule: 'Eine Regel weltweit',
    yes: 'Enthalten',
    no: 'Nicht enthalten',
    noLimitOn: (names) => `Keine Tarifgrenze für ${names}`,
    fairUse: 'Für alle Tarife gelten dieselben Fair-Use-Grenzen.',
    notForPublishers:
      'Kein Tarif enthält IAB TCF oder GPP. Für personalisierte Anzeigen von AdSense, Ad Manager und AdMob im Europäischen Wirtschaftsraum, im Vereinigten Königreich und in der Schweiz verlangt Google eine zertifizierte Einwilligungsplattform mit TCF.',
    notLimitedNames: {
      domainCount: 'Domains',
      consentRecordsPerMonth: 'Einwilligungen pro Monat',
      teamInvites: 'Teammitglieder',
      customerApi: 'API-Anfragen',
      webhooks: 'Webhooks',
    },
  },
};
