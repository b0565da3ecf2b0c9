import type { ServiceCategory, SiteService } from '../../publishing/domain/configuration.js';
import { isOwnStorage, type ItemKey, matchesPattern } from './item-key.js';
import {
  bareHost,
  isGuess,
  isOfDomain,
  type KnownCookie,
  type KnownEntity,
  type KnownServices,
} from './known-services.js';

/** Sources of a classification, by precedence. `none`: unknown. */
export const CLASSIFICATION_SOURCES = [
  'decision',
  'configuration',
  'own',
  'cookie_database',
  'third_party_web',
  'none',
] as const;
export type ClassificationSource = (typeof CLASSIFICATION_SOURCES)[number];

/** `guess`: only by its name. `none`: no category. */
export const CLASSIFICATION_CERTAINTIES = ['known', 'guess', 'none'] as const;
export type ClassificationCertainty = (typeof CLASSIFICATION_CERTAINTIES)[number];

export interface Classification {
  /** null: unknown, or only proposed. */
  category: ServiceCategory | null;
  /** Categories that the owner has to confirm. */
  proposed: ServiceCategory[];
  source: ClassificationSource;
  certainty: ClassificationCertainty;
  /** Name of the service. */
  service: string | null;
  provider: string | null;
  purpose: string | null;
  /** In words. */
  duration: string | null;
  policyUrl: string | null;
}

/** The owner's decision about an item. */
export interface CookieDecision extends ItemKey {
  category: ServiceCategory;
  purpose: string | null;
  provider: string | null;
  duration: string | null;
}

export interface ClassifiableItem extends ItemKey {
  thirdParty: boolean;
  /** Host and path of scripts, responses and frames that caused it. */
  initiators: readonly string[];
}

export interface ClassificationSources {
  decisions: readonly CookieDecision[];
  /** Services of the configuration: published, then of the draft. */
  services: readonly SiteService[];
  known: KnownServices;
}

/** Categories of entities that determine the purpose of their storage; other entities may have several. */
const ENTITY_CATEGORIES: Partial<Record<string, ServiceCategory>> = {
  ad: 'marketing',
  marketing: 'marketing',
  social: 'marketing',
  analytics: 'analytics',
};

const UNKNOWN: Classification = {
  category: null,
  proposed: [],
  source: 'none',
  certainty: 'none',
  service: null,
  provider: null,
  purpose: null,
  duration: null,
  policyUrl: null,
};

/**
 * The purpose of an item, by the first source that has one. Nothing is necessary unless the owner decides so.
 */
export function classifyItem(item: ClassifiableItem, sources: ClassificationSources): Classification {
  const entities = entitiesOf(item, sources.known);
  return (
    byDecision(item, sources.decisions) ??
    byConfiguration(item, entities, sources.services) ??
    (isOwnStorage(item) ? OWN : null) ??
    byCookieOfDomain(item, sources.known) ??
    byEntity(entities) ??
    byCookieName(item, entities, sources.known) ?? {
      ...UNKNOWN,
      service: entities[0]?.name ?? null,
      provider: entities[0]?.company ?? null,
    }
  );
}

const OWN: Classification = {
  ...UNKNOWN,
  category: 'necessary',
  source: 'own',
  certainty: 'known',
  purpose: 'Stores the consent choice and what the banner needs.',
};

function byDecision(item: ItemKey, decisions: readonly CookieDecision[]): Classification | null {
  const decision = decisions.find(
    ({ kind, name, host }) => kind === item.kind && host === item.host && matchesPattern(item.name, name),
  );
  if (!decision) return null;
  const { category, purpose, provider, duration } = decision;
  return { ...UNKNOWN, category, source: 'decision', certainty: 'known', purpose, provider, duration };
}

