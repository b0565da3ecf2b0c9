import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * What a log holds of a record: SHA-256 over 32 random bytes and the canonical JSON (RFC 8785) of its body. Without the
 * salt it tells nothing of the record, not even to who guesses it.
 * @throws Error where the body cannot be written canonically, which no stored record does
 */
export function commitmentOf(salt: Uint8Array, body: object): Buffer {
  const canonical = canonicalize(body);
  if (canonical === undefined) throw new Error('the body of a record has no canonical form');
  return hash('sha256', Buffer.concat([salt, Buffer.from(canonical)]), 'buffer');
}

/** What is sealed where a record was erased; the same is forwarded. */
export function erasureBody(id: string, erasedAt: Date): Record<string, unknown> {
  return { action: 'erase', id, erasedAt: erasedAt.toISOString() };
}
