import { existsSync } from 'node:fs';
import { accessSettings } from '../modules/access/access.settings.js';
import { billingSettings } from '../modules/billing/billing.settings.js';
import { consentSettings } from '../modules/consent/consent.settings.js';
import { databaseSettings } from '../platform/database/database.settings.js';
import { domainSettings } from '../modules/domains/domains.settings.js';
import { evidenceSettings } from '../modules/evidence/evidence.settings.js';
import { forwardingSettings } from '../modules/forwarding/forwarding.settings.js';
import { licensingSettings } from '../modules/licensing/licensing.settings.js';
import { mailSettings } from '../platform/mail/mail.settings.js';
import { outboxSettings } from '../platform/outbox/outbox.settings.js';
import { publishingSettings } from '../modules/publishing/publishing.settings.js';
import { type Namespace, SettingReader, type SettingsOf } from '../platform/settings/declare-settings.js';
import { queueSettings } from '../platform/database/queue.settings.js';
import { secretSettings } from '../platform/settings/secret-keys.settings.js';
import { serviceSettings } from '../platform/settings/service.settings.js';
import { scanSettings } from '../modules/scans/scans.settings.js';
import { visitSettings } from '../modules/visits/visits.settings.js';
import { appSettings } from './app.settings.js';

/** Every module's settings, in the order of .env.example and docs/settings.md. */
export const NAMESPACES = [
  serviceSettings,
  databaseSettings,
  queueSettings,
  appSettings,
  secretSettings,
  mailSettings,
  accessSettings,
  consentSettings,
  visitSettings,
  outboxSettings,
  forwardingSettings,
  licensingSettings,
  billingSettings,
  publishingSettings,
  domainSettings,
  evidenceSettings,
  scanSettings,
] as const;

/** The settings of one process, by module. Each module gets only its own. */
export type Settings = {
  readonly [S in (typeof NAMESPACES)[number] as S['name']]: SettingsOf<S>;
};

/** The settings of this process: its environment, then the file .env of its working directory. */
export function readProcessSettings(): Settings {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readSettings(process.env);
}

/** The settings of a scanner: no keys, and no secrets except the database's. */
export type ScannerSettings = Pick<Settings, 'database' | 'scans' | 'service'>;

/** Like `readProcessSettings`, for a scanner, which runs without the other settings. */
export function readScannerSettings(): ScannerSettings {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readNamespaces(process.env, [serviceSettings, databaseSettings, scanSettings]);
}

/**
 * Reads and checks the environment. Loads only the declarations, so that an invalid setting is
 * reported at once.
 *
 * @throws SettingsError with one sentence for each invalid setting of any module
 */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  return readNamespaces(environment, NAMESPACES);
}

function readNamespaces<S extends Partial<Settings>>(
  environment: NodeJS.ProcessEnv,
  namespaces: readonly { name: string }[],
): S {
  const read = new SettingReader(environment);
  const settings = Object.fromEntries(
    namespaces.map((each) => [each.name, read.namespace(each as Namespace)]),
  );
  read.finish();
  return settings as S;
}
