import { createHash, randomBytes } from 'node:crypto';

/** A prefix that secret scanners and readers of a leaked file can recognize. */
const PREFIX = 'fps_';
const SECRET_BYTES = 32;
const SECRET = /^fps_[\w-]{43}$/;

/** How long the former secret stays valid after a rotation by default. */
export const FORMER_VALID_HOURS_DEFAULT = 24;
export const FORMER_VALID_HOURS_MAX = 7 * 24;
const HOUR_MS = 3_600_000;

/** A new secret that authenticates a project's proxy. Only its hash is stored. */
export const createProxySecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64url');

/** The stored hash of a secret; null for malformed text. */
export function hashProxySecret(secret: unknown): Buffer | null {
  return typeof secret === 'string' && SECRET.test(secret)
    ? createHash('sha256').update(secret).digest()
    : null;
}

/** Until when the former secret is valid; null: it expires at once. */
export function formerValidUntil(formerValidHours: number, now: Date): Date | null {
  return formerValidHours > 0 ? new Date(now.getTime() + formerValidHours * HOUR_MS) : null;
}

/** The stored hashes of a project's secrets. */
export interface StoredProxySecrets {
  hash: Uint8Array;
  formerHash: Uint8Array | null;
  formerValidUntil: Date | null;
}

/** Whether the secret with this hash is valid: the current one, or the former one during the overlap. */
export function isValidSecret(stored: StoredProxySecrets, hash: Buffer, now: Date): boolean {
  if (hash.equals(stored.hash)) return true;
  if (!stored.formerHash || !stored.formerValidUntil) return false;
  return stored.formerValidUntil > now && hash.equals(stored.formerHash);
}

/** Observations of a project's path proxy; null members: none yet. */
export interface ProxyObservations {
  /** Last request with a valid secret, with its host and path prefix. */
  provenAt: Date | null;
  host: string | null;
  prefix: string | null;
  /** Last request without a valid secret. */
  unprovenAt: Date | null;
}

/**
 * `not_seen`: no request through a proxy. `proven`: requests have a valid secret. `unproven`: the
 * latest ones do not, so visitors share the limits and the unknown region of one address.
 */
export const PROXY_STATES = ['not_seen', 'proven', 'unproven'] as const;
export type ProxyState = (typeof PROXY_STATES)[number];

/** Sightings are stored this often, so the order of two within this time is unknown. */
export const SIGHTING_EVERY_MS = 60_000;
/** Without traffic for this long, the state is unknown. */
export const SIGHTING_VALID_MS = 7 * 24 * 3_600_000;

export function resolveProxyState({ provenAt, unprovenAt }: ProxyObservations, now: Date): ProxyState {
  const age = (at: Date | null): number => (at ? now.getTime() - at.getTime() : Infinity);
  const [proven, unproven] = [age(provenAt), age(unprovenAt)];
  if (Math.min(proven, unproven) > SIGHTING_VALID_MS) return 'not_seen';
  // Both kinds of requests: a part of the traffic lacks the secret, which needs a fix.
  return unproven <= proven + SIGHTING_EVERY_MS ? 'unproven' : 'proven';
}
