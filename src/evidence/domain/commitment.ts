import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * A record's entry in the log: SHA-256 over 32 random bytes and the canonical JSON (RFC 8785) of its body. Without the
 * salt it reveals nothing about the record, even to a correct guess.
 * @throws Error where the body cannot be written canonically, which no stored record does
 */
export function commitmentOf(salt: Uint8Array, body: object): Buffer {
  return commitmentTo(salt, canonicalOf(body));
}

/** The same over a body that is written already. */
export function commitmentTo(salt: Uint8Array, canonical: string): Buffer {
  return hash('sha256', Buffer.concat([salt, Buffer.from(canonical)]), 'buffer');
}

/** The canonical JSON (RFC 8785) of a body. @throws as `commitmentOf` */
export function canonicalOf(body: object): string {
  const canonical = canonicalize(body);
  if (canonical === undefined) throw new Error('the body of a record has no canonical form');
  return canonical;
}

/** What is sealed where a record was erased; the same is forwarded. */
export function erasureBody(id: string, erasedAt: Date): Record<string, unknown> {
  return { action: 'erase', id, erasedAt: erasedAt.toISOString() };
}
