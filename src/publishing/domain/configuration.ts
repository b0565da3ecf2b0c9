/** The categories of spec §2.1 that a banner may offer. */
export const CATEGORIES = ['analytics', 'marketing', 'preferences'] as const;
export type Category = (typeof CATEGORIES)[number];

/**
 * What holds where a visitor has chosen nothing: `opt_in` nothing is granted, `opt_out` all is until the visitor
 * objects, `none` all is and no banner is shown.
 */
export const CONSENT_MODES = ['opt_in', 'opt_out', 'none'] as const;
export type ConsentMode = (typeof CONSENT_MODES)[number];

export interface CategoryText {
  key: Category;
  title: string;
  description: string;
}

/** The banner's words in one language. They are text, not HTML. */
export interface BannerText {
  /** BCP 47, e.g. `en` or `pt-BR`. */
  language: string;
  title: string;
  description: string;
  acceptAll: string;
  rejectAll: string;
  choose: string;
  save: string;
  categories: CategoryText[];
}

/** The first rule that names a visitor's region decides. */
export interface RegionRule {
  /** ISO 3166-1 alpha-2, or `EU` for the European Economic Area. */
  regions: string[];
  mode: ConsentMode;
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
  /** Where no region rule says otherwise. */
  defaultMode: ConsentMode;
  regionRules: RegionRule[];
  /** Whether a browser that sends Global Privacy Control has thereby opted out. */
  honorGlobalPrivacyControl: boolean;
}

/** What a project has that never saved anything: the strictest of all, in English. */
export const DEFAULT_CONFIGURATION: SiteConfiguration = {
  policyVersion: '1',
  bannerVersion: '1',
  policyUrl: null,
  defaultLanguage: 'en',
  texts: [
    {
      language: 'en',
      title: 'Your choice',
      description: 'May we use cookies beyond the necessary ones?',
      acceptAll: 'Accept all',
      rejectAll: 'Reject all',
      choose: 'Choose',
      save: 'Save my choice',
      categories: [
        { key: 'analytics', title: 'Analytics', description: 'Helps us see how the site is used.' },
        { key: 'marketing', title: 'Marketing', description: 'Lets us show you what may interest you.' },
        { key: 'preferences', title: 'Preferences', description: 'Remembers how you like the site.' },
      ],
    },
  ],
  categories: [...CATEGORIES],
  defaultMode: 'opt_in',
  regionRules: [],
  honorGlobalPrivacyControl: true,
};

/** A configuration as it was stored, perhaps by an older version: members that it lacks are the default's. */
export function storedConfiguration(stored: Partial<SiteConfiguration> | null): SiteConfiguration {
  return { ...DEFAULT_CONFIGURATION, ...stored };
}
