// Start: how long `npm start` takes until the service is ready, the first time and again (design §7).
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../dist/standalone/infrastructure/server-state.js';
import { row } from './support/report.mjs';

const ROUNDS = 5;
const READY = /^ready in /m;
const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 20_000;
const ROOT = join(import.meta.dirname, '..');
/** What `npm start` needs of the checkout. */
const SOURCES = ['package.json', 'package-lock.json', 'tsconfig.json', '.swcrc', 'src', 'loader', 'scripts'];

export const deadlineMs = 240_000;
export const title = 'Start: `npm start` in standalone mode, until ready';

/**
 * The first start of a checkout builds it, makes the database and the demo; a second finds all of it. The
 * checkout is a copy without `dist` and data, with the modules that are installed.
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const checkout = join(scope.folder, 'checkout');
  mkdirSync(checkout);
  for (const name of SOURCES) cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  /** @type {Record<'first' | 'second', number[]>} */
  const seconds = { first: [], second: [] };
  for (let round = 0; round < ROUNDS; round++) {
    seconds.first.push(await startOnce(scope, checkout));
    seconds.second.push(await startOnce(scope, checkout));
    for (const name of ['dist', '.data']) rmSync(join(checkout, name), { recursive: true, force: true });
  }
  const time = { digits: 1, unit: ' s' };
  return {
    database: {},
    rows: [
      row({
        what: 'first start: build, database, demo',
        ours: seconds.first,
        target: { atMost: 15 },
        ...time,
      }),
      row({ what: 'second start', ours: seconds.second, target: { atMost: 5 }, ...time }),
    ],
    raw: { seconds },
  };
}

/**
 * Seconds from `npm start` until it says that it is ready; it is stopped before this returns.
 * @param {import('./support/scope.mjs').Scope} scope
 * @param {string} checkout
 */
async function startOnce(scope, checkout) {
  const startedMs = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A separate process group: npm's signal is the terminal's, which reaches the whole group.
    detached: true,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: String(await freePort()),
      LOG_LEVEL: 'warn',
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
  scope.defer(() => signal('SIGKILL'));
  let text = '';
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (READY.test(text)) resolve(true);
    });
  });
  const answer = await Promise.race([
    ready,
    gone.then(() => false),
    sleep(START_DEADLINE_MS, false, { ref: false }),
  ]);
  const seconds = (performance.now() - startedMs) / 1000;
  if (!answer) throw new Error(`the service did not become ready:\n${text.slice(-2_000)}`);
  signal('SIGINT');
  await Promise.race([gone, sleep(STOP_DEADLINE_MS, undefined, { ref: false })]);
  signal('SIGKILL');
  return seconds;
}
