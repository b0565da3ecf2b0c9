// Builds dist/: the service by swc, the loader by esbuild, the dashboard by vite. `--if-changed`
// skips the build if it is newer than all its sources, so that a second start need not wait for it;
// in production that only checks whether it exists. It is built in a separate folder and renamed,
// under a lock, so a reader never sees a partial build.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash, latestChangeMs } from './latest-change.mjs';

const OUT = 'dist';
const BUILDING = `${OUT}.building`;
const FORMER = `${OUT}.former`;
const STAMP = '.built';
const SOURCES = [
  'src',
  'loader',
  'dashboard',
  'messages',
  'openapi.json',
  'docs',
  join('verify', 'verify.cjs'),
  join('scripts', 'build.mjs'),
  join('scripts', 'build-dashboard.mjs'),
  join('scripts', 'build-loader.mjs'),
  join('scripts', 'compile.mjs'),
  'package.json',
  'package-lock.json',
  '.swcrc',
];

const { takeBuildLock } = await import('./build-lock.mjs');

if (existsSync('.env')) process.loadEnvFile('.env');
const ifChanged = process.argv.includes('--if-changed');
if (ifChanged && process.env.NODE_ENV === 'production') {
  if (!existsSync(join(OUT, 'main.js')))
    fail(
      'There is no build, and production does not make one. Run "npm ci && npm run build && npm prune --omit=dev", ' +
        'or bring a built dist/ along.',
    );
} else {
  takeBuildLock();
  // Looked at behind the lock: another process may just have built.
  if (!ifChanged || isOutdated()) await build();
}

async function build() {
  rmSync(BUILDING, { recursive: true, force: true });
  if (!existsSync(join('node_modules', '@swc', 'core')))
    fail('The build tools are not installed. Run "npm ci" without --omit=dev and with NODE_ENV unset.');
  const startedAt = new Date();
  const sourcesHash = contentHash(SOURCES);
  // A start does not wait for the last 7 percent of compression.
  const fast = ifChanged ? ['--fast'] : [];
  const dashboard = run([join('scripts', 'build-dashboard.mjs'), BUILDING, ...fast]);
  await run([join('scripts', 'compile.mjs'), BUILDING]);
  // Needs the compiled service.
  await run([join('scripts', 'build-loader.mjs'), BUILDING]);
  await dashboard;
  // Files changed during the build are newer than this, and are built the next time.
  writeFileSync(join(BUILDING, STAMP), sourcesHash);
  utimesSync(join(BUILDING, STAMP), startedAt, startedAt);
  rmSync(FORMER, { recursive: true, force: true });
  if (existsSync(OUT)) renameSync(OUT, FORMER);
  renameSync(BUILDING, OUT);
  rmSync(FORMER, { recursive: true, force: true });
}

async function run(args) {
  const [status] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  if (status !== 0) process.exit(status ?? 1);
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

function isOutdated() {
  const stamp = join(OUT, STAMP);
  const builtMs = existsSync(stamp) ? statSync(stamp).mtimeMs : -Infinity;
  if (SOURCES.every((path) => latestChangeMs(path) < builtMs)) return false;
  // `npm prune` rewrites package-lock.json unchanged, and a copy of the checkout may have new
  // times.
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== contentHash(SOURCES);
}
