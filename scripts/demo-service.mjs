// The built service with an empty data folder and a filled demo project, for scripts that look at the dashboard.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../dist/standalone/embedded-postgres.js';

const READY_DEADLINE_MS = 90_000;

/**
 * Starts it, and fills the demo project as `npm run ops -- demo records` does. `link` signs its owner in, once; `stop()` leaves
 * nothing behind.
 */
export async function startDemoService() {
  const dataDir = mkdtempSync(join(tmpdir(), 'consent-demo-'));
  chmodSync(dataDir, 0o755);
  const port = await freePort();
  const env = { PATH: process.env.PATH ?? '', PORT: String(port), DATA_DIR: dataDir };
  const service = spawn(process.execPath, ['dist/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = async () => {
    service.kill('SIGTERM');
    if (service.exitCode === null) await new Promise((ended) => service.once('exit', ended));
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const output = await readyOutput(service);
    const filled = spawnSync(process.execPath, ['dist/ops.js', 'demo', 'records'], { env, stdio: 'inherit' });
    if (filled.status !== 0) throw new Error('the demo project could not be filled');
    const link = /dashboard +(\S+)/.exec(output)?.[1] ?? '';
    return { base: `http://127.0.0.1:${port}`, dataDir, link, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The service's output until it is ready, which ends with the demo's link. */
function readyOutput(service) {
  return new Promise((resolve, reject) => {
    let text = '';
    const deadline = setTimeout(() => reject(new Error(`not ready:\n${text}`)), READY_DEADLINE_MS);
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}:\n${text}`)));
    service.stdout.on('data', (chunk) => {
      text += chunk;
      if (!text.includes('API keys ')) return;
      clearTimeout(deadline);
      resolve(text);
    });
  });
}
