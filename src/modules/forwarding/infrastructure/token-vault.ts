import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../../platform/settings/secret-keys.settings.js';
import { type SealedSecret, SecretVault } from '../../../platform/secrets/secret-vault.js';

/** Cached decrypted secrets, least recently used evicted; some 300 bytes each. */
const OPEN_SECRETS_MAX = 5_000;
/** How long a decrypted secret is cached; a replaced one is no longer looked up. */
const OPEN_SECRET_MS = 5 * 60_000;

/**
 * The purpose of a secret, part of the authenticated data, so that one kind does not decrypt as the other.
 */
export type SecretPurpose = 'bearer_token' | 'signing_secret';

/**
 * Encrypts bearer tokens and signing secrets at rest (spec §5.2). The project's id is authenticated
 * data, so that a row copied to another project does not decrypt.
 */
@Injectable()
export class TokenVault {
  private readonly vault: SecretVault;
  /**
   * Decrypted secrets by ciphertext: each record of a busy project would decrypt the same secret
   * again (4 % of a worker's time). A replaced or re-encrypted secret has another ciphertext, so
   * the cache is never outdated.
   */
  private readonly opened = new LRUCache<string, string>({ max: OPEN_SECRETS_MAX, ttl: OPEN_SECRET_MS });

  constructor(@InjectSettings(secretSettings) { secretKeys }: SecretSettings) {
    this.vault = new SecretVault(secretKeys);
  }

  seal(projectId: string, secret: string, purpose: SecretPurpose = 'bearer_token'): SealedSecret {
    return this.vault.seal(boundTo(projectId, purpose), secret);
  }

  /**
   * The secret; null if its key is missing or the row was tampered with, in which case the owner
   * must enter it again.
   */
  open(projectId: string, sealed: SealedSecret, purpose: SecretPurpose = 'bearer_token'): string | null {
    const binding = boundTo(projectId, purpose);
    const name = `${binding} ${sealed.keyId} ${sealed.ciphertext.toString('latin1')}`;
    const known = this.opened.get(name);
    if (known !== undefined) return known;
    const secret = this.vault.open(binding, sealed);
    if (secret !== null) this.opened.set(name, secret);
    return secret;
  }
}

/** A token is bound only to its project, as before other secrets existed. */
function boundTo(projectId: string, purpose: SecretPurpose): string {
  return purpose === 'bearer_token' ? projectId : `${projectId}/${purpose}`;
}
