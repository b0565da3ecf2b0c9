import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a folder that has its own package.json and lock file, unless they are installed. These are
 * the packages that only some scripts need, so the root's `npm ci` does not install them. Also a command:
 * `node scripts/install-packages.mjs test/extras`.
 * @param {string} folder
 */
export function installPackages(folder) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const missing = Object.entries(dependencies).filter(
    ([name, version]) => installedVersion(folder, name) !== version,
  );
  if (missing.length === 0) return;
  console.log(
    `Installing ${missing.map(([name, version]) => `${name} ${version}`).join(', ')} into ${folder}`,
  );
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}

/** @param {string} folder @param {string} name */
function installedVersion(folder, name) {
  const manifest = join(folder, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : null;
}

if (import.meta.main) for (const folder of process.argv.slice(2)) installPackages(folder);
