import type { Category } from './banner-text.js';
import type { BlockingRule, SiteConfiguration } from './configuration.js';
import { serviceIdsOf } from './published-rules.js';

/** Rules of one project. */
export const BLOCKING_RULES_MAX = 200;
/** A host name in lower case, without port; its subdomains are included. */
export const BLOCKED_HOST = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
export const BLOCKED_HOST_CHARACTERS_MAX = 253;
/** What a path begins with; up to two `*` stand for any characters, so that a page matches it fast. */
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
    ...{ policyVersion, categories, serviceIds: serviceIdsOf(configuration), reconsentMonths },
    rules: patterns(blocking.rules),
  };
}

/** One expression for neighboring rules of the same category. */
function patterns(rules: readonly BlockingRule[]): [string, string][] {
  const groups: { category: string; alternatives: string[] }[] = [];
  for (const { host, path, category } of rules) {
    const last = groups.at(-1);
    const alternative =
      escaped(host) + (path === null ? '/' : escaped(path).replaceAll(String.raw`\*`, '.*'));
    if (last?.category === category) last.alternatives.push(alternative);
    else groups.push({ category, alternatives: [alternative] });
  }
  return groups.map(({ category, alternatives }) => [
    `^(?:[^/]*\\.)?(?:${alternatives.join('|')})`,
    category,
  ]);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
