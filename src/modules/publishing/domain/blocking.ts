import { CATEGORIES, type Category } from './banner-text.js';
import type { BlockingRule, SiteConfiguration } from './configuration.js';
import { serviceIdsOf } from './published-rules.js';

/** Rules of one project. */
export const BLOCKING_RULES_MAX = 200;
/** A host name in lower case, without port; its subdomains are included. */
export const BLOCKED_HOST = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
export const BLOCKED_HOST_CHARACTERS_MAX = 253;
/** The prefix of a path; up to two `*` match any characters, so that matching is fast. */
export const BLOCKED_PATH = /^\/[!-)+-~]*(\*[!-)+-~]*){0,2}$/;
export const BLOCKED_PATH_CHARACTERS_MAX = 200;

/** What blocker.js needs of a configuration: embedded into it (loader/blocker/). */
interface BlockerData {
  /** The project's id. */
  id: string;
  /** What decides whether a stored choice still counts (loader/prompt-rule.ts). */
  policyVersion: string;
  categories: Category[];
  serviceIds: string[];
  reconsentMonths: number;
  /** Regular expressions of host and path with their categories or services; the first that matches decides. */
  rules: [pattern: string, name: string][];
  /** Where visitors choose by service: ids with their categories. */
  services?: [id: string, category: string][];
}

/** Everything that blocker.js reads; null where blocking is off. */
export function blockerData(projectId: string, configuration: SiteConfiguration): BlockerData | null {
  const { blocking, categories, policyVersion, reconsentMonths, services, serviceChoice } = configuration;
  if (!blocking.enabled) return null;
  return {
    id: projectId,
    policyVersion,
    categories,
    serviceIds: serviceIdsOf(configuration),
    reconsentMonths,
    rules: patterns(blocking.rules, serviceChoice),
    ...(serviceChoice && {
      services: services
        .filter(({ category }) => category !== 'necessary')
        .map(({ id = '', category }): [string, string] => [id, category]),
    }),
  };
}

/** Finds the rule that decides about an address, host and path without a port; null: none does. */
export function ruleFinder(rules: readonly BlockingRule[]): (address: string) => BlockingRule | null {
  const expressions = rules.map((rule) => [new RegExp(expression([alternative(rule)])), rule] as const);
  return (address) => expressions.find(([pattern]) => pattern.test(address))?.[1] ?? null;
}

/** One expression for neighboring rules of the same category, or of the same service if visitors choose it. */
function patterns(rules: readonly BlockingRule[], serviceChoice: boolean): [string, string][] {
  const groups: { name: string; alternatives: string[] }[] = [];
  for (const rule of rules) {
    const name = (serviceChoice && rule.service) || rule.category;
    const last = groups.at(-1);
    if (last?.name === name) last.alternatives.push(alternative(rule));
    else groups.push({ name, alternatives: [alternative(rule)] });
  }
  return groups.map(({ name, alternatives }) => [expression(alternatives), name]);
}

const expression = (alternatives: readonly string[]): string => `^(?:[^/]*\\.)?(?:${alternatives.join('|')})`;

// The root of DNS may end a host name: example.com. is the same host.
const alternative = ({ host, path }: BlockingRule): string =>
  escaped(host) + String.raw`\.?` + (path === null ? '/' : escaped(path).replaceAll(String.raw`\*`, '.*'));

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** A Content-Security-Policy made of blocking rules. */
export interface BlockingPolicy {
  /** Value of the header without any grants. */
  beforeConsent: string;
  /** Sources to add to each directive once the category is granted. */
  byCategory: Record<Category, string[]>;
  /** Rules that a policy cannot express; it allows nothing for them. */
  leftOut: BlockingRule[];
}

/**
 * Sources that every page needs. This policy decides about hosts only, so the page's own inline code stays allowed:
 * against injected code, a site replaces 'unsafe-inline' with nonces.
 */
const OWN_SOURCES = ["'self'", "'unsafe-inline'", 'data:', 'blob:'];
/** A path that a source of a policy matches as a rule does: everything below it. */
const FOLDER_PATH = /^\/([^?*]*\/)?$/;

/** A policy lists allowed sources only: it names the hosts of granted categories and stops all others. */
export function blockingPolicy(rules: readonly BlockingRule[], serviceOrigin: string): BlockingPolicy {
  const expressible = rules.filter((rule, index) => isExpressible(rule, rules.slice(0, index)));
  const sourcesOf = (category: BlockingRule['category']): string[] => [
    ...new Set(expressible.filter((rule) => rule.category === category).flatMap(sources)),
  ];
  const allowed = [serviceOrigin, ...sourcesOf('necessary')];
  return {
    beforeConsent: [
      ['default-src', ...OWN_SOURCES, ...allowed].join(' '),
      // Has no default.
      ['form-action', "'self'", ...allowed].join(' '),
    ].join('; '),
    byCategory: Object.fromEntries(
      CATEGORIES.map((category) => [category, sourcesOf(category)]),
    ) as BlockingPolicy['byCategory'],
    leftOut: rules.filter((rule) => !expressible.includes(rule)),
  };
}

/** Its source may not allow anything that an earlier rule gives to another category. */
function isExpressible({ host, path, category }: BlockingRule, earlier: readonly BlockingRule[]): boolean {
  return (
    (path === null || FOLDER_PATH.test(path)) &&
    earlier.every(
      (other) =>
        [category, 'necessary'].includes(other.category) ||
        !(`.${other.host}`.endsWith(`.${host}`) || `.${host}`.endsWith(`.${other.host}`)),
    )
  );
}

function sources({ host, path }: BlockingRule): string[] {
  // These two end a source or a directive.
  const below = (path ?? '').replaceAll(';', '%3B').replaceAll(',', '%2C');
  return [`${host}${below}`, `*.${host}${below}`];
}
