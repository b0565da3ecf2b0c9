/** Whether each category is granted. */
export interface Choice {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  /** Whether each service is granted, by its id; absent where the choice was not made by service. */
  services?: Record<string, boolean> | undefined;
}

export type Category = keyof Omit<Choice, 'services'>;
/** undefined: the visitor has not decided, and consent is required. */
export type Granted = Choice | undefined;

/** The element that carries our banner. */
export const BANNER_HOST_ID = 'consent-banner';

interface CategoryText {
  key: Category;
  title: string;
  /** Absent on the first layer (banner/language-files.ts). */
  description?: string;
}

/** The words of one language; `labels` are there where our own banner is used. */
export interface BannerText {
  language: string;
  title: string;
  description: string;
  acceptAll: string;
  rejectAll: string;
  choose: string;
  save: string;
  categories: CategoryText[];
  labels: Record<string, string>;
}

export interface SiteService {
  /** Only where visitors choose by service. */
  id?: string;
  name: string;
  provider: string;
  category: Category | 'necessary';
  policyUrl: string | null;
  cookies: SiteCookie[];
  /** Absent if empty, and in older documents. */
  translations?: { language: string; name?: string }[];
}

interface SiteCookie {
  name: string;
  duration: string;
  purpose: string;
  translations?: { language: string; duration?: string; purpose?: string }[];
}

export interface BannerSettings {
  enabled: boolean;
  layout: 'box' | 'bar';
  position: 'left' | 'center' | 'right' | 'top-left' | 'top-center' | 'top-right' | 'middle';
  theme: 'auto' | 'light' | 'dark';
  accent: string;
  accentDark: string;
  link: boolean;
  /** Absent in older documents, as all that follow. */
  font?: 'system' | 'site';
  /** File name beside the banner; null: none. */
  logo?: string | null;
  linkPosition?: 'left' | 'right';
  /** Of the buttons' corners in px; absent: 9. */
  radius?: number;
  /** The button that leads to the second layer; absent: only its text. */
  secondaryButton?: 'text' | 'outline';
  /** Whether a choice holds on all subdomains, by a cookie. */
  shareSubdomains?: boolean;
}

/** What applies in a region (src/modules/publishing/domain/published-rules.ts). */
export interface Rule {
  /** The strictest mode of all categories. */
  mode: string;
  /** Only where categories differ. */
  modes?: Record<Category, string> | undefined;
  /** Name and version of the preset that set the modes. */
  preset?: string | undefined;
  /** Only if it differs from the document's. */
  honorGlobalPrivacyControl?: boolean;
}

/** The published document (src/modules/publishing/domain/document.ts), as far as a page needs it. */
export interface SiteConfiguration {
  projectId: string;
  tier: string;
  features: object;
  preview: { tier: string; features: object };
  /** A regular expression of host names; absent in documents that are older. */
  previewHosts?: string;
  /** Countries of the European Economic Area; absent as above. */
  euRegions?: string[];
  consentUrl: string;
  /** Where visits are counted; null: they are not. Absent in older documents. */
  visitsUrl?: string | null;
  region: string;
  configHash: string;
  policyVersion: string;
  policyUrl: string | null;
  bannerVersion: string;
  categories: Category[];
  defaultLanguage: string;
  texts: BannerText[];
  /**
   * Only where texts and services are in files by language (banner/language-files.ts); `texts` then
   * has the default language's first layer, and `services` have only categories and cookie names.
   */
  languages?: string[];
  defaultMode: string;
  /** Only where categories differ, as in a rule; absent in older documents, as the next one. */
  defaultModes?: Record<Category, string>;
  defaultPreset?: string;
  regionRules: (Rule & { regions: string[] })[];
  /** Of services that need consent; absent in older documents. */
  serviceIds?: string[];
  honorGlobalPrivacyControl: boolean;
  services: SiteService[];
  /** Who decides about the records; absent in older documents. */
  controller?: { name: string | null; contact: string | null };
  /** These three are absent in a document that an older version has published. */
  reconsentMonths?: number;
  banner?: BannerSettings;
  /**
   * Scope of the cookie with the choice, through a proxy on the site's own host; absent elsewhere.
   */
  choiceCookie?: 'host' | 'domain';
  /**
   * File name of the page script, beside the loader: our banner, or the signals if the site has its
   * own banner; null: none.
   */
  bannerScript?: string | null;
  /** File name of the banner's part where visitors choose by service (services/services.ts). */
  serviceScript?: string;
  /** Where visitors choose by service: the services that Google and the signals follow. */
  vendors?: Record<string, string[]>;
  /** The signals that are on (signals/targets.ts), and the name of the event for tag managers. */
  signals?: string[];
  dataLayerEvent?: string;
  /** Parameters for `gtag('set')`; absent if none is on. */
  gtag?: Record<string, boolean>;
}

