import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { accessSettings } from '../modules/access/access.settings.js';
import { billingSettings } from '../modules/billing/billing.settings.js';
import { consentSettings } from '../modules/consent/consent.settings.js';
import { domainSettings } from '../modules/domains/domains.settings.js';
import { evidenceSettings } from '../modules/evidence/evidence.settings.js';
import { deliverySettings } from '../platform/delivery/delivery.settings.js';
import { forwardingSettings } from '../modules/forwarding/forwarding.settings.js';
import { licensingSettings } from '../modules/licensing/licensing.settings.js';
import { publishingSettings } from '../modules/publishing/publishing.settings.js';
import { scanSettings } from '../modules/scans/scans.settings.js';
import { visitSettings } from '../modules/visits/visits.settings.js';
import { databaseSettings, queueSettings } from '../platform/database/database.settings.js';
import { mailSettings } from '../platform/mail/mail.settings.js';
import { outboxSettings } from '../platform/outbox/outbox.settings.js';
import {
  declareSettings,
  SettingReader,
  type Namespace,
  type SettingsOf,
} from '../platform/settings/declare-settings.js';
import { secretSettings } from '../platform/settings/secret-keys.settings.js';
import { serviceSettings } from '../platform/settings/service.settings.js';
import { choice, flag, integer, port } from '../platform/settings/setting-kinds.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Load balancers check readiness about every other second. */
const SHUTDOWN_DELAY_PRODUCTION_MS = 5_000;

const { nodeEnv, production, host } = serviceSettings.settings;
const { databaseUrl } = databaseSettings.settings;

/** Settings of the programs: worker, ports, start and stop. */
const appSettings = declareSettings({
  name: 'app',
  title: 'The processes',
  settings: {
    // A process with an embedded database is the whole service; one with an external database may
    // be a part.
    runWorker: flag('RUN_WORKER', {
      default: (read) => read.value(databaseUrl) === '',
      defaultShown: '`true` without `DATABASE_URL`, else `false`',
      meaning: 'whether the API starts a worker as its child process',
    }),
    workerPort: port('WORKER_PORT', {
      default: 0,
      meaning: "port for a worker's own health and metrics; 0: none",
    }),
    /** Never in production. */
    demo: flag('DEMO', {
      default: (read) => read.value(databaseUrl) === '' && read.value(nodeEnv) === 'development',
      defaultShown: '`true` without `DATABASE_URL` in development',
      meaning: 'demo project with receiver and site',
    }),
    shutdownDelayMs: integer('SHUTDOWN_DELAY_MS', {
      default: (read) => (read.value(production) ? SHUTDOWN_DELAY_PRODUCTION_MS : 0),
      defaultShown: `0; production: ${SHUTDOWN_DELAY_PRODUCTION_MS}`,
      min: 0,
      max: 60_000,
      meaning: 'how long a stopping process reports not ready before it stops listening',
    }),
    // On a terminal, warnings and errors are enough; production logs are read later, and by others.
    logLevel: choice('LOG_LEVEL', {
      choices: LOG_LEVELS,
      default: (read) => (read.value(production) ? 'info' : 'warn'),
      defaultShown: '`info` in production, else `warn`',
      meaning: `minimum log level, one of \`${LOG_LEVELS.join(' ')}\``,
    }),
  },
  check: (values, read, own) => {
    if (!read.given(nodeEnv)) refuseDevelopmentByOmission(read);
    if (read.value(production) && values.demo) read.refuse(own.demo, 'must not be on in production.');
  },
});

/**
 * Development opens sign-up and simulates tiers for free. A start with a database, or one that others can reach, must
 * therefore set NODE_ENV explicitly: a forgotten NODE_ENV would otherwise run production with these defaults.
 */
function refuseDevelopmentByOmission(read: SettingReader): void {
  const exposing = [
    read.value(databaseUrl) && 'DATABASE_URL',
    !isLoopback(read.value(host)) && 'a publicly reachable HOST',
  ].filter(Boolean);
  if (exposing.length === 0) return;
  read.refuse(
    nodeEnv,
    `must be set with ${exposing.join(' and ')}: to production, or to development where no one else has access.`,
  );
}

/**
 * Whether `address` is reachable only from this machine. A name other than localhost may resolve to
 * any address.
 */
function isLoopback(address: string): boolean {
  if (address === 'localhost') return true;
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback';
}

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
  deliverySettings,
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
