import { join } from 'node:path';
import { declareSettings, type SettingsOf } from '../shared/declare-settings.js';
import { type SecretKey, secretKeysOf } from '../shared/secret-keys.settings.js';
import { serviceSettings } from '../shared/service.settings.js';
import { integer, setting } from '../shared/setting-kinds.js';
import { type StorageSettings, storageOf } from '../shared/storage-url.js';

/** Below DATA_DIR, where EVIDENCE_STORAGE_URL is not set. */
const STORAGE_FOLDER = 'evidence';
const DAY_SECONDS = 86_400;

/** Sealing records in logs that others can check (docs/evidence.md). */
export const evidenceSettings = declareSettings({
  name: 'evidence',
  title: 'Evidence (docs/evidence.md)',
  settings: {
    /** Seeds of Ed25519; the first signs. */
    keys: setting<SecretKey[]>('EVIDENCE_KEYS', {
      default: [],
      defaultShown: 'none in production: nothing is sealed; else made and kept in `DATA_DIR`',
      example: 'e1:...',
      secret: true,
      meaning:
        'keys that sign the logs of records, `id:base64(32 bytes)`, comma-separated; the first signs, all are published',
      advice:
        'Make one: echo "e1:$(openssl rand -base64 32)". Keep it apart from backups of the database: who has both can ' +
        'write another history.',
      parse: secretKeysOf,
    }),
    storage: setting<StorageSettings>('EVIDENCE_STORAGE_URL', {
      default: (read) => ({
        kind: 'folder',
        path: join(read.value(serviceSettings.settings.dataDir), STORAGE_FOLDER),
      }),
      defaultShown: 'a folder below `DATA_DIR`',
      meaning: 'where the logs are kept, not to be read by the public: written as `STORAGE_URL`',
      parse: storageOf,
    }),
    sealSeconds: integer('EVIDENCE_SEAL_SECONDS', {
      default: 30,
      min: 0,
      max: DAY_SECONDS,
      meaning: 'how often what was stored is sealed, in seconds; 0: never',
    }),
    rootSeconds: integer('EVIDENCE_ROOT_SECONDS', {
      default: 60,
      min: 1,
      max: DAY_SECONDS,
      meaning: 'how often at most the projects’ checkpoints are sealed in the public log of all, in seconds',
    }),
  },
});

export type EvidenceSettings = SettingsOf<typeof evidenceSettings>;
