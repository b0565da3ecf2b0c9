import { createHash } from 'node:crypto';

/**
 * A visitor key, which the visitor's device creates and keeps: its creation time in milliseconds
 * since 1970 (6 bytes), then 32 random bytes, in hex. The ingest gets only its hash: the same time,
 * then SHA-256 of the 32 bytes. The key itself is sent only when the visitor uses it, and is hashed
 * first. The time is in front, as in a UUIDv7, so that new entries are adjacent in the index (ADR
 * 43).
 */
const KEY = /^[0-9a-f]{76}$/i;
const KEY_HASH = /^[0-9a-f]{76}$/;
const TIME_BYTES = 6;
const HASH_BYTES = TIME_BYTES + 32;

/** The additional field in which an older version stored the key's hash. */
export const VISITOR_KEY_HASH_FIELD = 'visitorKeyHash';

/** The hash of no key: no known SHA-256 is all zeros. */
const NOBODY = Buffer.alloc(HASH_BYTES);

/**
 * The hash by which a key's records are found. An invalid key finds nothing, through the same query
 * as a wrong one.
 */
export function visitorKeyHash(key: string): Buffer {
  if (!KEY.test(key)) return NOBODY;
  const bytes = Buffer.from(key, 'hex');
  const hash = createHash('sha256').update(bytes.subarray(TIME_BYTES)).digest();
  return Buffer.concat([bytes.subarray(0, TIME_BYTES), hash]);
}

/** The hash that a banner sent; null where it is invalid. */
export function readVisitorKeyHash(value: unknown): Buffer | null {
  return typeof value === 'string' && KEY_HASH.test(value) ? Buffer.from(value, 'hex') : null;
}
