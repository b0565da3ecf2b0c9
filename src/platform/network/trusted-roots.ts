import { createHash, X509Certificate } from 'node:crypto';
// Imported as a whole: an older Node lacks some of its functions, and must still reach the version
// check.
import tls from 'node:tls';

/** A certificate authority that this service never trusts. */
interface RemovedAuthority {
  name: string;
  /**
   * SHA-256 of the public key (SubjectPublicKeyInfo), hexadecimal: the same in every certificate of
   * that key.
   */
  publicKeySha256: string;
  reason: string;
  /** When it was added to this list. */
  removedOn: string;
}

const EMSIGN_LEAK = 'Keys of eMudhra (emSign) became public in October 2026 (CVE-2026-111943).';

/**
 * Removed from every list: Node's, the system's, NODE_EXTRA_CA_CERTS and FORWARDING_EXTRA_CA_FILE,
 * which may be a whole distribution's list. `scripts/compare-authorities.mjs` reports candidates.
 */
export const REMOVED_AUTHORITIES: RemovedAuthority[] = [
  {
    name: 'emSign ECC Root CA - G3',
    publicKeySha256: '8d417db2dd8bf5e3084d1e3f196d583849d81bdd4c00c70b9d39369e96b8c782',
    reason: EMSIGN_LEAK,
    removedOn: '2026-11-28',
  },
  {
    name: 'emSign Root CA - C1',
    publicKeySha256: 'b7408b4d2be0238ba37004dd34e276c6019bd2f24c9db7d4980f5f6c359a4bcc',
    reason: EMSIGN_LEAK,
    removedOn: '2026-11-28',
  },
  {
    name: 'emSign ECC Root CA - C3',
    publicKeySha256: 'eabc185c4e82d942b1a5978ba3c0181487d6b3b9974e5c49f72f6d0bd9637150',
    reason: EMSIGN_LEAK,
    removedOn: '2026-11-28',
  },
];

const PEM_CERTIFICATE = /-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^]+?-----END \1-----/g;

/**
 * Makes the trusted roots the default of this thread, for every connection that does not pass `ca`. Each program and
 * each thread calls it first: Node keeps a default per thread. It takes about 30 ms.
 */
export function useTrustedRoots(): void {
  tls.setDefaultCACertificates(withoutRemoved(defaultRoots()));
}

/** For connections that pass `ca`: the trusted roots and the certificates of a PEM file. */
export function trustedRootsAnd(pem: string): string[] {
  return withoutRemoved([...defaultRoots(), ...splitPem(pem)]);
}

/** The certificates of a PEM file, separately. */
export function splitPem(pem: string): string[] {
  return [...pem.matchAll(PEM_CERTIFICATE)].map(([certificate]) => certificate);
}

/** SHA-256 of a certificate's public key, hexadecimal; null if OpenSSL does not know its algorithm. */
export function hashPublicKey(pem: string): string | null {
  const certificate = new X509Certificate(pem);
  try {
    const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(key).digest('hex');
  } catch {
    // A connection cannot be verified with such a key either.
    return null;
  }
}

function withoutRemoved(certificates: string[]): string[] {
  const removed = new Set(REMOVED_AUTHORITIES.map(({ publicKeySha256 }) => publicKeySha256));
  return certificates.filter((pem) => !removed.has(hashPublicKey(pem) ?? ''));
}

/** The roots of Node, of NODE_EXTRA_CA_CERTS, and with --use-system-ca of the system. */
function defaultRoots(): string[] {
  const roots = tls.getCACertificates('default');
  if (roots.length > 0) return roots;
  // --use-openssl-ca: OpenSSL reads the system's list itself, and Node does not return it.
  return [...tls.getCACertificates('system'), ...tls.getCACertificates('extra')];
}
