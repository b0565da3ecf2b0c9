import { createHash } from 'node:crypto';

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
 * statement computes the same (infrastructure/visitor-sql.ts).
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
