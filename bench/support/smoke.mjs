import { spawn } from 'node:child_process';
import { join } from 'node:path';

const RUN = join(import.meta.dirname, '..', 'run.mjs');
const OPTIONS = ['--scale', '0.01', '--minutes', '0.1'];
/** A bench mostly waits for processes to start, so two use two cores. Their figures mean nothing. */
const AT_ONCE = 2;

/**
 * Runs each bench at a hundredth of its counts in its own process, and prints the output of those that fail.
 * @param {string[]} names
 * @returns {Promise<string[]>} the names of failed benches
 */
export async function smoke(names) {
  const queue = [...names];
  /** @type {string[]} */
  const failed = [];
  const work = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const startedMs = performance.now();
      const { code, output } = await runAlone(name);
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
      console.log(`${code === 0 ? 'ran   ' : 'FAILED'} ${name}, ${seconds} s`);
      if (code === 0) continue;
      failed.push(name);
      console.log(output);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

/**
 * @param {string} name
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function runAlone(name) {
  const child = spawn(process.execPath, [RUN, name, ...OPTIONS], { stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => child.kill('SIGTERM');
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      resolve({ code, output });
    });
  });
}
