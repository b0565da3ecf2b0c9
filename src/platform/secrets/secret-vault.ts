import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { SecretKey } from '../settings/secret-keys.settings.js';

const ALGORITHM = 'aes-256-gcm';
/**
 * GCM's standard nonce length; random, because one key encrypts far fewer than 2^32 secrets (NIST
 * SP 800-38D §8.3).
 */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted secret: nonce, tag and ciphertext in one, and the key's id. */
export interface SealedSecret {
  ciphertext: Buffer;
  keyId: string;
}

/**
 * Encrypts secrets at rest. The owner of a secret (a project, a mail) is authenticated data, so
 * that a copy elsewhere does not decrypt. The first of `SECRET_KEYS` encrypts, all of them decrypt.
 */
export class SecretVault {
  /** The keys as OpenSSL objects, converted once instead of per sent record. */
  private readonly keys: { id: string; key: KeyObject }[];

  constructor(secretKeys: readonly SecretKey[]) {
    this.keys = secretKeys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  }

  seal(boundTo: string, secret: string): SealedSecret {
    const [current] = this.keys;
    if (!current) throw new Error('SECRET_KEYS is empty: no key to encrypt with.');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, current.key, nonce).setAAD(Buffer.from(boundTo));
    const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return { ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]), keyId: current.id };
  }

  /**
   * The secret; null if its key is missing or the row was tampered with: it must be entered again.
   */
  open(boundTo: string, sealed: SealedSecret): string | null {
    const key = this.keys.find(({ id }) => id === sealed.keyId)?.key;
    if (!key) return null;
    const nonce = sealed.ciphertext.subarray(0, NONCE_BYTES);
    const tag = sealed.ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(boundTo))
        .setAuthTag(tag);
      const encrypted = sealed.ciphertext.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}
