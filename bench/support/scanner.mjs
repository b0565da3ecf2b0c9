import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readSettings } from '../../dist/programs/settings.js';

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'programs', 'scanner-program.js');

/**
 * Starts a scanner as the API starts its own, because a bench that runs as root cannot start `dist/scanner.js`.
 * @param {import('./scope.mjs').Scope} scope
 * @param {import('./database.mjs').Database} database
 * @param {{ targets: string[], environment?: Record<string, string> }} options `targets`: `host:port` that it may scan
 */
export async function startScanner(scope, database, { targets, environment = {} }) {
  const settings = readSettings({
    NODE_ENV: 'development',
    DATABASE_URL: database.url,
    SECRET_KEYS: database.secretKeys,
    SCANNER_ALLOWED_PRIVATE_TARGETS: targets.join(','),
    ...environment,
  });
  const child = fork(PROGRAM, { serialization: 'advanced' });
  const gone = once(child, 'exit');
  const stop = async () => {
    if (child.connected) child.disconnect();
    await gone;
  };
  scope.defer(stop);
  const { database: own, scans, service } = settings;
  child.send({ kind: 'start', settings: { database: own, scans, service } });
  await Promise.race([
    once(child, 'message'),
    gone.then(() => Promise.reject(new Error('the scanner ended while it started'))),
  ]);
  return { pid: child.pid ?? 0, stop };
}
