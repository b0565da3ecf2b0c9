import { declareSettings, type Refuse, type SettingsOf } from './declare-settings.js';
import { serviceSettings } from './service.settings.js';
import { splitList, setting } from './setting-kinds.js';

/** A key that encrypts secrets at rest; the first of the list encrypts, all of them decrypt. */
export interface SecretKey {
  id: string;
  key: Buffer;
}

const SECRET_KEY_BYTES = 32;

/** Settings of the keys that encrypt stored secrets: receivers' tokens, and queued mails. */
export const secretSettings = declareSettings({
  name: 'secrets',
  title: 'Secrets at rest',
  settings: {
    secretKeys: setting<SecretKey[]>('SECRET_KEYS', {
      default: [],
      defaultShown: 'generated and kept in `DATA_DIR`',
      example: 'k1:...',
      secret: true,
      meaning:
        'encryption keys of bearer tokens and queued email, `id:base64(32 bytes)`, comma-separated; the first encrypts, all decrypt; required in production',
      advice: 'Generate one with: echo "k1:$(openssl rand -base64 32)".',
      parse: parseSecretKeys,
    }),
  },
  check: ({ secretKeys }, read, own) => {
    if (read.value(serviceSettings.settings.production) && secretKeys.length === 0) {
      read.refuse(own.secretKeys, 'must be set in production, as id:base64 of 32 random bytes.');
    }
  },
});

export type SecretSettings = SettingsOf<typeof secretSettings>;

/** A list of `id:base64`, 32 bytes each, as the value of a setting. */
export function parseSecretKeys(raw: string, refuse: Refuse): SecretKey[] {
  const keys = splitList(raw).map((entry) => {
    const [id = '', encoded = ''] = entry.split(':');
    return { id, key: Buffer.from(encoded, 'base64') };
  });
  const wellFormed = keys.every(({ id, key }) => /^[\w-]{1,32}$/.test(id) && key.length === SECRET_KEY_BYTES);
  if (!wellFormed || new Set(keys.map(({ id }) => id)).size !== keys.length) {
    refuse('must be a comma-separated list of id:base64, with 32 bytes each and each id once.');
  }
  // The placeholder of examples and of zeroed memory, which anyone can guess.
  if (keys.some(({ key }) => key.length > 0 && key.every((byte) => byte === 0))) {
    refuse('has a key of zeros. Generate one with: openssl rand -base64 32.');
  }
  return keys;
}
