import { createHash } from 'node:crypto';
import type { KeyArea } from './key-area.js';
import type { KeyScope } from './key-scope.js';
import type { Role } from './role.js';

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

/**
 * A valid secret: the member who created it, null where unknown; and when it expires, null: never.
 */
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
