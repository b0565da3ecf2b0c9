import { createHash } from 'node:crypto';
import type { KeyArea } from './key-area.js';
import type { KeyScope } from './key-scope.js';
import type { Role } from './role.js';

/** An API key as it may be shown: without the hash that is kept of it. */
export interface ApiKeyFacts {
  id: string;
  name: string;
  role: Role;
  scopes: KeyScope[];
  /** null: the service itself created it. */
  createdBy?: string | null;
  /** The first characters of the key, to recognise it in a list. */
  prefix: string;
  createdAt: Date;
  /** null: still good. */
  revokedAt?: Date | null;
  /** UTC, as `2026-11-21`; null: never, or not since this is counted. */
  lastUsedOn?: string | null;
  /** null: it does not expire. */
  expiresAt?: Date | null;
  /** Areas below its role; null: all that the role may. */
  limitedTo?: KeyArea[] | null;
  /** Until when the key before this one is good, too; null where there is none. */
  formerValidUntil?: Date | null;
}

/** The secret that a key has now, or the one from before its last rotation. */
export const KEY_SECRETS = ['current', 'former'] as const;
export type KeySecret = (typeof KEY_SECRETS)[number];

/** What is stored of a key's two secrets. */
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

/** What the secret with this hash is good for; null: it does not work, e.g. since another rotation. */
export function findSecret(stored: StoredSecrets, hash: Buffer, now: Date): HeldSecret | null {
  const { createdBy = null, expiresAt = null, formerCreatedBy = null, formerValidUntil = null } = stored;
  if (expiresAt && expiresAt <= now) return null;
  if (hash.equals(stored.keyHash)) return { madeBy: createdBy, endsAt: expiresAt };
  if (!stored.formerKeyHash || !hash.equals(stored.formerKeyHash)) return null;
  if (!formerValidUntil || formerValidUntil <= now) return null;
  const endsAt = expiresAt && expiresAt < formerValidUntil ? expiresAt : formerValidUntil;
  return { madeBy: formerCreatedBy, endsAt };
}

/** What is stored of a secret. */
export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
