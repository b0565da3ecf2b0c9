import { createHash } from 'node:crypto';

/** Which additional field of a project's records names a visitor, and how it is kept. */
export interface VisitorReference {
  /** null: none does. */
  field: string | null;
  /** Whether its value is kept and forwarded as a hash alone. */
  hashed: boolean;
  /** null: no field was ever named. */
  salt: Buffer | null;
}

/** Topic of the message that has a project's stored records gone through for the visitors that they name. */
export const VISITOR_INDEX_REQUESTED = 'visitor_index.asked';

/** What stands in place of a value that is kept as a hash alone, in front of the hash in hex. */
export const HASH_PREFIX = 'sha256:';

/**
 * What a visitor is found by: SHA-256 of the project's salt and the value. The ingest computes the same in its
 * statement (infrastructure/visitor-sql.ts).
 */
export function visitorHash(salt: Buffer, value: string): Buffer {
  return createHash('sha256').update(salt).update(value).digest();
}

/** Additional fields as the project keeps them: where it asks for it, with the hash in place of the value. */
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

/** A text or a number, as text; null for what names nobody. */
function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}
