import { BRAND, META_GLOBAL } from '../../../platform/identity/brand.js';
import type { ItemKind } from './scan.js';

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
