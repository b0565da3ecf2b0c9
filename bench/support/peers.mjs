import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BENCH = join(import.meta.dirname, '..');

/**
 * Installs what the benchmarks measure against and count with, unless it is there: it is no part of the
 * service, so the root's install does not bring it.
 */
export function installPeers() {
  const { dependencies } = JSON.parse(readFileSync(join(BENCH, 'package.json'), 'utf8'));
  const missing = Object.entries(dependencies).filter(
    ([name, version]) => installedVersion(name) !== version,
  );
  if (missing.length === 0) return;
  console.log(`Installing ${missing.map(([name, version]) => `${name} ${version}`).join(', ')} into bench/`);
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: BENCH,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

/** @param {string} name */
function installedVersion(name) {
  const manifest = join(BENCH, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : null;
}
