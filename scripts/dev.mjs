// npm run dev: builds and starts the service, and repeats both at each change of src/, messages/ or
// loader/.
// `--debug` opens Node's inspector on 127.0.0.1:9229, `--dashboard` (npm run dev) also serves the
// dashboard from its sources, with each change at once, on 127.0.0.1:5173. (Not `nest start
// --watch`, which does not build the loader and leaves the service running when it is stopped.)
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';

/** An editor writes a file in several steps. */
const QUIET_MS = 150;
const FLAGS = ['--disable-warning=ExperimentalWarning'];
if (process.argv.includes('--debug')) FLAGS.push('--inspect');

let service = null;
const state = { changed: true, stopping: false, wake: () => {} };

for (const folder of ['src', 'messages', 'loader']) {
  watch(folder, { recursive: true }, () => {
    state.changed = true;
    state.wake();
  });
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    state.stopping = true;
    state.wake();
  });
}

const dashboard = process.argv.includes('--dashboard') ? serveDashboard() : null;

while (!state.stopping) {
  if (!state.changed) await new Promise((resolve) => (state.wake = resolve));
  while (state.changed && !state.stopping) {
    state.changed = false;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    if (state.changed || !(await built())) continue;
    await stop();
    if (!state.stopping)
      service = spawn(process.execPath, [...FLAGS, join('dist', 'main.js')], { stdio: 'inherit' });
  }
}
await stop();
await dashboard?.stop();
// The watchers would keep it alive.
process.exit(0);

/** A failed build prints why, and the running service stays up. */
async function built() {
  const build = spawn(process.execPath, [join('scripts', 'build.mjs'), '--if-changed'], { stdio: 'inherit' });
  const [code] = await once(build, 'exit');
  return code === 0;
}

async function stop() {
  if (service && service.exitCode === null && service.signalCode === null) {
    service.kill('SIGTERM');
    await once(service, 'exit');
  }
  service = null;
}

/** Vite's own server, which proxies other paths to the service. */
function serveDashboard() {
  const vite = spawn(process.execPath, [join('node_modules', 'vite', 'bin', 'vite.js'), 'dashboard'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return {
    stop: async () => {
      if (vite.exitCode !== null || vite.signalCode !== null) return;
      vite.kill('SIGTERM');
      await once(vite, 'exit');
    },
  };
}
