import { SERVICES_MAX } from '../../../platform/identity/service-id.js';
import type { ServiceCookie, SiteConfiguration, SiteService } from '../../publishing/domain/configuration.js';
import {
  COOKIES_PER_SERVICE_MAX,
  DECLARED_COOKIE,
  DECLARED_COOKIE_CHARACTERS_MAX,
} from '../../publishing/domain/publishing.limits.js';
import type { Classification } from './classify-item.js';
import type { ItemKey } from './item-key.js';

/** An item of a scan that a draft may declare. */
export interface DeclarableItem extends ItemKey {
  lifetimeSeconds: number | null;
  classification: Classification;
}

/** A configuration with a scan's items, and the items that could not be added. */
export interface ScanDraft {
  configuration: SiteConfiguration;
  addedServices: number;
  addedCookies: number;
  /** Items without a category: the owner has to decide. */
  unclassified: number;
  /** Items that do not fit into the configuration, or whose name it cannot contain. */
  leftOut: number;
}

/** Bytes that a draft may add; the rest of a configuration's size is for the texts. */
const ADDED_BYTES_MAX = 32 * 1024;
const NAME_CHARACTERS_MAX = 200;
const PURPOSE_CHARACTERS_MAX = 2_000;
const DURATION_CHARACTERS_MAX = 80;
/** Placeholder for the owner to fill in. */
const UNKNOWN = '–';
const MINUTE_SECONDS = 60;
const UNITS: readonly [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
];

/**
 * Adds services and cookies that the configuration does not declare yet. Existing ones are
 * unchanged, and nothing is declared as necessary unless the owner decided so (classify-item.ts).
 */
export function draftOf(base: SiteConfiguration, items: readonly DeclarableItem[]): ScanDraft {
  const services = base.services.map((service) => ({ ...service, cookies: [...service.cookies] }));
  const draft = { addedServices: 0, addedCookies: 0, unclassified: 0, leftOut: 0 };
  let bytesLeft = ADDED_BYTES_MAX;
  for (const item of items) {
    const { source, category } = item.classification;
    if (source === 'configuration' || source === 'own') continue;
    if (category === null) {
      draft.unclassified += 1;
      continue;
    }
    const cookie = item.kind === 'request' ? null : cookieOf(item);
    const given = serviceOf(item);
    const known = services.find(
      (service) => service.category === category && service.name.toLowerCase() === given.name.toLowerCase(),
    );
    if (cookie === null ? known : known?.cookies.some(({ name }) => name === cookie.name)) continue;
    const bytes = Buffer.byteLength(JSON.stringify(known ? cookie : { ...given, cookies: [cookie] }));
    const isFull = known ? known.cookies.length >= COOKIES_PER_SERVICE_MAX : services.length >= SERVICES_MAX;
    if (isFull || bytes > bytesLeft || (cookie && !isDeclarable(cookie.name))) {
      draft.leftOut += 1;
      continue;
    }
    bytesLeft -= bytes;
    if (!known) services.push(given);
    if (cookie) (known ?? given).cookies.push(cookie);
    draft.addedServices += known ? 0 : 1;
    draft.addedCookies += cookie ? 1 : 0;
  }
  return { configuration: { ...base, services }, ...draft };
}

/** Whether an item may be declared: stored items, and requests to known services. */
export function isDeclarableKind({ kind, classification }: DeclarableItem): boolean {
  if (kind === 'request') return classification.service !== null;
  return ['cookie', 'local_storage', 'session_storage', 'indexed_db'].includes(kind);
}

function serviceOf({ host, classification }: DeclarableItem): SiteService {
  const { service, provider, category, policyUrl } = classification;
  return {
    name: cut(service ?? provider ?? host, NAME_CHARACTERS_MAX),
    provider: cut(provider ?? service ?? host, NAME_CHARACTERS_MAX),
    category: category ?? 'marketing',
    policyUrl: policyUrl !== null && /^https?:\/\/\S+$/i.test(policyUrl) ? policyUrl : null,
    cookies: [],
    translations: [],
  };
}

function cookieOf({ name, kind, lifetimeSeconds, classification }: DeclarableItem): ServiceCookie {
  const star = name.indexOf('*');
  const { purpose, source, duration } = classification;
  // The lifetime of the cookie was observed; the data may be about another version of it.
  const isObserved = kind === 'cookie' && source !== 'decision';
  const words = durationInWords(kind, lifetimeSeconds);
  return {
    name: star < 0 ? name : name.slice(0, star + 1),
    duration: cut(isObserved ? words : (duration ?? words), DURATION_CHARACTERS_MAX),
    purpose: cut(purpose ?? UNKNOWN, PURPOSE_CHARACTERS_MAX),
    translations: [],
  };
}

const isDeclarable = (name: string): boolean =>
  name.length <= DECLARED_COOKIE_CHARACTERS_MAX && DECLARED_COOKIE.test(name);

/** Of cookies as observed; of other storage only a session's end is known. */
function durationInWords(kind: DeclarableItem['kind'], seconds: number | null): string {
  if (kind === 'session_storage' || (kind === 'cookie' && seconds === null)) return 'Session';
  if (seconds === null) return UNKNOWN;
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [MINUTE_SECONDS, 'minute'];
  const count = Math.max(1, Math.round(seconds / size));
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

const cut = (text: string, max: number): string => text.trim().slice(0, max) || UNKNOWN;
