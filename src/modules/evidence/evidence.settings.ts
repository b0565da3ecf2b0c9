import { join } from 'node:path';
import { declareSettings, type SettingsOf } from '../../platform/settings/declare-settings.js';
import { type SecretKey, parseSecretKeys } from '../../platform/settings/secret-keys.settings.js';
import { serviceSettings } from '../../platform/settings/service.settings.js';
import { integer, setting, url } from '../../platform/settings/setting-kinds.js';
import { type StorageSettings, parseStorageUrl } from '../../platform/storage/storage-url.js';

/** Folder in DATA_DIR if EVIDENCE_STORAGE_URL is not set. */
const STORAGE_FOLDER = 'evidence';
const DAY_SECONDS = 86_400;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Logs in which others can verify records (docs/evidence.md). */
export const evidenceSettings = declareSettings({
  name: 'evidence',
  title: 'Evidence (docs/evidence.md)',
  settings: {
    /** Ed25519 seeds; the first one signs. */
    keys: setting<SecretKey[]>('EVIDENCE_KEYS', {
      default: [],
      defaultShown: 'none in production (evidence is off); otherwise generated and kept in `DATA_DIR`',
      example: 'e1:...',
      secret: true,
      meaning:
        'keys that sign the evidence logs, `id:base64(32 bytes)`, comma-separated; the first signs, all are published',
      advice:
        'Generate one with: echo "e1:$(openssl rand -base64 32)". Keep it apart from database backups: anyone with both can ' +
        'rewrite history.',
      parse: parseSecretKeys,
    }),
    storage: setting<StorageSettings>('EVIDENCE_STORAGE_URL', {
      default: (read) => ({
        kind: 'folder',
        path: join(read.value(serviceSettings.settings.dataDir), STORAGE_FOLDER),
      }),
      defaultShown: 'a folder in `DATA_DIR`',
      meaning: 'where the logs are kept, not to be read by the public: written as `STORAGE_URL`',
      parse: parseStorageUrl,
    }),
    /** null: no copies. */
    heads: setting<StorageSettings | null>('EVIDENCE_HEADS_URL', {
      default: null,
      defaultShown: 'none',
      example: 's3://…',
      meaning: 'where the newest signed checkpoint of each log is copied to, written as `STORAGE_URL`',
      advice:
        'Keep it apart from the database, `DATA_DIR`, and their backups: after a restore of all of them, only it shows what was signed since.',
      parse: parseStorageUrl,
    }),
    sealSeconds: integer('EVIDENCE_SEAL_SECONDS', {
      default: 30,
      min: 0,
      max: DAY_SECONDS,
      meaning: 'interval in seconds at which stored records are added to the logs; 0: never',
    }),
    rootSeconds: integer('EVIDENCE_ROOT_SECONDS', {
      default: 60,
      min: 1,
      max: DAY_SECONDS,
      meaning: 'minimum interval in seconds at which project checkpoints are added to the public root log',
    }),
    /** Empty: no timestamps. */
    timestampUrl: url('EVIDENCE_TIMESTAMP_URL', {
      protocols: ['https:', 'http:'],
      default: '',
      defaultShown: 'none',
      example: 'https://timestamp.example.com/tsr',
      meaning: 'timestamp service (RFC 3161) for the checkpoints of the public root log',
      advice:
        'It receives only hashes of public data. http is allowed only to this machine, and not in production.',
      check: (value, refuse) => {
        if (!URL.canParse(value)) return;
        const { protocol, hostname, username, password } = new URL(value);
        if (username || password) refuse('must not contain credentials.');
        if (protocol === 'http:' && !LOOPBACK.test(hostname))
          refuse('must use https, or http to this machine.');
      },
    }),
    timestampSeconds: integer('EVIDENCE_TIMESTAMP_SECONDS', {
      default: 3600,
      min: 1,
      max: DAY_SECONDS,
      meaning: 'minimum interval in seconds between timestamp requests',
      advice: 'Records are timestamped at most this much later. Public services limit the request rate.',
    }),
  },
  check: ({ timestampUrl }, read, own) => {
    if (read.value(serviceSettings.settings.production) && timestampUrl.startsWith('http:'))
      read.refuse(own.timestampUrl, 'must use https in production.');
  },
});

export type EvidenceSettings = SettingsOf<typeof evidenceSettings>;
