import type { FieldError } from '../../../platform/errors/field-problem.js';
import { isUuidV7, uuidTimeMs } from '../../../platform/identity/ids.js';
import { SERVICE_ID, SERVICES_MAX } from '../../../platform/identity/service-id.js';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import { readVisitorKeyHash } from './visitor-reference.js';

/** Largest request body, in bytes (design §6.1). */
export const CONSENT_BODY_BYTES_MAX = 16 * 1024;
const ADDITIONAL_FIELDS_MAX = 32;
/** How deep objects and arrays may nest inside one additional field; a scalar has depth 0. */
const ADDITIONAL_FIELDS_DEPTH_MAX = 4;
/** All additional fields together, as JSON in UTF-8. */
const ADDITIONAL_FIELDS_BYTES_MAX = 4 * 1024;
export const CONSENT_ID_AGE_MAX_MS = 7 * 24 * 60 * 60 * 1000;
export const CONSENT_ID_AHEAD_MAX_MS = 5 * 60 * 1000;
const CUSTOM_ENDPOINT_CHARACTERS_MAX = 2048;
/** The longest language tags in use have some 20. */
export const LANGUAGE_CHARACTERS_MAX = 35;

/**
 * Where the choice was made: the banner's first or second layer, a link on the page, the placeholder of a
 * blocked frame, a browser signal (Global Privacy Control), or a script of the page.
 */
export const SURFACES = ['banner', 'preferences', 'link', 'placeholder', 'signal', 'api'] as const;
type Surface = (typeof SURFACES)[number];

/** Whether each service was accepted, by its id. */
type ServiceFlags = Record<string, boolean>;

/** A validated consent choice as the banner sent it. */
export interface ConsentInput {
  /** The banner's id for the decision; null: the service generates one. */
  id: string | null;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  action: string;
  hostname: string | null;
  /** As sent, valid or not; see `readCustomEndpoint`. */
  customEndpoint: string | null;
  /** Hash of the published configuration that was shown; null: not sent. */
  configHash: string | null;
  /** Language that was shown, a BCP 47 tag as sent; null: not sent. */
  language: string | null;
  surface: Surface | null;
  /** Whether each service was accepted, by its id, where the visitor chose by service; null: not sent. */
  services: ServiceFlags | null;
  /** Hash of the visitor key (`visitorKeyHash`); null: not sent. */
  visitorKeyHash: Buffer | null;
  /** Additional fields as JSON text; null: none. */
  extraJson: string | null;
}

export type ParsedConsent =
  { kind: 'valid'; consent: ConsentInput } | { kind: 'invalid'; errors: FieldError[] };

export const ACTION = /^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/;
export const HOSTNAME =
  /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;
/** 64 digits, the format of the published configuration. */
export const CONFIG_HASH = /^[0-9a-f]{64}$/;
/**
 * A well-formed BCP 47 tag: language, script, region, variants, extensions; not one of the
 * irregular grandfathered tags.
 */
export const LANGUAGE =
  /^[a-z]{2,8}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-z\d](?:-[a-z\d]{2,8})+)*$/i;
const KNOWN_FIELDS = new Set([
  'id',
  'analytics',
  'marketing',
  'preferences',
  'action',
  'hostname',
  'custom_endpoint',
]);
/** Members of the forwarded record that an additional field must not replace. */
export const RESERVED_FIELDS = new Set(['schemaVersion', 'projectId', 'receivedAt']);
/** Keys that would change a JavaScript object's prototype. */
export const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Checks the body of an ingest request by hand: a decorated class would take twice the time of the
 * rest of the request, and could not check additional fields (design §6.1). Returns the consent, or
 * every invalid field. Never throws.
 */
