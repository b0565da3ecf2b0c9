import { createHash } from 'node:crypto';
import { CATALOGUE, GEO_TARGETING_TIERS, type TierFeatures } from '../../licensing/domain/catalogue.js';
import { isPreviewHost, previewHostPattern } from '../../licensing/domain/preview-host.js';
import type { Tier } from '../../licensing/domain/tier.js';
import type { ProjectController } from '../../projects/domain/project.js';
import { type BannerText, LABELS } from './banner-text.js';
import { type SiteConfiguration } from './configuration.js';
import { defaultText, knownText } from './default-texts.js';
import { EU_REGIONS, isEu, UNKNOWN_REGION } from './region.js';

/** What the loader reads. Members are only ever added: a cached loader may be older than its document. */
export interface SiteDocument extends SiteConfiguration {
  schemaVersion: 1;
  projectId: string;
  /** The effective tier (spec §2.6), and what it brings. */
  tier: Tier;
  features: TierFeatures;
  /** What holds instead on a preview host (spec §3.2 row 1). */
  preview: { tier: Tier; features: TierFeatures };
  /** Who decides about the records, for the second layer; null members where it is not given. */
  controller: ProjectController;
  /** Hosts of the project that would be preview hosts if they were not its own. */
  ownPreviewHosts: string[];
  /** Regular expression of the host names of which `preview` holds. */
  previewHosts: string;
  /** Countries of the European Economic Area, for a loader that gets the region from its edge. */
  euRegions: string[];
  /** File name of our banner, beside the loader; null where the site brings its own. */
  bannerScript: string | null;
  /** Where consents go; relative: to the loader's own origin. */
  consentUrl: string;
  /** Where page visits are counted; null: they are not. */
  visitsUrl: string | null;
  /** The visitor's region; filled in at delivery where it is known. */
  region: string;
  isEu: boolean;
  /** SHA-256 of all the others, in hex. */
  configHash: string;
}

export interface DocumentSource {
  projectId: string;
  domains: readonly string[];
  controller: ProjectController;
  tier: Tier;
  configuration: SiteConfiguration;
  /** Origin of the API; empty: the one that the loader came from. */
  publicBaseUrl: string;
  /** File name of our banner as it is built now. */
  bannerScript: string;
  /** Whether this service counts page visits at all. */
  countsVisits: boolean;
}

/** A document, ready to be stored. */
export interface RenderedDocument {
  document: SiteDocument;
  body: string;
  hash: string;
  /** Region rules were saved, and the tier does not allow them (spec §8): they are not in the document. */
  regionRulesLeftOut: boolean;
}

/** Renders what is published. The same source gives the same bytes, and so the same hash. */
export function renderDocument(source: DocumentSource): RenderedDocument {
  const { projectId, domains, controller, tier, configuration, publicBaseUrl, bannerScript, countsVisits } =
    source;
  const geoTargeting = GEO_TARGETING_TIERS.includes(tier);
  const ownPreviewHosts = domains.filter(
    (domain) => isPreviewHost(domain, []) && !isPreviewHost(domain, [domain]),
  );
  const settings = withWords(inOrder(configuration));
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
    bannerScript: settings.banner.enabled ? bannerScript : null,
    consentUrl: `${publicBaseUrl}/v1/projects/${projectId}/consents`,
    visitsUrl:
      countsVisits && settings.siteAnalytics ? `${publicBaseUrl}/v1/projects/${projectId}/visits` : null,
    region: UNKNOWN_REGION,
    isEu: isEu(UNKNOWN_REGION),
    ...settings,
    regionRules: geoTargeting ? settings.regionRules : [],
  };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const document: SiteDocument = { ...content, configHash: hash };
  return {
    document,
    body: JSON.stringify(document),
    hash,
    regionRulesLeftOut: !geoTargeting && configuration.regionRules.length > 0,
  };
}

/**
 * Our banner needs words for everything that it shows: those of the owner, then ours in the same language, then the
 * default language's. A banner of the site's own has its words for itself.
 */
function withWords(configuration: SiteConfiguration): SiteConfiguration {
  const { banner, defaultLanguage, texts } = configuration;
  if (!banner.enabled) return configuration;
  const fallback = {
    ...defaultText(defaultLanguage).labels,
    ...texts.find(({ language }) => language === defaultLanguage)?.labels,
  };
  return {
    ...configuration,
    texts: texts.map((text) => ({
      ...text,
      labels: { ...fallback, ...knownText(text.language)?.labels, ...text.labels },
    })),
  };
}

/** PostgreSQL returns JSON members in another order; the hash must not depend on it. */
function inOrder(configuration: SiteConfiguration): SiteConfiguration {
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
    regionRules: configuration.regionRules.map(({ regions, mode }) => ({ regions, mode })),
    honorGlobalPrivacyControl: configuration.honorGlobalPrivacyControl,
    siteAnalytics: configuration.siteAnalytics,
    services: configuration.services.map(({ name, provider, category, policyUrl, cookies }) => ({
      name,
      provider,
      category,
      policyUrl,
      cookies: cookies.map((cookie) => ({
        name: cookie.name,
        duration: cookie.duration,
        purpose: cookie.purpose,
      })),
    })),
    reconsentMonths: configuration.reconsentMonths,
    banner: {
      enabled: configuration.banner.enabled,
      layout: configuration.banner.layout,
      position: configuration.banner.position,
      theme: configuration.banner.theme,
      accent: configuration.banner.accent,
      accentDark: configuration.banner.accentDark,
      link: configuration.banner.link,
    },
  };
}