export interface Submission extends Partial<Choice> {
  action?: string;
  /** The categories that this banner offered, if fewer than the configuration's. */
  offered?: string[];
  /** Whether each service is granted, by its id. */
  services?: Record<string, boolean> | undefined;
  [field: string]: unknown;
}

/** The last choice, as the browser keeps it. The last four are missing in what an older loader has stored. */
export interface StoredChoice extends Choice {
  id?: string;
  /** Milliseconds since 1970, by the browser's clock. */
  at?: number;
  action?: string;
  /**
   * Policy version, categories and services of the prompt that the visitor was shown
   * (prompt-rule.ts).
   */
  prompt?: string | null;
}

/** Why the banner is shown: a choice is needed, a link was followed, or a signal of the browser was honoured. */
export type Reason = 'banner' | 'link' | 'signal';

/** `window.serviceConsent`, as far as the banner needs it. */
export interface Consent {
  readonly ready: Promise<object>;
  open(): Promise<void>;
  rescan(): void;
  /** Absent in an older loader. */
  isAllowed?(name: string): boolean;
  submit(submission: Submission): Promise<object>;
  readonly configuration: SiteConfiguration | null;
  readonly choice: StoredChoice | null;
  readonly mode: string;
  /** Absent in an older loader. */
  readonly modes?: Readonly<Record<Category, string>>;
}

/** Shows the banner. */
export type ShowBanner = (consent: Consent, reason: Reason) => void;

/** The banner's work on the page while it is hidden (banner/page-work.ts). */
export interface PageWork {
  /** Called with the grants, at first and at each choice; undefined: no decision. */
  apply(granted: Granted): void;
  /**
   * Runs granted elements that were added to the page since. Absent without a banner, and in older
   * ones.
   */
  rescan?(): void;
  /** Determines the displayed state, unless a choice does. */
  seen: Seen;
  /** Where visitors choose by service: resolved once choices are completed. */
  completed?: Promise<void> | undefined;
}

/** A visitor's grants by service. */
export interface ServiceChoice {
  /** Categories of which every service is granted. */
  granted: Category[];
  services: Record<string, boolean>;
}

/** A service in the second layer's list. */
export interface ServiceItem {
  id: string;
  item: HTMLElement;
  isOn: boolean;
}

/** The banner's part where visitors choose by service. */
export interface ServicePart {
  /** Grants of the page's last choice; undefined: none was completed. */
  current(): Record<string, boolean> | undefined;
  complete(configuration: SiteConfiguration, choice: Choice): void;
  allow(configuration: SiteConfiguration, granted: Granted, name: string): ServiceChoice;
  addSwitches(box: HTMLInputElement, items: ServiceItem[]): () => Record<string, boolean>;
  addSearch(list: HTMLElement, label: string): void;
}

/** Its script element, with its interface for the banner. */
export interface ServiceScript extends HTMLScriptElement {
  services: ServicePart;
}

/** Creates a script that runs when it is added to the page (trusted-script.ts). */
export type TrustedScript = (address: string | undefined, text: string) => HTMLScriptElement;

/** Recorded with a choice: the banner's language and theme, and the kind of device. */
export interface Seen {
  language: string;
  theme: 'light' | 'dark';
  device: 'phone' | 'tablet' | 'desktop';
}

/** The banner's script element, with its interface for the loader. */
export interface BannerScript extends HTMLScriptElement {
  show: ShowBanner;
  /** Absent in a banner that an older version has published. */
  start?(consent: Consent, trustedScript: TrustedScript): PageWork;
}
