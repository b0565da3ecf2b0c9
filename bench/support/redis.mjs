import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../dist/standalone/embedded-postgres.js';

const READY_DEADLINE_MS = 10_000;

/**
 * Starts the machine's redis-server on a free port, in memory only; ends with the scope.
 * @param {import('./scope.mjs').Scope} scope
 * @returns {Promise<string>} its URL
 */
export async function startRedis(scope) {
  const port = await freePort();
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { cwd: scope.folder, stdio: 'ignore' },
  );
  /** @type {Error | null} */
  let failure = null;
  child.once('error', (error) => {
    failure = error;
  });
  scope.defer(() => child.kill('SIGKILL'));
  const deadlineMs = performance.now() + READY_DEADLINE_MS;
  while (!(await answers(port))) {
    if (failure) throw new Error('redis-server cannot be started; install it', { cause: failure });
    if (performance.now() > deadlineMs) throw new Error('redis-server does not answer');
    await sleep(50);
  }
  return `redis://127.0.0.1:${port}`;
}

/** @param {number} port */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