export function parseConsent(body: unknown, now: Date): ParsedConsent {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { kind: 'invalid', errors: [{ field: '', message: 'Send one JSON object.' }] };
  }
  const fields = body as Record<string, unknown>;
  const errors: FieldError[] = [];
  const refuse = (field: string, message: string): void => void errors.push({ field, message });

  for (const flag of ['analytics', 'marketing', 'preferences'] as const) {
    if (typeof fields[flag] !== 'boolean') refuse(flag, `${flag} must be true or false.`);
  }
  if (typeof fields.action !== 'string' || !ACTION.test(fields.action)) {
    refuse(
      'action',
      'action must start with a letter and have at most 64 letters, digits, or any of _ . : -',
    );
  }
  const id = fields.id ?? null;
  const idProblem = id === null ? null : problemOfId(id, now);
  if (idProblem) refuse('id', idProblem);
  const hostname = fields.hostname ?? null;
  if (hostname !== null && !isHostname(hostname))
    refuse('hostname', 'hostname must be a hostname without scheme, port, or path.');
  const optional = {
    configHash: isConfigHash(fields.configHash) ? fields.configHash : null,
    language: isLanguage(fields.language) ? fields.language : null,
    surface: isSurface(fields.surface) ? fields.surface : null,
    services: isServiceFlags(fields.services) ? fields.services : null,
    visitorKeyHash: readVisitorKeyHash(fields.visitorKeyHash),
  };
  const extraJson = checkAdditionalFields(fields, optional, refuse);
  if (errors.length > 0) return { kind: 'invalid', errors };
  return {
    kind: 'valid',
    consent: {
      id: id === null ? null : (id as string).toLowerCase(),
      analytics: fields.analytics as boolean,
      marketing: fields.marketing as boolean,
      preferences: fields.preferences as boolean,
      action: fields.action as string,
      hostname: hostname === null ? null : (hostname as string).toLowerCase().replace(/\.$/, ''),
      customEndpoint: readCustomEndpoint(fields.custom_endpoint),
      ...optional,
      extraJson,
    },
  };
}

function problemOfId(id: unknown, now: Date): string | null {
  if (!isUuidV7(id)) return 'id must be a UUIDv7.';
  const ageMs = now.getTime() - uuidTimeMs(id);
  if (ageMs > CONSENT_ID_AGE_MAX_MS)
    return 'id is more than 7 days old. Generate a new id for each decision.';
  if (ageMs < -CONSENT_ID_AHEAD_MAX_MS) return 'id is more than 5 minutes ahead of the server time.';
  return null;
}

function isHostname(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > HOSTNAME_CHARACTERS_MAX) return false;
  return HOSTNAME.test(value) || isAddressLiteral(value);
}

function isConfigHash(value: unknown): value is string {
  return typeof value === 'string' && CONFIG_HASH.test(value);
}

export function isLanguage(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LANGUAGE_CHARACTERS_MAX && LANGUAGE.test(value);
}

function isSurface(value: unknown): value is Surface {
  return SURFACES.includes(value as Surface);
}

function isServiceFlags(value: unknown): value is ServiceFlags {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 &&
    entries.length <= SERVICES_MAX &&
    entries.every(([id, isAccepted]) => SERVICE_ID.test(id) && typeof isAccepted === 'boolean')
  );
}

/** A page may be opened by IPv6 address; `location.hostname` then has brackets. */
function isAddressLiteral(value: string): boolean {
  return /^\[[0-9a-f:.]{2,45}\]$/i.test(value) && URL.canParse(`http://${value}`);
}

/**
 * The legacy endpoint of the request, valid or not: forwarding never fails an ingest (spec §1,
 * §3.3), so an invalid endpoint shows in the delivery. A value that cannot be stored becomes an
 * empty string, and one that is too long is cut one character above the limit; both remain invalid.
 * Null: not sent.
 */
function readCustomEndpoint(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || !isStorable(value)) return '';
  return value.slice(0, CUSTOM_ENDPOINT_CHARACTERS_MAX + 1).toWellFormed();
}

