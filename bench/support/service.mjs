import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../dist/standalone/embedded-postgres.js';

const READY_DEADLINE_MS = 60_000;
/** A worker with hanging receivers would wait for them; its data is deleted anyway. */
const STOP_DEADLINE_MS = 3_000;
const DIST = join(import.meta.dirname, '..', '..', 'dist');

/**
 * Starts the service as in operation, in a separate process: the API with `main.js`, a worker with
 * `worker.js`. With BENCH_CPU_PROF set to a folder, the process leaves its CPU profile there.
 *
 * @param {import('./scope.mjs').Scope} scope
 * @param {import('./database.mjs').Database} database
 * @param {{ program?: 'main' | 'worker', receivers?: { target: string, caFile: string }[],
 *           environment?: Record<string, string> }} [options]
 * @returns {Promise<{ baseUrl: string, pid: number, stop: () => Promise<void> }>} a worker answers health and
 *   metrics there
 */
export async function startService(scope, database, options = {}) {
  const { program = 'main', receivers = [], environment = {} } = options;
  const port = await freePort();
  const profile = process.env.BENCH_CPU_PROF;
  const child = spawn(join(DIST, '..', 'scripts', 'start.sh'), [program], {
    cwd: scope.folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      // The launcher starts the Node that runs this.
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      NODE_ENV: 'development',
      DATABASE_URL: database.url,
      DATA_DIR: join(scope.folder, 'data'),
      SECRET_KEYS: database.secretKeys,
      [program === 'worker' ? 'WORKER_PORT' : 'PORT']: String(port),
      LOG_LEVEL: 'warn',
      INGEST_RATE_PER_MINUTE: '0',
      // For comparing a bench with and without sealing (docs/evidence.md).
      ...(process.env.BENCH_SEALING === 'off' && { EVIDENCE_SEAL_SECONDS: '0' }),
      ...(receivers[0] && {
        FORWARDING_ALLOWED_PRIVATE_TARGETS: receivers.map(({ target }) => target).join(','),
        FORWARDING_EXTRA_CA_FILE: receivers[0].caFile,
      }),
      ...environment,
      NODE_OPTIONS: [
        environment.NODE_OPTIONS,
        profile && `--cpu-prof --cpu-prof-dir=${profile} --cpu-prof-name=${program}-${port}.cpuprofile`,
      ]
        .filter(Boolean)
        .join(' '),
    },
  });
  /** @type {Promise<void>} */
  const gone = new Promise((resolve) => {
    child.once('exit', () => resolve());
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await Promise.race([gone, sleep(STOP_DEADLINE_MS, undefined, { ref: false })]);
    child.kill('SIGKILL');
    await gone;
  };
  scope.defer(stop);
  await Promise.race([
    said(child.stdout, /^(worker ready|ready in )/m),
    gone.then(() => Promise.reject(new Error(`the ${program} ended while it started`))),
    sleep(READY_DEADLINE_MS, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`the ${program} was not ready within ${READY_DEADLINE_MS} ms`)),
    ),
  ]);
  child.stdout.on('data', (text) => process.stderr.write(warningsOf(String(text))));
  return { baseUrl: `http://127.0.0.1:${port}`, pid: child.pid ?? 0, stop };
}

/**
 * @param {import('node:stream').Readable} output
 * @param {RegExp} sentence
 * @returns {Promise<void>}
 */
function said(output, sentence) {
  return new Promise((resolve) => {
    let text = '';
    const look = (/** @type {Buffer} */ chunk) => {
      text += String(chunk);
      if (!sentence.test(text)) return;
      output.off('data', look);
      resolve();
    };
    output.on('data', look);
  });
}

/**
 * Log lines of the service: a benchmark that makes it complain measures something else.
 * @param {string} text
 */
function warningsOf(text) {
  return text.replace(/^(?!\{).*$\n?/gm, '').slice(0, 2_000);
}