/** A service that lists the cookie, or for a request the service with the name of its entity. */
function byConfiguration(
  item: ClassifiableItem,
  entities: readonly KnownEntity[],
  services: readonly SiteService[],
): Classification | null {
  for (const service of services) {
    const cookie = service.cookies.find(
      ({ name }) => item.kind !== 'request' && matchesPattern(item.name, name),
    );
    const isNamed =
      item.kind === 'request' &&
      entities.some(({ name }) => name.toLowerCase() === service.name.toLowerCase());
    if (!cookie && !isNamed) continue;
    const { category, name, provider, policyUrl } = service;
    return {
      category,
      proposed: [],
      source: 'configuration',
      certainty: 'known',
      service: name,
      provider,
      policyUrl,
      purpose: cookie?.purpose ?? null,
      duration: cookie?.duration ?? null,
    };
  }
  return null;
}

function byCookieOfDomain(item: ClassifiableItem, known: KnownServices): Classification | null {
  if (item.kind === 'request') return null;
  const row = known.cookiesNamed(item.name).find((each) => isOfDomain(each, item.host));
  return row ? ofRow(row, 'known') : null;
}

/** The entity of the script, response or frame that caused it, or of its host if that is not the site's own. */
function entitiesOf({ host, thirdParty, initiators }: ClassifiableItem, known: KnownServices): KnownEntity[] {
  const hosts = [...initiators.map(hostOfInitiator), ...(thirdParty ? [host] : [])];
  return hosts.map((each) => known.entityOf(each)).filter((entity) => entity !== null);
}

function hostOfInitiator(initiator: string): string {
  return bareHost(initiator.split('/')[0] ?? '');
}

function byEntity(entities: readonly KnownEntity[]): Classification | null {
  for (const { name, company, category: kind } of entities) {
    const category = ENTITY_CATEGORIES[kind];
    if (category)
      return {
        ...UNKNOWN,
        category,
        source: 'third_party_web',
        certainty: 'known',
        service: name,
        provider: company,
      };
  }
  return null;
}

/** Only by its name: a guess, unless the row's provider is also that of the script that set it. */
function byCookieName(
  item: ClassifiableItem,
  entities: readonly KnownEntity[],
  known: KnownServices,
): Classification | null {
  if (item.kind === 'request') return null;
  const rows = known.cookiesNamed(item.name).filter(isGuess);
  const confirmed = rows.find((row) => entities.some((entity) => isProvider(row, entity)));
  if (confirmed) return ofRow(confirmed, 'known');
  const [first] = rows;
  if (!first) return null;
  const best = rows.filter(({ name }) => name === first.name);
  // Sites use the same name for different cookies: then the category is unknown.
  return new Set(best.map(({ category }) => category)).size > 1 ? null : ofRow(first, 'guess');
}

function isProvider({ platform, controller }: KnownCookie, { name, company }: KnownEntity): boolean {
  const names = [name.toLowerCase(), company.toLowerCase()];
  return names.includes(platform.toLowerCase()) || names.includes(controller.toLowerCase());
}

function ofRow(row: KnownCookie, certainty: 'known' | 'guess'): Classification {
  const { category, proposed } = categoriesOf(row);
  return {
    category,
    proposed,
    source: 'cookie_database',
    certainty: category === null ? 'none' : certainty,
    service: row.platform || null,
    provider: row.controller || row.platform || null,
    purpose: row.purpose || null,
    duration: row.duration || null,
    policyUrl: row.policyUrl || null,
  };
}

/** Whether something is necessary depends on the site, so it is proposed and never concluded. */
function categoriesOf({ category }: KnownCookie): Pick<Classification, 'category' | 'proposed'> {
  switch (category) {
    case 'Marketing':
      return { category: 'marketing', proposed: [] };
    case 'Analytics':
      return { category: 'analytics', proposed: [] };
    case 'Personalization':
      return { category: 'preferences', proposed: [] };
    case 'Functional':
      return { category: null, proposed: ['preferences', 'necessary'] };
    case 'Security':
    case 'Necessary':
      return { category: null, proposed: ['necessary'] };
  }
}