/** PostgreSQL text can hold neither NUL nor an unpaired surrogate. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/**
 * Returns the additional fields as JSON text, or null if none remain or one was refused. A member
 * of `optional` with an invalid value stays an additional field, as before that member was known
 * (ADR 37).
 */
function checkAdditionalFields(
  fields: Record<string, unknown>,
  optional: Record<string, unknown>,
  refuse: (field: string, message: string) => void,
): string | null {
  const keys = Object.keys(fields).filter(
    (key) => !KNOWN_FIELDS.has(key) && !(Object.hasOwn(optional, key) && optional[key] !== null),
  );
  if (keys.length === 0) return null;
  if (keys.length > ADDITIONAL_FIELDS_MAX) {
    refuse('', `At most ${ADDITIONAL_FIELDS_MAX} additional fields are allowed; received ${keys.length}.`);
    return null;
  }
  const extra: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of keys) {
    const problem = RESERVED_FIELDS.has(key)
      ? 'is reserved for a member that the service sets itself.'
      : (problemOfKey(key) ?? problemOfValue(fields[key], ADDITIONAL_FIELDS_DEPTH_MAX));
    if (problem) {
      refuse(isStorable(key) ? key.slice(0, 64) : '', `The additional field ${problem}`);
      return null;
    }
    extra[key] = fields[key];
  }
  const json = JSON.stringify(extra);
  if (Buffer.byteLength(json) > ADDITIONAL_FIELDS_BYTES_MAX) {
    refuse('', `The additional fields are larger than ${ADDITIONAL_FIELDS_BYTES_MAX} bytes.`);
    return null;
  }
  return json;
}

function problemOfKey(key: string): string | null {
  if (FORBIDDEN_KEYS.has(key)) return 'has a name that is not allowed.';
  return isStorable(key) ? null : 'has a name with a NUL character or half a surrogate pair.';
}

function problemOfValue(value: unknown, depthLeft: number): string | null {
  if (typeof value === 'string')
    return isStorable(value) ? null : 'has a text with a NUL character or half a surrogate pair.';
  // JSON.parse reads 1e999 as Infinity, which JSON cannot express.
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'has a number that is too large.';
  if (typeof value !== 'object' || value === null) return null;
  if (depthLeft === 0) return `nests deeper than ${ADDITIONAL_FIELDS_DEPTH_MAX} levels.`;
  if (Array.isArray(value)) return firstProblem(value, (item) => problemOfValue(item, depthLeft - 1));
  return firstProblem(
    Object.entries(value),
    ([key, item]) => problemOfKey(key) ?? problemOfValue(item, depthLeft - 1),
  );
}

function firstProblem<T>(items: T[], problemOf: (item: T) => string | null): string | null {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem) return problem;
  }
  return null;
}

/** A choice as stored in a cookie. */
interface Chosen {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  at: Date;
  policyVersion: string | null;
  /** null: the choice was not made by service. */
  services: ServiceFlags | null;
}

/** The choice in a stored body; its time is the visitor's. */
export function chosenIn(body: unknown, id: string): Chosen {
  const given = body as Record<string, unknown>;
  const { policyVersion, services } = given;
  return {
    analytics: given['analytics'] === true,
    marketing: given['marketing'] === true,
    preferences: given['preferences'] === true,
    at: new Date(uuidTimeMs(id)),
    policyVersion: typeof policyVersion === 'string' ? policyVersion : null,
    services: isServiceFlags(services) ? services : null,
  };
}

const LOCAL_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The host of an `Origin` header, for comparison with the project's domains. null: no check,
 * because there is no header, or it is this machine in development. An origin without a host
 * (`null`, a file, an extension) is the empty host, which is no project's domain.
 */
export function originHost(
  origin: string | undefined,
  { production }: { production: boolean },
): string | null {
  if (origin === undefined) return null;
  if (!URL.canParse(origin)) return '';
  const { hostname } = new URL(origin);
  if (!production && LOCAL_HOSTS.has(hostname)) return null;
  return hostname.replace(/\.$/, '');
}
