import type { Author } from '../../audit/domain/author.js';
import { type BannerText, CATEGORIES, type Category } from './banner-text.js';
import { allModes, type CategoryModes, type ConsentMode } from './consent-modes.js';
import { defaultText } from './default-texts.js';
import { withServiceIds } from './service-ids.js';
import { SIGNALS_OFF, type SignalSettings } from './signals.js';

/** The category of a service; necessary ones are listed and need no consent. */
export const SERVICE_CATEGORIES = ['necessary', ...CATEGORIES] as const;
export type ServiceCategory = (typeof SERVICE_CATEGORIES)[number];

/** A cookie, or another item that a service keeps in the browser. */
export interface ServiceCookie {
  /** Its name; a `*` at the end matches any suffix, e.g. `_ga_*`. */
  name: string;
  /** In words, e.g. `13 months`. */
  duration: string;
  purpose: string;
  translations: CookieTranslation[];
}

/** A cookie's texts in another language. Missing ones are shown in the default language. */
export interface CookieTranslation {
  /** BCP 47. */
  language: string;
  duration?: string;
  purpose?: string;
}

/** A service's words in another language, as above. */
export interface ServiceTranslation {
  language: string;
  name?: string;
}

/** A service that the site uses, as the banner's second layer lists it; its words are in the default language. */
export interface SiteService {
  /** Stays the same where the service is renamed (service-ids.ts). Absent only in a request, and in older rows. */
  id?: string;
  name: string;
  provider: string;
  category: ServiceCategory;
  /** The service's own policy; null: none is linked. */
  policyUrl: string | null;
  cookies: ServiceCookie[];
  translations: ServiceTranslation[];
}

/** The look of our own banner. Accessibility features are not configurable. */
export interface BannerSettings {
  /** Whether the loader shows our banner; false: the site has its own. */
  enabled: boolean;
  layout: (typeof BANNER_LAYOUTS)[number];
  position: (typeof BANNER_POSITIONS)[number];
  theme: (typeof BANNER_THEMES)[number];
  font: (typeof BANNER_FONTS)[number];
  /** Shown above the title: a PNG as a `data:` URL (logo.ts); null: none. Published as a file beside the banner. */
  logo: string | null;
  /** Of buttons and switches, `#rrggbb`, in the light and in the dark theme (contrast.ts). */
  accent: string;
  accentDark: string;
  /** Of the buttons' corners in px; the banner's own are half as large again. */
  radius: number;
  /** The button that leads to the second layer. Accepting and rejecting are always alike. */
  secondaryButton: (typeof SECONDARY_BUTTONS)[number];
  /** Whether a small link on every page opens the choice again. */
  link: boolean;
  /** The lower corner of the window that has the link. */
  linkPosition: (typeof LINK_POSITIONS)[number];
  /** Whether a choice holds on all subdomains of the site, by a cookie that the loader's banner writes. */
  shareSubdomains: boolean;
}

export const BANNER_LAYOUTS = ['box', 'bar'] as const;
/** On the window's lower or upper edge, or in its middle. A bar takes the whole edge: the upper one for `top-…`. */
export const BANNER_POSITIONS = [
  'left',
  'center',
  'right',
  'top-left',
  'top-center',
  'top-right',
  'middle',
] as const;
/** The system's font, or the one that the page itself uses; the banner loads none. */
export const BANNER_FONTS = ['system', 'site'] as const;
export const RADIUS_MAX_PX = 24;
export const SECONDARY_BUTTONS = ['text', 'outline'] as const;
export const LINK_POSITIONS = ['left', 'right'] as const;
/** `auto`: as the visitor's system has it. */
export const BANNER_THEMES = ['auto', 'light', 'dark'] as const;

/** A version of a preset (region-preset.ts), from which modes follow on each day. */
export interface PresetReference {
  id: string;
  version: number;
}

/** The first rule that names a visitor's region decides. */
export interface RegionRule {
  /** ISO 3166-1 alpha-2, ISO 3166-2 such as `US-CA`, or `EU` for the European Economic Area. */
  regions: string[];
  /** The strictest of `modes`, for clients and versions that have one mode for all categories. */
  mode: ConsentMode;
  modes: CategoryModes;
  /** Where the modes come from; absent: they were set by hand. */
  preset?: PresetReference;
  /** Whether Global Privacy Control is honored here; absent: as in the whole configuration. */
  honorGlobalPrivacyControl?: boolean;
}

/** Requests to a host that wait for consent, by category; `necessary` ones never wait. */
export interface BlockingRule {
  /** With its subdomains (blocking.ts). */
  host: string;
  /** Prefix of the path, with `*` for any characters; null: every path. */
  path: string | null;
  category: ServiceCategory;
  /** Id of a service of this category, where visitors choose by service; null or absent: the category decides. */
  service?: string | null;
}

/** What blocker.js blocks where the site loads it (docs/scans.md). The first rule that matches decides. */
export interface BlockingSettings {
  enabled: boolean;
  rules: BlockingRule[];
}

