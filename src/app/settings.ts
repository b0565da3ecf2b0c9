import { existsSync } from 'node:fs';
import { accessSettings } from '../access/access.settings.js';
import { billingSettings } from '../billing/billing.settings.js';
import { consentSettings } from '../consent/consent.settings.js';
import { databaseSettings } from '../database/database.settings.js';
import { domainSettings } from '../domains/domains.settings.js';
import { evidenceSettings } from '../evidence/evidence.settings.js';
import { forwardingSettings } from '../forwarding/forwarding.settings.js';
import { licensingSettings } from '../licensing/licensing.settings.js';
import { mailSettings } from '../mail/mail.settings.js';
import { outboxSettings } from '../outbox/outbox.settings.js';
import { publishingSettings } from '../publishing/publishing.settings.js';
import { type Namespace, SettingReader, type SettingsOf } from '../settings/declare-settings.js';
import { queueSettings } from '../database/queue.settings.js';
import { secretSettings } from '../settings/secret-keys.settings.js';
import { serviceSettings } from '../settings/service.settings.js';
import { scanSettings } from '../scans/scans.settings.js';
import { visitSettings } from '../visits/visits.settings.js';
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

/** The settings of one process, by module. Each module is given its own; only the programs see all of them. */
export type Settings = {
  readonly [S in (typeof NAMESPACES)[number] as S['name']]: SettingsOf<S>;
};

/** The settings of this process: its environment, and beneath it the file .env of the folder it runs in. */
export function readProcessSettings(): Settings {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readSettings(process.env);
}

/** What a scanner needs: no keys, and no secrets but the database's. */
export type ScannerSettings = Pick<Settings, 'database' | 'scans' | 'service'>;

/** As `readProcessSettings`, for a scanner, which runs where the other settings are missing. */
export function readScannerSettings(): ScannerSettings {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return readNamespaces(process.env, [serviceSettings, databaseSettings, scanSettings]);
}

/**
 * Reads and checks the environment. Loads only the declarations, so that a wrong setting is reported at once.
 * @throws SettingsError with one sentence for each wrong setting of any module
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
