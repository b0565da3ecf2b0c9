import { createHash } from 'node:crypto';
import { getDomain } from 'tldts';
import type { ItemKind } from './scan.js';

/** Hexadecimal digits kept of a value's SHA-256: enough to see whether it changed. */
const HASH_DIGITS = 8;
/** Names and addresses are cut here. */
const NAME_CHARACTERS_MAX = 300;

/** A value of which only its length and the beginning of its hash are kept. */
export interface MaskedValue {
  valueLength: number;
  valueHash: string;
}

/** Details of an item besides its name; each kind has its own fields. */
export interface ItemDetails extends Partial<MaskedValue> {
  /** Cookies. */
  path?: string;
  /** ISO 8601; absent: a session cookie. */
  expiresAt?: string;
  httpOnly?: boolean;
  secure?: boolean;
  sameSite?: 'Strict' | 'Lax' | 'None';
  /** Whether it is stored in a separate partition, by the page's site (CHIPS). */
  partitioned?: boolean;
  /** What set a cookie or entry on this page; absent: the page did not set it. */
  setBy?: 'response' | 'script';
  /** Whether it was set on this page and deleted before its end. */
  removed?: true;
  /** Whether a request of this page sent it. */
  sent?: boolean;
  /** Why the browser did not store it, e.g. `SameSiteNoneInsecure`; absent: it was stored. */
  blocked?: string;
  /** Requests. */
  method?: string;
  /** As the browser names it (`image`, `ping`, `websocket`); of a fingerprinting call, its technique. */
  type?: string;
  /** Host and path of the script, response or frame that caused it, without its query. */
  initiator?: string;
  /** Bytes of the request's body; absent: none. */
  bodyBytes?: number;
  /** Of the last response; absent: none. */
  httpStatus?: number;
  count?: number;
  /** Consent events: the place among the events of the page, */
  order?: number;
  /** and the value of each consent type. */
  consent?: Record<string, 'granted' | 'denied'>;
}

/** A cookie, storage entry, database, request, fingerprinting call or consent event that was seen on a page. */
export interface ObservedItem {
  kind: ItemKind;
  name: string;
  host: string;
  thirdParty: boolean;
  details: ItemDetails;
}

export function maskValue(value: string): MaskedValue {
  return {
    valueLength: value.length,
    valueHash: createHash('sha256').update(value, 'utf8').digest('hex').slice(0, HASH_DIGITS),
  };
}

/** Host and path of an address with the names of its query, without their values. null: not a web address. */
export function maskUrl(text: string): { host: string; name: string } | null {
  if (!URL.canParse(text)) return null;
  const { protocol, host, pathname, searchParams } = new URL(text);
  if (!/^(https?|wss?):$/.test(protocol)) return null;
  const names = [...new Set(searchParams.keys())];
  const query = names.length > 0 ? `?${names.map((name) => encodeURIComponent(name)).join('&')}` : '';
  return { host, name: cut(`${pathname}${query}`) };
}

export function cut(text: string): string {
  const printable = text.replaceAll('\u0000', '').toWellFormed();
  return printable.length > NAME_CHARACTERS_MAX
    ? `${printable.slice(0, NAME_CHARACTERS_MAX - 1)}…`
    : printable;
}

/** Whether two hosts belong to different sites (registrable domains). */
export function isThirdParty(host: string, pageHost: string): boolean {
  return siteOf(host) !== siteOf(pageHost);
}

/** The registrable domain; of addresses and of names without one, the host itself. */
export function siteOf(host: string): string {
  const bare = host.replace(/^\./, '').replace(/:\d+$/, '');
  return getDomain(bare, { allowPrivateDomains: true }) ?? bare;
}
