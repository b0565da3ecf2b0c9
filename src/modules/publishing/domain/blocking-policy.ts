import { CATEGORIES, type Category } from './banner-text.js';
import type { BlockingRule } from './configuration.js';

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
