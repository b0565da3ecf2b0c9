import { BRAND, META_GLOBAL } from '../../shared/brand.js';
import type { ItemKind } from './scan.js';

/** The cookie of a choice that holds on all subdomains (docs/loader.md). */
const CHOICE_COOKIE = `${BRAND.toLowerCase()}-consent`;

/** Whether the loader or the banner of this service keeps it: the visitor's choice, and what is needed to ask for it. */
export function isOwnStorage({ kind, name }: { kind: ItemKind; name: string }): boolean {
  if (kind === 'cookie') return name === CHOICE_COOKIE;
  return kind === 'local_storage' && name.startsWith(`${META_GLOBAL}:`);
}
