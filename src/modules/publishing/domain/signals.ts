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

/** Systems that belong to one vendor, and how its services are recognized by name or provider. */
const VENDORS = {
  google: /\bgoogle\b|\bdoubleclick\b|\byoutube\b/i,
  metaPixel: /\bmeta\b|\bfacebook\b/i,
  microsoftUet: /\bmicrosoft ads\b|\bmicrosoft advertising\b|\bbing\b/i,
  microsoftClarity: /\bclarity\b/i,
  tiktokPixel: /\btiktok\b/i,
} as const;
type Vendor = keyof typeof VENDORS;

/** Where visitors choose by service: the ids of the services that each system follows. */
export interface PublishedVendors {
  /** Without systems that have no service here: these follow the category. */
  vendors?: Partial<Record<Vendor, string[]>>;
}

interface VendorService {
  id?: string;
  name: string;
  provider: string;
  category: string;
}

export function publishedVendors({
  services,
  signals,
}: {
  services: readonly VendorService[];
  signals: SignalSettings;
}): PublishedVendors {
  const names = Object.keys(VENDORS) as Vendor[];
  const vendors = names.flatMap((vendor) => {
    if (vendor !== 'google' && !signals[vendor]) return [];
    const ids = services
      .filter(
        ({ category, name, provider }) =>
          category !== 'necessary' && VENDORS[vendor].test(`${name} ${provider}`),
      )
      .flatMap(({ id }) => id ?? []);
    return ids.length > 0 ? [[vendor, ids] as const] : [];
  });
  return vendors.length > 0 ? { vendors: Object.fromEntries(vendors) as PublishedVendors['vendors'] } : {};
}
