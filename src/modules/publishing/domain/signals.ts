/** Systems that get the visitor's choice, by their names in loader/signals/targets.ts. */
export const SIGNAL_TARGETS = [
  'microsoftUet',
  'microsoftClarity',
  'metaPixel',
  'tiktokPixel',
  'wpConsentApi',
  'shopify',
  'dataLayer',
] as const;
type SignalTarget = (typeof SIGNAL_TARGETS)[number];

/** Options of Google's tags, and how `gtag('set')` calls them. */
const GOOGLE_OPTIONS = {
  googleUrlPassthrough: 'url_passthrough',
  googleAdsDataRedaction: 'ads_data_redaction',
} as const;

/** Which other systems get the visitor's choice (docs/signals.md). Consent Mode itself is always on. */
export interface SignalSettings extends Record<SignalTarget | keyof typeof GOOGLE_OPTIONS, boolean> {
  /** Name of the event in the data layer. */
  dataLayerEvent: string;
}

export const SIGNALS_OFF: SignalSettings = {
  microsoftUet: false,
  microsoftClarity: false,
  metaPixel: false,
  tiktokPixel: false,
  wpConsentApi: false,
  shopify: false,
  dataLayer: false,
  dataLayerEvent: 'consent_choice',
  googleUrlPassthrough: false,
  googleAdsDataRedaction: false,
};

/** The settings for a page; members without effect are absent, because each page loads them. */
export interface PublishedSignals {
  signals?: SignalTarget[];
  dataLayerEvent?: string;
  /** Parameters for `gtag('set')`. An option that is off is named too, so that it replaces an older one. */
  gtag?: Record<string, boolean>;
}

export function publishedSignals(settings: SignalSettings): PublishedSignals {
  const signals = SIGNAL_TARGETS.filter((target) => settings[target]);
  const options = Object.entries(GOOGLE_OPTIONS).map(
    ([option, name]) => [name, settings[option as keyof typeof GOOGLE_OPTIONS]] as const,
  );
  return {
    ...(signals.length > 0 && { signals }),
    ...(settings.dataLayer && { dataLayerEvent: settings.dataLayerEvent }),
    ...(options.some(([, isOn]) => isOn) && { gtag: Object.fromEntries(options) }),
  };
}