/** The settings of a project's banner, as its editors save them. */
export interface SiteConfiguration {
  policyVersion: string;
  bannerVersion: string;
  /** null: the banner links to no policy. */
  policyUrl: string | null;
  defaultLanguage: string;
  texts: BannerText[];
  categories: Category[];
  /** Without a region rule: the strictest of `defaultModes`, as in a rule. */
  defaultMode: ConsentMode;
  defaultModes: CategoryModes;
  /** Where the default modes come from; null: they were set by hand. */
  defaultPreset: PresetReference | null;
  regionRules: RegionRule[];
  /** Whether new versions of presets apply without anyone saving the configuration. */
  presetUpdates: boolean;
  /** Whether a browser that sends Global Privacy Control has thereby opted out. */
  honorGlobalPrivacyControl: boolean;
  /** Whether page visits are counted, without anything that identifies visitors (ADR 39). */
  siteAnalytics: boolean;
  services: SiteService[];
  /** Whether visitors choose by service, on the banner's second layer (ADR 76). */
  serviceChoice: boolean;
  /**
   * Months after which visitors are asked again; they are also asked again when `policyVersion` or
   * `categories` change.
   */
  reconsentMonths: number;
  banner: BannerSettings;
  blocking: BlockingSettings;
  signals: SignalSettings;
}

/** The configuration of a project that never saved one: the strictest modes, in English. */
export const DEFAULT_CONFIGURATION: SiteConfiguration = {
  policyVersion: '1',
  bannerVersion: '1',
  policyUrl: null,
  defaultLanguage: 'en',
  texts: [defaultText('en')],
  categories: [...CATEGORIES],
  defaultMode: 'opt_in',
  defaultModes: allModes('opt_in'),
  defaultPreset: null,
  regionRules: [],
  presetUpdates: false,
  honorGlobalPrivacyControl: true,
  siteAnalytics: true,
  services: [],
  serviceChoice: false,
  reconsentMonths: 12,
  banner: {
    enabled: false,
    layout: 'box',
    position: 'left',
    theme: 'auto',
    font: 'system',
    logo: null,
    accent: '#15181d',
    accentDark: '#eceff4',
    radius: 9,
    secondaryButton: 'text',
    link: true,
    linkPosition: 'left',
    shareSubdomains: false,
  },
  blocking: { enabled: false, rules: [] },
  signals: SIGNALS_OFF,
};

/** A stored rule; older versions had one mode for all categories. */
type StoredRule = Omit<RegionRule, 'modes'> & Partial<Pick<RegionRule, 'modes'>>;

/** The stored part of a configuration. */
export type StoredConfiguration = Partial<Omit<SiteConfiguration, 'regionRules'>> & {
  regionRules?: StoredRule[];
};

/** A stored configuration, maybe of an older version: missing members get the default. */
export function storedConfiguration(stored: StoredConfiguration | null): SiteConfiguration {
  const { texts = DEFAULT_CONFIGURATION.texts, services = [], banner, blocking, signals } = stored ?? {};
  const { defaultMode = DEFAULT_CONFIGURATION.defaultMode, regionRules = [] } = stored ?? {};
  return {
    ...DEFAULT_CONFIGURATION,
    defaultModes: allModes(defaultMode),
    ...stored,
    regionRules: regionRules.map((rule) => ({ ...rule, modes: rule.modes ?? allModes(rule.mode) })),
    texts: texts.map((text) => ({ ...text, labels: text.labels ?? {} })),
    services: withServiceIds(
      services.map((service) => ({
        ...service,
        // A malformed service is kept: it can be read and replaced, and fails when it is published.
        ...(Array.isArray(service.cookies) && {
          cookies: service.cookies.map((cookie) => ({ ...cookie, translations: cookie.translations ?? [] })),
        }),
        translations: service.translations ?? [],
      })),
    ),
    banner: { ...DEFAULT_CONFIGURATION.banner, ...banner },
    blocking: { ...DEFAULT_CONFIGURATION.blocking, ...blocking },
    signals: { ...DEFAULT_CONFIGURATION.signals, ...signals },
  };
}

/**
 * The texts that a visitor saw in a language (BCP 47, in any case). Our banner sends the language of the texts that it
 * used; an unknown one comes from the site's own banner, and the default language's texts are returned.
 */
export function textShown(
  { texts, defaultLanguage }: Pick<SiteConfiguration, 'texts' | 'defaultLanguage'>,
  language: string | null,
): BannerText | null {
  const of = (candidate: string | null): BannerText | undefined =>
    texts.find((text) => text.language.toLowerCase() === candidate?.toLowerCase());
  return of(language) ?? of(defaultLanguage) ?? null;
}

/** The author of a save, with their comment. */
export interface SaveNote {
  /** The save: the version of the configuration. */
  version: number;
  comment: string | null;
  author: { kind: Author['kind']; id: string | null };
}

/** A saved configuration with its metadata. */
export interface SavedConfiguration {
  /** 0: nothing was ever saved, and the default applies. */
  version: number;
  updatedAt: Date | null;
  configuration: SiteConfiguration;
  /** null: there is none for this version. */
  note: SaveNote | null;
}

/** The unpublished configuration of a project. */
export interface Draft {
  /** 0: there has never been a draft. */
  version: number;
  /** null: there is none. */
  configuration: SiteConfiguration | null;
  /** The version of the configuration that it was started from. */
  basedOn: number | null;
  updatedAt: Date | null;
}

/** A publication, with its time and author. */
export interface Publication {
  version: number;
  configurationVersion: number;
  tier: string;
  configHash: string;
  regionRulesLeftOut: boolean;
  /** When it was last written to storage. */
  at: Date;
  /** Since when it is shown. */
  inForceFrom: Date;
  comment: string | null;
  /** null: no person; the tier or the domains have changed, or the author is unknown. */
  authorKind: string | null;
  authorId: string | null;
}
