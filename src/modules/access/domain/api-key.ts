import { createHash } from 'node:crypto';
import type { Role } from './role.js';

/**
 * Areas that an API key can be limited to, below its role. `read` is every GET that the role
 * allows; each of the others is everything that the role allows below its part of a project's
 * paths. The ingest requires no key, so it has no area.
 */
export const KEY_AREAS = [
  'read',
  'consents',
  'imports',
  'forwarding',
  'events',
  'publishing',
  'billing',
] as const;
export type KeyArea = (typeof KEY_AREAS)[number];

/**
 * The first part of a path after the project's id, by area. Paths without an area require a key
 * without a limit.
 */
const AREA_OF_PART: Partial<Record<string, KeyArea>> = {
  consents: 'consents',
  analytics: 'consents',
  erasures: 'consents',
  privacy: 'consents',
  'visitor-records': 'consents',
  imports: 'imports',
  forwarding: 'forwarding',
  'event-endpoints': 'events',
  events: 'events',
  configuration: 'publishing',
  publish: 'publishing',
  publications: 'publishing',
  'first-party': 'publishing',
  tier: 'billing',
  subscription: 'billing',
  billing: 'billing',
};

/** The area of a project's route, such as `/v1/projects/:projectId/forwarding/token`; null: none. */
export function areaOfRoute(route: string): KeyArea | null {
  const part = /^\/v1\/projects\/[^/]+\/([^/]+)/.exec(route)?.[1] ?? '';
  return AREA_OF_PART[part] ?? null;
}

/**
 * Whether a key's areas include a route, independent of its role; `limitedTo` null: no limit.
 * `/v1/me` describes only the key itself.
 */
export function isWithinAreas(
  limitedTo: readonly KeyArea[] | null,
  { method, route }: { method: string; route: string },
): boolean {
  if (limitedTo === null || route === '/v1/me') return true;
  if ((method === 'GET' || method === 'HEAD') && limitedTo.includes('read')) return true;
  const area = areaOfRoute(route);
  return area !== null && limitedTo.includes(area);
}

/**
 * Permissions of a key beyond its role. `manage_access`: members and API keys, which otherwise
 * require a session.
 */
export const KEY_SCOPES = ['manage_access'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** The public part of an API key, without its hash. */
export interface ApiKeyFacts {
  id: string;
  name: string;
  role: Role;
  scopes: KeyScope[];
  /** null: the service itself created it. */
  createdBy?: string | null;
  /** The first characters of the key, to recognize it in a list. */
  prefix: string;
  createdAt: Date;
  /** null: not revoked. */
  revokedAt?: Date | null;
  /** UTC, as `2026-11-21`; null: never, or before this was recorded. */
  lastUsedOn?: string | null;
  /** null: it does not expire. */
  expiresAt?: Date | null;
  /** Areas below its role; null: all permissions of the role. */
  limitedTo?: KeyArea[] | null;
  /** Until when the previous secret is also valid; null: there is none. */
  formerValidUntil?: Date | null;
}

/** A key's current secret, or the one before its last rotation. */
export const KEY_SECRETS = ['current', 'former'] as const;
export type KeySecret = (typeof KEY_SECRETS)[number];

/** The stored hashes of a key's two secrets. */
export interface StoredSecrets {
  keyHash: Uint8Array;
  createdBy?: string | null;
  expiresAt?: Date | null;
  formerKeyHash?: Uint8Array | null;
  formerCreatedBy?: string | null;
  formerValidUntil?: Date | null;
}

/** A valid secret: the member who created it, null where unknown; and when it expires, null: never. */
export interface HeldSecret {
  madeBy: string | null;
  endsAt: Date | null;
}

/** The validity of the secret with this hash; null: it is invalid, e.g. since another rotation. */
export function findSecret(stored: StoredSecrets, hash: Buffer, now: Date): HeldSecret | null {
  const { createdBy = null, expiresAt = null, formerCreatedBy = null, formerValidUntil = null } = stored;
  if (expiresAt && expiresAt <= now) return null;
  if (hash.equals(stored.keyHash)) return { madeBy: createdBy, endsAt: expiresAt };
  if (!stored.formerKeyHash || !hash.equals(stored.formerKeyHash)) return null;
  if (!formerValidUntil || formerValidUntil <= now) return null;
  const endsAt = expiresAt && expiresAt < formerValidUntil ? expiresAt : formerValidUntil;
  return { madeBy: formerCreatedBy, endsAt };
}

/** The stored hash of a secret. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
