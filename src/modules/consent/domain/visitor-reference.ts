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

/** The additional field that identifies a visitor in a project's records, and how it is stored. */
export interface VisitorReference {
  /** null: no field. */
  field: string | null;
  /** Whether only a hash of its value is stored and forwarded. */
  hashed: boolean;
  /** null: no field was ever set. */
  salt: Buffer | null;
}

/** Topic of the message that indexes a project's stored records by visitor. */
export const VISITOR_INDEX_REQUESTED = 'visitor_index.requested';

/** Prefix of the hash in hex that replaces a hashed value. */
export const HASH_PREFIX = 'sha256:';

/**
 * The hash by which a visitor is found: SHA-256 of the project's salt and the value. The ingest
 * statement computes the same (`visitorHashSql`).
 */
export function visitorHash(salt: Buffer, value: string): Buffer {
  return createHash('sha256').update(salt).update(value).digest();
}

/**
 * The additional fields as the project stores them: with the hash instead of the value, where
 * hashing is on.
 */
export function keptFields(
  extra: Record<string, unknown> | null,
  { field, hashed, salt }: VisitorReference,
): Record<string, unknown> | null {
  if (!hashed || field === null || salt === null || extra === null || !Object.hasOwn(extra, field))
    return extra;
  const value = textOf(extra[field]);
  if (value === null) return extra;
  return { ...extra, [field]: HASH_PREFIX + visitorHash(salt, value).toString('hex') };
}

/** A string or number, as text; null for a value that identifies no visitor. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
