import { createHash } from 'node:crypto';
import { CATALOGUE, GEO_TARGETING_TIERS, type TierFeatures } from '../../licensing/domain/catalogue.js';
import { isPreviewHost, previewHostPattern } from '../../licensing/domain/preview-host.js';
import type { Tier } from '../../licensing/domain/tier.js';
import type { DataController } from '../../projects/domain/project.js';
import {
  type BannerText,
  CATEGORIES,
  type Category,
  COUNT_LABELS,
  LABELS,
  MODE_LABELS,
  SEARCH_LABELS,
} from './banner-text.js';
import type { CategoryModes } from './consent-modes.js';
import {
  type BannerSettings,
  type BlockingSettings,
  DEFAULT_CONFIGURATION,
  type ServiceCookie,
  type SiteConfiguration,
  type SiteService,
} from './configuration.js';
import { defaultText, knownText } from './default-texts.js';
import { logoFile, type LogoFile } from './logo.js';
import { type PublishedRules, publishedRules, serviceIdsOf } from './published-rules.js';
import { EU_REGIONS, isEu, UNKNOWN_REGION } from './region.js';
import {
  type PublishedSignals,
  publishedSignals,
  type PublishedVendors,
  publishedVendors,
} from './signals.js';

type AddedSetting = 'radius' | 'secondaryButton';

/** The document for the loader. Members are only added: a cached loader may be older than its document. */
export interface SiteDocument
  extends
    Omit<
      SiteConfiguration,
      keyof PublishedRules | 'banner' | 'presetUpdates' | 'blocking' | 'signals' | 'serviceChoice'
    >,
    PublishedRules,
    PublishedSignals,
    PublishedVendors {
  /**
   * Ids of services that need consent, stored with the choice: a new one requires a new choice
   * (loader/prompt-rule.ts). Where visitors choose by service, those of `services`; else hashes.
   */
  serviceIds: string[];
  /** Only if visitors choose by service; `services` then have ids. */
  serviceChoice?: true;
  /** File name of the banner's part for that, beside the loader; absent without our banner. */
  serviceScript?: string;
  banner: Omit<BannerSettings, AddedSetting> & Partial<Pick<BannerSettings, AddedSetting>>;
  /** Only if it is on, because each page loads the document. */
  blocking?: BlockingSettings;
  schemaVersion: 1;
  projectId: string;
  /** The effective tier (spec §2.6) and its features. */
  tier: Tier;
  features: TierFeatures;
  /** Tier and features on a preview host (spec §3.2 row 1). */
  preview: { tier: Tier; features: TierFeatures };
  /** The controller of the records, for the second layer; null members if not given. */
  controller: DataController;
  /** Hosts of the project that would be preview hosts if they were not its own. */
  ownPreviewHosts: string[];
  /** Regular expression of the host names of which `preview` holds. */
  previewHosts: string;
  /** Countries of the European Economic Area, for a loader that gets the region from its edge. */
  euRegions: string[];
  /**
   * File name of the page script, beside the loader: our banner, including the signals if one is
   * on; only the signals if the site has its own banner; null: none.
   */
  bannerScript: string | null;
  /** Where consents go; relative: to the loader's own address. */
  consentUrl: string;
  /** Where page visits are counted; null: they are not. */
  visitsUrl: string | null;
  /** Scope of the cookie with the choice, through a customer's proxy: the host, or the registrable domain. */
  choiceCookie?: 'host' | 'domain';
  /** The visitor's region; filled in at delivery if known. */
  region: string;
  isEu: boolean;
  /** SHA-256 of all the others, in hex. */
  configHash: string;
}

export interface DocumentSource {
  projectId: string;
  domains: readonly string[];
  controller: DataController;
  tier: Tier;
  configuration: SiteConfiguration;
  /** Origin of the API; empty: the one that the loader came from. */
  publicBaseUrl: string;
  /** File names of this build's page scripts. */
  scripts: PageScripts;
  /** Whether this service counts page visits at all. */
  countsVisits: boolean;
  /** When it applies: presets have states by date. */
  at: Date;
}

