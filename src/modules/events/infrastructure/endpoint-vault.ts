import { Injectable } from '@nestjs/common';
import { type SealedSecret, SecretVault } from '../../../platform/secrets/secret-vault.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../../platform/settings/secret-keys.settings.js';
import type { EndpointRef } from './endpoint.rows.js';

/** The columns of an endpoint's secrets. */
interface StoredSecrets {
  secretCiphertext: Buffer;
  secretKeyId: string;
  formerSecretCiphertext: Buffer | null;
  formerSecretKeyId: string | null;
}

/** Encrypts the signing secrets of endpoints. The endpoint is authenticated data, so a copied row does not decrypt. */
@Injectable()
export class EndpointVault {
  private readonly vault: SecretVault;

  constructor(@InjectSettings(secretSettings) { secretKeys }: SecretSettings) {
    this.vault = new SecretVault(secretKeys);
  }

  seal(ref: EndpointRef, secret: string): SealedSecret {
    return this.vault.seal(bindingOf(ref), secret);
  }

  /** The secrets that sign, the current one first; null: a key is missing or the row was changed. */
  open(ref: EndpointRef, stored: StoredSecrets): string[] | null {
    const sealed: SealedSecret[] = [{ ciphertext: stored.secretCiphertext, keyId: stored.secretKeyId }];
    if (stored.formerSecretCiphertext && stored.formerSecretKeyId !== null)
      sealed.push({ ciphertext: stored.formerSecretCiphertext, keyId: stored.formerSecretKeyId });
    const secrets = sealed.map((each) => this.vault.open(bindingOf(ref), each));
    return secrets.includes(null) ? null : (secrets as string[]);
  }
}

/** The authenticated data of an endpoint's secrets. */
export function bindingOf({ projectId, id }: EndpointRef): string {
  return `${projectId}/event_endpoint/${id}`;
}
