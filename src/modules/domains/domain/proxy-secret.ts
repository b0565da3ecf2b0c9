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
