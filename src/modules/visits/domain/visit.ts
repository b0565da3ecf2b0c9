import { OTHER_NAME } from '../../consent/domain/consent-counts.js';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';

/** The outcome of the banner on a visited page; `none`: it was not shown. */
export const BANNER_OUTCOMES = ['none', 'chosen', 'ignored'] as const;
export type BannerOutcome = (typeof BANNER_OUTCOMES)[number];

/** The dimensions of visits, counted separately: visits from a country by phone, for example, are not stored. */
export const DIMENSIONS = ['hostname', 'region', 'language', 'device'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Counts are per hour. */
export const HOUR_MS = 60 * 60 * 1000;

/** One page view. An unknown name is `OTHER_NAME`. */
export interface Visit extends Record<Dimension, string> {
  banner: BannerOutcome;
}

/** Headers that a browser sends with every request. */
export interface BrowserHeaders {
  userAgent: string | undefined;
  acceptLanguage: string | undefined;
}

/** Reads the loader's body `{ banner, region }`, both optional; null: it is invalid. */
export function readVisit(body: unknown): { banner: BannerOutcome; region: string } | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { banner = 'none', region } = body as { banner?: unknown; region?: unknown };
  const outcome = BANNER_OUTCOMES.find((known) => known === banner);
  return outcome === undefined ? null : { banner: outcome, region: countryOf(region) };
}

/**
 * The country of a region, which may have a subdivision (`US-CA`). Only existing codes are counted,
 * so their number is bounded.
 */
function countryOf(region: unknown): string {
  const country = typeof region === 'string' ? region.slice(0, 2) : '';
  return COUNTRIES().has(country) ? country : OTHER_NAME;
}

/** The primary tag of the browser's preferred language: the visitor's language, not the page's. */
export function languageOf(acceptLanguage: string | undefined): string {
  const first = /^\s*([a-z]{2})(?=[-,;\s]|$)/i.exec(acceptLanguage ?? '')?.[1]?.toLowerCase() ?? '';
  return LANGUAGES().has(first) ? first : OTHER_NAME;
}

/** A rough kind of device. Apple's tablets identify as desktops, and are counted as such. */
export function deviceOf(userAgent: string | undefined): string {
  const agent = userAgent ?? '';
  if (!/^Mozilla\//.test(agent) || /bot|crawl|spider/i.test(agent)) return OTHER_NAME;
  if (/iPad|Tablet|Android(?!.*Mobile)/.test(agent)) return 'tablet';
  return /Mobi/.test(agent) ? 'phone' : 'desktop';
}

/**
 * Returns the page's host from the `Origin` header, or null if the host does not belong to the
 * project or is longer than a DNS name can be: such a visit is not counted. A page without a host
 * (a file, a sandbox) is `OTHER_NAME`.
 */
export function visitedHost(
  origin: string | undefined,
  { domains, production }: { domains: readonly string[]; production: boolean },
): string | null {
  if (origin === undefined) return null;
  const host = URL.canParse(origin) ? new URL(origin).hostname.replace(/\.$/, '') : '';
  const isOwn = domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  const isAnybody = domains.length === 0 || (!production && LOCAL_HOSTS.has(host));
  if ((!isOwn && !isAnybody) || host.length > HOSTNAME_CHARACTERS_MAX) return null;
  return host === '' ? OTHER_NAME : host;
}

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const PAIRS = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
/** Codes that have a name and are no country: the unknown one, and groups of countries. */
const NO_COUNTRIES = new Set(['ZZ', 'EU', 'EZ', 'UN', 'QO', 'XA', 'XB']);

const LANGUAGES = once(() => known('language', PAIRS));
const COUNTRIES = once(() => {
  const codes = PAIRS.map((pair) => pair.toUpperCase()).filter((code) => !NO_COUNTRIES.has(code));
  return known('region', codes);
});

/** The codes that ICU has a name for. */
function known(type: 'language' | 'region', codes: string[]): Set<string> {
  const names = new Intl.DisplayNames('en', { type, fallback: 'none' });
  return new Set(codes.filter((code) => names.of(code) !== undefined));
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
