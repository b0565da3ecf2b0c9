import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { databaseSettings } from '../platform/database/database.settings.js';
import { serviceSettings } from '../platform/settings/service.settings.js';
import { choice, flag, integer, port } from '../platform/settings/setting-kinds.js';
import { declareSettings, type SettingReader } from '../platform/settings/declare-settings.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Load balancers check readiness about every other second. */
const SHUTDOWN_DELAY_PRODUCTION_MS = 5_000;

const { nodeEnv, production, host } = serviceSettings.settings;
const { databaseUrl } = databaseSettings.settings;

/** Settings of the programs: worker, ports, start and stop. */
export const appSettings = declareSettings({
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