export interface PageScripts {
  banner: string;
  bannerWithSignals: string;
  /** The banner where visitors choose by service, and its part. */
  bannerByService: string;
  bannerByServiceWithSignals: string;
  services: string;
  signals: string;
}

/** A document, ready to be stored. */
export interface RenderedDocument {
  document: SiteDocument;
  body: string;
  hash: string;
  /** The banner's logo, which is published beside it; null: none. */
  logo: LogoFile | null;
  /** Region rules were saved, and the tier does not allow them (spec §8): they are not in the document. */
  regionRulesLeftOut: boolean;
}

/** Renders the published document. The same source results in the same bytes, and so the same hash. */
export function renderDocument(source: DocumentSource): RenderedDocument {
  const { projectId, domains, controller, tier, configuration, publicBaseUrl, scripts, countsVisits, at } =
    source;
  const geoTargeting = GEO_TARGETING_TIERS.includes(tier);
  const ownPreviewHosts = domains.filter(
    (domain) => isPreviewHost(domain, []) && !isPreviewHost(domain, [domain]),
  );
  const logo = logoFile(configuration.banner.logo ?? '');
  const ordered = inOrder(configuration, logo);
  const published = publishedSignals(configuration.signals);
  const effective = { ...ordered, regionRules: geoTargeting ? ordered.regionRules : [] };
  const {
    blocking,
    signals: _signals,
    presetUpdates: _updates,
    serviceChoice,
    defaultModes: _modes,
    defaultPreset: _preset,
    ...settings
  } = withWords(effective, at);
  const content: Omit<SiteDocument, 'configHash'> = {
    schemaVersion: 1,
    projectId,
    tier,
    features: CATALOGUE[tier].features,
    preview: { tier: 'lite', features: CATALOGUE.lite.features },
    controller: { name: controller.name, contact: controller.contact },
    ownPreviewHosts,
    previewHosts: previewHostPattern(ownPreviewHosts),
    euRegions: EU_REGIONS.split(' '),
    bannerScript: choosePageScript(scripts, {
      hasBanner: settings.banner.enabled,
      hasSignals: published.signals !== undefined,
      isByService: serviceChoice,
    }),
    consentUrl: `${publicBaseUrl}/v1/projects/${projectId}/consents`,
    visitsUrl:
      countsVisits && settings.siteAnalytics ? `${publicBaseUrl}/v1/projects/${projectId}/visits` : null,
    region: UNKNOWN_REGION,
    isEu: isEu(UNKNOWN_REGION),
    ...settings,
    banner: publishedBanner(settings.banner),
    ...publishedRules(effective, at),
    serviceIds: serviceIdsOf(effective),
    ...(serviceChoice && { serviceChoice }),
    ...(serviceChoice && settings.banner.enabled && { serviceScript: scripts.services }),
    ...(blocking.enabled && { blocking }),
    ...published,
    ...(serviceChoice && publishedVendors(effective)),
  };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const document: SiteDocument = { ...content, configHash: hash };
  return {
    document,
    body: JSON.stringify(document),
    hash,
    logo,
    regionRulesLeftOut: !geoTargeting && configuration.regionRules.length > 0,
  };
}

/** The script that the loader runs; null: none. */
export function choosePageScript(
  scripts: PageScripts,
  { hasBanner, hasSignals, isByService }: { hasBanner: boolean; hasSignals: boolean; isByService: boolean },
): string | null {
  if (!hasBanner) return hasSignals ? scripts.signals : null;
  if (isByService) return hasSignals ? scripts.bannerByServiceWithSignals : scripts.bannerByService;
  return hasSignals ? scripts.bannerWithSignals : scripts.banner;
}

/** Addresses as seen from the loader, on a customer's host: all requests go to that host. */
export function relativeAddresses({
  projectId,
  visitsUrl,
}: SiteDocument): Pick<SiteDocument, 'consentUrl' | 'visitsUrl'> {
  // From /cdn/<projectId>/loader.js.
  const base = `../../v1/projects/${projectId}`;
  return { consentUrl: `${base}/consents`, visitsUrl: visitsUrl === null ? null : `${base}/visits` };
}

