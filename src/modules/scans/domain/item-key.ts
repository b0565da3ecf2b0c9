import { BRAND, META_GLOBAL } from '../../../platform/identity/brand.js';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import { siteOf } from './observation.js';
import type { ItemKind } from './scan.js';

/** The identity of an item across pages, states and scans. */
export interface ItemKey {
  kind: ItemKind;
  /** Ids in it are `*`; empty for requests. */
  name: string;
  /** The site (registrable domain) of a stored item, the host of a request. */
  host: string;
}

/** Ids within names, such as of a session or visitor: they differ for each visit. */
const IDS =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![0-9a-z])(?=[a-f]*\d)[0-9a-f]{12,}(?![0-9a-z])|(?<!\d)\d{9,}(?!\d)/gi;

export function itemKey({ kind, name, host }: { kind: ItemKind; name: string; host: string }): ItemKey {
  if (kind === 'request') return { kind, name: '', host };
  return { kind, name: name.replaceAll(IDS, '*'), host: siteOf(host) };
}

/** The same in each project and scan. */
export function itemId({ kind, name, host }: ItemKey): string {
  return namedKey(JSON.stringify(['scan item', kind, name, host]));
}

/** Whether a name matches a pattern, in which `*` matches any characters. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** The cookie of a choice: on all subdomains (docs/loader.md), or on the site's own host (docs/first-party.md). */
const CHOICE_COOKIE = `${BRAND.toLowerCase()}-consent`;
const CHOICE_COOKIES = [CHOICE_COOKIE, `__Host-${CHOICE_COOKIE}`];

/**
 * Whether the loader or the banner of this service stores it: the visitor's choice, and the data
 * needed for the prompt.
 */
export function isOwnStorage({ kind, name }: { kind: ItemKind; name: string }): boolean {
  if (kind === 'cookie') return CHOICE_COOKIES.includes(name);
  return kind === 'local_storage' && name.startsWith(`${META_GLOBAL}:`);
}

const STORED: ReadonlySet<ItemKind> = new Set<ItemKind>([
  'cookie',
  'local_storage',
  'session_storage',
  'indexed_db',
]);

export function isStored({ kind }: { kind: ItemKind }): boolean {
  return STORED.has(kind);
}
