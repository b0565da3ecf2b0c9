import { join } from 'node:path';
import { declareSettings, type SettingsOf } from '../shared/declare-settings.js';
import { type SecretKey, secretKeysOf } from '../shared/secret-keys.settings.js';
import { serviceSettings } from '../shared/service.settings.js';
import { integer, setting, url } from '../shared/setting-kinds.js';
import { type StorageSettings, storageOf } from '../shared/storage-url.js';

/** Below DATA_DIR, where EVIDENCE_STORAGE_URL is not set. */
const STORAGE_FOLDER = 'evidence';
const DAY_SECONDS = 86_400;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

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
    /** null: none are kept. */
    heads: setting<StorageSettings | null>('EVIDENCE_HEADS_URL', {
      default: null,
      defaultShown: 'none',
      example: 's3://…',
      meaning: 'where the newest signed checkpoint of each log is copied to, written as `STORAGE_URL`',
      advice:
        'Keep it apart from the database, `DATA_DIR` and their backups: after a restore of all of them it alone knows what was signed since.',
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
    /** Empty: none is asked. */
    timestampUrl: url('EVIDENCE_TIMESTAMP_URL', {
      protocols: ['https:', 'http:'],
      default: '',
      defaultShown: 'none',
      example: 'https://timestamp.example.com/tsr',
      meaning: 'time-stamp service (RFC 3161) that stamps the checkpoints of the public log of all',
      advice:
        'It gets hashes of what is public, and nothing else. http only to this machine, and not in production.',
      check: (value, refuse) => {
        if (!URL.canParse(value)) return;
        const { protocol, hostname, username, password } = new URL(value);
        if (username || password) refuse('must not hold credentials.');
        if (protocol === 'http:' && !LOOPBACK.test(hostname))
          refuse('must be https, or http to this machine.');
      },
    }),
    timestampSeconds: integer('EVIDENCE_TIMESTAMP_SECONDS', {
      default: 3600,
      min: 1,
      max: DAY_SECONDS,
      meaning: 'how often at most the time-stamp service is asked for a time-stamp, in seconds',
      advice:
        'What was sealed is stamped so much later at most. Public services bound how often they are asked.',
    }),
  },
  check: ({ timestampUrl }, read, own) => {
    if (read.value(serviceSettings.settings.production) && timestampUrl.startsWith('http:'))
      read.refuse(own.timestampUrl, 'must be https in production.');
  },
});

export type EvidenceSettings = SettingsOf<typeof evidenceSettings>;
