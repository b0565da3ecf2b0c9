import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { accessSettings } from '../modules/access/access.settings.js';
import type { billingSettings } from '../modules/billing/billing.settings.js';
import type { databaseSettings } from '../platform/database/database.settings.js';
import type { evidenceSettings } from '../modules/evidence/evidence.settings.js';
import type { deliverySettings } from '../platform/delivery/delivery.settings.js';
import type { SettingsOf } from '../platform/settings/declare-settings.js';
import type { scanSettings } from '../modules/scans/scans.settings.js';
import type { secretSettings } from '../platform/settings/secret-keys.settings.js';
import type { serviceSettings } from '../platform/settings/service.settings.js';

const SECRET_BYTES = 32;

/** Settings that standalone mode completes, by module. */
export interface StandaloneSettings {
  readonly service: SettingsOf<typeof serviceSettings>;
  readonly database: SettingsOf<typeof databaseSettings>;
  readonly access: SettingsOf<typeof accessSettings>;
  readonly secrets: SettingsOf<typeof secretSettings>;
  readonly delivery: SettingsOf<typeof deliverySettings>;
  readonly billing: SettingsOf<typeof billingSettings>;
  readonly evidence: SettingsOf<typeof evidenceSettings>;
  readonly scans: SettingsOf<typeof scanSettings>;
}

/** Secrets that development generates at the first start and stores in DATA_DIR. Production must set them. */
interface DevelopmentSecrets {
  encryptionKey: string;
  authSecret: string;
  billingWebhookSecret: string;
}

/** Fills in the secrets that were not set, from a file that is created once and readable only by its owner. */
export function fillInSecrets<S extends StandaloneSettings>(
  settings: S,
): { settings: S; billingWebhookSecret: string } {
  const { service, access, billing, evidence } = settings;
  const secrets = readOrMake(service.dataDir);
  const webhookSecrets =
    billing.webhookSecrets.length > 0 ? billing.webhookSecrets : [secrets.billingWebhookSecret];
  const developmentKey = { id: 'dev', key: Buffer.from(secrets.encryptionKey, 'base64') };
  return {
    billingWebhookSecret: webhookSecrets[0] ?? '',
    settings: {
      ...settings,
      access: { ...access, authSecret: access.authSecret || secrets.authSecret },
      secrets: {
        secretKeys: settings.secrets.secretKeys.length > 0 ? settings.secrets.secretKeys : [developmentKey],
      },
      billing: { ...billing, webhookSecrets },
      evidence: {
        ...evidence,
        keys: evidence.keys.length > 0 ? evidence.keys : [toEvidenceKey(developmentKey)],
      },
    },
  };
}

/** Derives a separate signing key from the stored one, for files of older versions. */
function toEvidenceKey({ id, key }: { id: string; key: Buffer }): { id: string; key: Buffer } {
  return { id, key: Buffer.from(hkdfSync('sha256', key, '', 'evidence', SECRET_BYTES)) };
}

function readOrMake(dataDir: string): DevelopmentSecrets {
  const file = join(dataDir, 'secrets.json');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const fresh: DevelopmentSecrets = {
    encryptionKey: randomBytes(SECRET_BYTES).toString('base64'),
    authSecret: randomBytes(SECRET_BYTES).toString('base64url'),
    billingWebhookSecret: `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`,
  };
  try {
    // Fails if the file exists: of two processes that start together, one creates it and both read
    // it.
    writeFileSync(file, JSON.stringify(fresh, null, 2), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return JSON.parse(readFileSync(file, 'utf8')) as DevelopmentSecrets;
}