/** The choice cookie of the site's main host, which a customer's proxy lets the service set. */
export function choiceCookieKind({ banner }: SiteDocument): NonNullable<SiteDocument['choiceCookie']> {
  return banner.shareSubdomains ? 'domain' : 'host';
}

/**
 * Fills every label: the owner's text, else our text in that language, else in the default
 * language; and categories in languages that we have texts in. Sites with their own banner need
 * none.
 */
function withWords(configuration: SiteConfiguration, at: Date): SiteConfiguration {
  const { banner, defaultLanguage, texts } = configuration;
  if (!banner.enabled) return configuration;
  const unused = unusedLabels(configuration, at);
  const fallback = {
    ...defaultText(defaultLanguage).labels,
    ...texts.find(({ language }) => language === defaultLanguage)?.labels,
  };
  return {
    ...configuration,
    texts: texts.map((text) => ({
      ...text,
      categories: withOurs(text, configuration.categories),
      labels: without(unused, { ...fallback, ...knownText(text.language)?.labels, ...text.labels }),
    })),
  };
}

function withOurs(
  { language, categories }: BannerText,
  offered: readonly Category[],
): BannerText['categories'] {
  const ours = knownText(language)?.categories ?? [];
  const isMissing = (key: Category): boolean => !categories.some((category) => category.key === key);
  return [...categories, ...ours.filter(({ key }) => offered.includes(key) && isMissing(key))];
}

/** Services from which the second layer has a search (loader/services/service-list.ts). */
const SEARCH_SERVICES_MIN = 12;

/** Labels of modes that no region uses: every page would load them needlessly. */
export function unusedLabels(configuration: SiteConfiguration, at: Date): string[] {
  const { categories, services, serviceChoice } = configuration;
  const { defaultModes, defaultMode, regionRules, honorGlobalPrivacyControl } = publishedRules(
    configuration,
    at,
  );
  const rows = [
    { mode: defaultMode, modes: defaultModes, isHonored: honorGlobalPrivacyControl },
    ...regionRules.map(({ mode, modes, honorGlobalPrivacyControl: isHonored }) => ({
      mode,
      modes,
      isHonored: isHonored ?? honorGlobalPrivacyControl,
    })),
  ];
  const isSomethingOn = ({ mode, modes }: ShownModes): boolean =>
    Object.values(modes ?? { mode }).some((each) => each !== 'opt_in');
  const informs = rows.some(({ mode }) => mode === 'notice') || categories.length === 0;
  return [
    // A prompt with several modes uses the labels of opt-in.
    ...(rows.some(({ mode }) => mode === 'opt_out') ? [] : MODE_LABELS.opt_out),
    ...(rows.some((row) => isSomethingOn(row) && row.isHonored) ? [] : MODE_LABELS.signal),
    ...(informs ? [] : MODE_LABELS.notice),
    ...(rows.some(({ mode, modes }) => mode === 'opt_in' && modes) ? [] : MODE_LABELS.mixed),
    ...(services.some(({ cookies }) => cookies.length > 0) ? [] : COUNT_LABELS),
    ...(serviceChoice && services.length >= SEARCH_SERVICES_MIN ? [] : SEARCH_LABELS),
  ];
}

const without = (names: string[], labels: BannerText['labels']): BannerText['labels'] =>
  Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)));

interface ShownModes {
  mode: string;
  modes: CategoryModes | undefined;
}

