import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../settings/secret-keys.settings.js';
import { type SealedSecret, SecretVault } from '../../shared/secret-vault.js';

/** Secrets that are kept open, those used last; some 300 bytes each. */
const OPEN_SECRETS_MAX = 5_000;
/** How long one is kept open after it was opened; one that its owner has replaced is not asked for any more. */
const OPEN_SECRET_MS = 5 * 60_000;

/** What a secret is for. It is authenticated along, so that one does not open as the other. */
export type SecretPurpose = 'bearer_token' | 'signing_secret';

/**
 * Encrypts bearer tokens and signing secrets at rest (spec §5.2). The project's id is authenticated along, so that a row
 * copied to another project does not open.
 */
@Injectable()
export class TokenVault {
  private readonly vault: SecretVault;
  /**
   * What was opened, by what was sealed: each record of a busy project would open the same secret again (4 % of a
   * worker's time). Sealed anew, a secret has another ciphertext, so nothing that was replaced is ever found here.
   */
  private readonly opened = new LRUCache<string, string>({ max: OPEN_SECRETS_MAX, ttl: OPEN_SECRET_MS });

  constructor(@InjectSettings(secretSettings) { secretKeys }: SecretSettings) {
    this.vault = new SecretVault(secretKeys);
  }

  seal(projectId: string, secret: string, purpose: SecretPurpose = 'bearer_token'): SealedSecret {
    return this.vault.seal(boundTo(projectId, purpose), secret);
  }

  /** The secret, or null where its key is gone or the row was tampered with: the owner must enter it again. */
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

/** A token is bound to its project alone, as it was before there were other secrets. */
function boundTo(projectId: string, purpose: SecretPurpose): string {
  return purpose === 'bearer_token' ? projectId : `${projectId}/${purpose}`;
}
