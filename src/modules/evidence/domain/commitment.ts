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

/** The body of a forwarded record with its evidence. */
export interface BodyWithEvidence {
  /** The canonical JSON that the commitment covers; the request body starts with the same bytes. */
  canonical: string;
  evidence: RecordEvidence;
}

/** Sent with a forwarded record, so that the receiver's archive is a witness (docs/evidence.md). */
interface RecordEvidence {
  /** base64 of 32 bytes. */
  salt: string;
  /** base64 of SHA-256 over the salt and the canonical record. */
  commitment: string;
  /** The newest signed checkpoint of the project's log; null before the first. The record itself is added later. */
  checkpoint: string | null;
}
