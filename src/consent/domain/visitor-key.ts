import { createHash } from 'node:crypto';

/**
 * A visitor's key, which her device makes and keeps: when it was made in milliseconds since 1970 (6 bytes), and 32
 * random bytes, in hex. What the ingest is given is its hash: the same time, and SHA-256 of the 32 bytes. The key itself
 * comes only when she uses it, and is hashed before anything else happens to it. The time is in front as it is in a
 * UUIDv7, so that what is stored now lies together in the index (ADR 43).
 */
const KEY = /^[0-9a-f]{76}$/i;
const KEY_HASH = /^[0-9a-f]{76}$/;
const TIME_BYTES = 6;
const HASH_BYTES = TIME_BYTES + 32;

/** Names the additional field in which a version that did not know it has kept it. */
export const VISITOR_KEY_HASH_FIELD = 'visitorKeyHash';

/** The hash of nobody's key: what no SHA-256 is known to be. */
const NOBODY = Buffer.alloc(HASH_BYTES);

/** What records of the key are found by. What is no key at all finds as little as a wrong one, by the same way. */
export function visitorKeyHash(key: string): Buffer {
  if (!KEY.test(key)) return NOBODY;
  const bytes = Buffer.from(key, 'hex');
  const hash = createHash('sha256').update(bytes.subarray(TIME_BYTES)).digest();
  return Buffer.concat([bytes.subarray(0, TIME_BYTES), hash]);
}

/** The hash that a banner sent; null where it is none. */
export function readVisitorKeyHash(value: unknown): Buffer | null {
  return typeof value === 'string' && KEY_HASH.test(value) ? Buffer.from(value, 'hex') : null;
}
