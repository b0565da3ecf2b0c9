import { Injectable } from '@nestjs/common';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../shared/secret-keys.settings.js';
import { type SealedSecret, SecretVault } from '../../shared/secret-vault.js';

/** What a secret is for. It is authenticated along, so that one does not open as the other. */
export type SecretPurpose = 'bearer_token' | 'signing_secret';

/**
 * Encrypts bearer tokens and signing secrets at rest (spec §5.2). The project's id is authenticated along, so that a row
 * copied to another project does not open.
 */
@Injectable()
export class TokenVault {
  private readonly vault: SecretVault;

  constructor(@SettingsFrom(secretSettings) { secretKeys }: SecretSettings) {
    this.vault = new SecretVault(secretKeys);
  }

  seal(projectId: string, secret: string, purpose: SecretPurpose = 'bearer_token'): SealedSecret {
    return this.vault.seal(boundTo(projectId, purpose), secret);
  }

  /** The secret, or null where its key is gone or the row was tampered with: the owner must enter it again. */
  open(projectId: string, sealed: SealedSecret, purpose: SecretPurpose = 'bearer_token'): string | null {
    return this.vault.open(boundTo(projectId, purpose), sealed);
  }
}

/** A token is bound to its project alone, as it was before there were other secrets. */
function boundTo(projectId: string, purpose: SecretPurpose): string {
  return purpose === 'bearer_token' ? projectId : `${projectId}/${purpose}`;
}
