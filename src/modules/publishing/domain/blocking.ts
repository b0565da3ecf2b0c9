import type { Category } from './banner-text.js';
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
  /** Regular expressions of host and path with their categories; the first that matches decides. */
  rules: [pattern: string, category: string][];
}

/** Everything that blocker.js reads; null where blocking is off. */
export function blockerData(projectId: string, configuration: SiteConfiguration): BlockerData | null {
  const { blocking, categories, policyVersion, reconsentMonths } = configuration;
  if (!blocking.enabled) return null;
  return {
    id: projectId,
    policyVersion,
    categories,
    serviceIds: serviceIdsOf(configuration),
    reconsentMonths,
    rules: patterns(blocking.rules),
  };
}

/** Finds the rule that decides about an address, host and path without a port; null: none does. */
export function ruleFinder(rules: readonly BlockingRule[]): (address: string) => BlockingRule | null {
  const expressions = rules.map((rule) => [new RegExp(expression([alternative(rule)])), rule] as const);
  return (address) => expressions.find(([pattern]) => pattern.test(address))?.[1] ?? null;
}

/** One expression for neighboring rules of the same category. */
function patterns(rules: readonly BlockingRule[]): [string, string][] {
  const groups: { category: string; alternatives: string[] }[] = [];
  for (const rule of rules) {
    const { category } = rule;
    const last = groups.at(-1);
    if (last?.category === category) last.alternatives.push(alternative(rule));
    else groups.push({ category, alternatives: [alternative(rule)] });
  }
  return groups.map(({ category, alternatives }) => [expression(alternatives), category]);
}

const expression = (alternatives: readonly string[]): string => `^(?:[^/]*\\.)?(?:${alternatives.join('|')})`;

// The root of DNS may end a host name: example.com. is the same host.
const alternative = ({ host, path }: BlockingRule): string =>
  escaped(host) + String.raw`\.?` + (path === null ? '/' : escaped(path).replaceAll(String.raw`\*`, '.*'));

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
