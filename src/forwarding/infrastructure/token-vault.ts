import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SettingsOf } from '../../shared/declare-settings.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { forwardingSettings } from '../forwarding.settings.js';

const ALGORITHM = 'aes-256-gcm';
/** GCM's own nonce length; random, since one key seals far fewer than 2^32 tokens (NIST SP 800-38D §8.3). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a secret is for. It is authenticated along, so that one does not open as the other. */
export type SecretPurpose = 'bearer_token' | 'signing_secret';

/** A secret at rest: nonce, tag and ciphertext in one, and the key that made it. */
export interface SealedSecret {
  ciphertext: Buffer;
  keyId: string;
}

/**
 * Encrypts bearer tokens and signing secrets at rest (spec §5.2). The project's id is authenticated along, so that a row copied
 * to another project does not open. The first of `SECRET_KEYS` encrypts, all of them decrypt.
 */
@Injectable()
export class TokenVault {
  /** The keys as OpenSSL wants them: turned into that once, not for each record that is sent. */
  private readonly keys: { id: string; key: KeyObject }[];

  constructor(
    @SettingsFrom(forwardingSettings) settings: Pick<SettingsOf<typeof forwardingSettings>, 'secretKeys'>,
  ) {
    this.keys = settings.secretKeys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  }

  seal(projectId: string, secret: string, purpose: SecretPurpose = 'bearer_token'): SealedSecret {
    const [current] = this.keys;
    if (!current) throw new Error('SECRET_KEYS is empty: there is no key to encrypt a secret with.');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, current.key, nonce).setAAD(boundTo(projectId, purpose));
    const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return { ciphertext: Buffer.concat([nonce, cipher.getAuthTag(), encrypted]), keyId: current.id };
  }

  /** The secret, or null where its key is gone or the row was tampered with: the owner must enter it again. */
  open(projectId: string, sealed: SealedSecret, purpose: SecretPurpose = 'bearer_token'): string | null {
    const key = this.keys.find(({ id }) => id === sealed.keyId)?.key;
    if (!key) return null;
    const nonce = sealed.ciphertext.subarray(0, NONCE_BYTES);
    const tag = sealed.ciphertext.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(boundTo(projectId, purpose))
        .setAuthTag(tag);
      const encrypted = sealed.ciphertext.subarray(NONCE_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}

/** A token is bound to its project alone, as it was before there were other secrets. */
function boundTo(projectId: string, purpose: SecretPurpose): Buffer {
  return Buffer.from(purpose === 'bearer_token' ? projectId : `${projectId}/${purpose}`);
}