/** PostgreSQL returns JSON members in another order; the hash must not depend on it. */
function inOrder(configuration: SiteConfiguration, logo: LogoFile | null): SiteConfiguration {
  const languages = new Set(configuration.texts.map(({ language }) => language));
  return {
    policyVersion: configuration.policyVersion,
    bannerVersion: configuration.bannerVersion,
    policyUrl: configuration.policyUrl,
    defaultLanguage: configuration.defaultLanguage,
    texts: configuration.texts.map((text) => ({
      language: text.language,
      title: text.title,
      description: text.description,
      acceptAll: text.acceptAll,
      rejectAll: text.rejectAll,
      choose: text.choose,
      save: text.save,
      categories: text.categories.map(({ key, title, description }) => ({ key, title, description })),
      labels: Object.fromEntries(
        LABELS.filter((name) => text.labels[name] !== undefined).map((name) => [name, text.labels[name]]),
      ) as BannerText['labels'],
    })),
    categories: configuration.categories,
    defaultMode: configuration.defaultMode,
    defaultModes: modesInOrder(configuration.defaultModes),
    defaultPreset: configuration.defaultPreset,
    // Published in the order of `publishedRules`.
    regionRules: configuration.regionRules.map((rule) => ({ ...rule, modes: modesInOrder(rule.modes) })),
    presetUpdates: configuration.presetUpdates,
    honorGlobalPrivacyControl: configuration.honorGlobalPrivacyControl,
    siteAnalytics: configuration.siteAnalytics,
    services: configuration.services.map((service) => ({
      ...(configuration.serviceChoice && { id: service.id }),
      ...serviceInOrder(service, languages),
    })) as SiteService[],
    serviceChoice: configuration.serviceChoice,
    reconsentMonths: configuration.reconsentMonths,
    banner: bannerInOrder(configuration.banner, logo),
    blocking: {
      enabled: configuration.blocking.enabled,
      rules: configuration.blocking.rules.map(({ host, path, category, service }) => ({
        host,
        path,
        category,
        ...(configuration.serviceChoice && service && { service }),
      })),
    },
    // Published in the order of `publishedSignals`.
    signals: configuration.signals,
  };
}

const modesInOrder = (modes: CategoryModes): CategoryModes =>
  Object.fromEntries(CATEGORIES.map((category) => [category, modes[category]])) as CategoryModes;

const BANNER = DEFAULT_CONFIGURATION.banner;

/** Without what was added later, if it has the default: each page loads the document. */
function publishedBanner({ radius, secondaryButton, ...banner }: BannerSettings): SiteDocument['banner'] {
  return {
    ...banner,
    ...(radius !== BANNER.radius && { radius }),
    ...(secondaryButton !== BANNER.secondaryButton && { secondaryButton }),
  };
}

function bannerInOrder(banner: BannerSettings, logo: LogoFile | null): BannerSettings {
  return {
    enabled: banner.enabled,
    layout: banner.layout,
    position: banner.position,
    theme: banner.theme,
    font: banner.font,
    logo: logo?.name ?? null,
    accent: banner.accent,
    accentDark: banner.accentDark,
    radius: banner.radius,
    secondaryButton: banner.secondaryButton,
    link: banner.link,
    linkPosition: banner.linkPosition,
    shareSubdomains: banner.shareSubdomains,
  };
}

/** With translations into languages of the banner; a list that is empty is left out, since each page loads it. */
function serviceInOrder(service: SiteService, languages: ReadonlySet<string>): SiteService {
  const { name, provider, category, policyUrl, cookies, translations } = service;
  return {
    name,
    provider,
    category,
    policyUrl,
    cookies: cookies.map(
      (cookie) =>
        ({
          name: cookie.name,
          duration: cookie.duration,
          purpose: cookie.purpose,
          ...translated(cookie.translations, languages, ({ language, duration, purpose }) => ({
            language,
            ...(duration !== undefined && { duration }),
            ...(purpose !== undefined && { purpose }),
          })),
        }) as ServiceCookie,
    ),
    ...translated(translations, languages, (translation) => ({
      language: translation.language,
      ...(translation.name !== undefined && { name: translation.name }),
    })),
  } as SiteService;
}

function translated<T extends { language: string }>(
  translations: T[],
  languages: ReadonlySet<string>,
  inOrder: (translation: T) => object,
): { translations?: object[] } {
  const shown = translations.filter(({ language }) => languages.has(language)).map(inOrder);
  return shown.length > 0 ? { translations: shown } : {};
}
