import canonicalize from 'canonicalize';
import { sha256 } from './tree-hash.js';

/**
 * A record's entry in the log: SHA-256 over 32 random bytes and the canonical JSON (RFC 8785) of its body. Without the
 * salt it reveals nothing about the record, even to a correct guess.
 * @throws Error if the body has no canonical form; every stored record has one
 */
export function computeCommitment(salt: Uint8Array, body: object): Buffer {
  return hashCommitment(salt, canonicalJson(body));
}

/** The same for a canonical body. */
export function hashCommitment(salt: Uint8Array, canonical: string): Buffer {
  return sha256(Buffer.concat([salt, Buffer.from(canonical)]));
}

/** The canonical JSON (RFC 8785) of a body. @throws as `computeCommitment` */
export function canonicalJson(body: object): string {
  const canonical = canonicalize(body);
  if (canonical === undefined) throw new Error('the body of a record has no canonical form');
  return canonical;
}

/** The body of an erasure, which is added to the log and forwarded. */
export function erasureBody(id: string, erasedAt: Date): Record<string, unknown> {
  return { action: 'erase', id, erasedAt: erasedAt.toISOString() };
}
