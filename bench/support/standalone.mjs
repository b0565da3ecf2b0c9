import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../dist/standalone/embedded-postgres.js';

const ROOT = join(import.meta.dirname, '..', '..');
const READY = /^ready in /m;
const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 20_000;

/**
 * Runs `npm start` without a database, as a newcomer does, until it is ready.
 * @param {import('./scope.mjs').Scope} scope
 * @param {{ checkout?: string, environment?: Record<string, string> }} [options]
 * @returns {Promise<{ pid: number, baseUrl: string, seconds: number, stop: () => Promise<void> }>} npm's pid, and the
 *   seconds until ready
 */
export async function startStandalone(scope, { checkout = ROOT, environment = {} } = {}) {
  const port = await freePort();
  const startedMs = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group: Ctrl-C in a terminal signals the whole group.
    detached: true,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      ...environment,
    },
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const signal = (/** @type {NodeJS.Signals} */ name) => {
    try {
      process.kill(-(child.pid ?? 0), name);
    } catch {
      // It has already exited.
    }
  };
  const stop = async () => {
    signal('SIGINT');
    await Promise.race([gone, sleep(STOP_DEADLINE_MS, undefined, { ref: false })]);
    signal('SIGKILL');
  };
  scope.defer(stop);
  let text = '';
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      text = (text + chunk).slice(-4_000);
      if (READY.test(text)) resolve(true);
    });
  });
  const isReady = await Promise.race([
    ready,
    gone.then(() => false),
    sleep(START_DEADLINE_MS, false, { ref: false }),
  ]);
  if (!isReady) throw new Error(`the service did not become ready:\n${text.slice(-2_000)}`);
  const seconds = (performance.now() - startedMs) / 1000;
  return { pid: child.pid ?? 0, baseUrl: `http://127.0.0.1:${port}`, seconds, stop };
}
